// Finds the nodes of an encoded part and their payloads. One thread reads plan and headers in pre-order; what
// it finds is checked, so that what runs afterwards needs no check but those of payloads.
#pragma once

#include "core/bits.hpp"
#include "encodings/entropy/section_layout.hpp"
#include "encodings/grid/grid.hpp"
#include "floe/types.hpp"
#include "gpu/decode/affine_lines.hpp"
#include "gpu/decode/decode_memory.hpp"
#include "gpu/decode/header_reader.hpp"
#include "gpu/warp/device.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// The nodes of the plan at reader.at, for a stream of `type`. An ErrorCode: unsupported_codec if it has more
/// nodes, or one has more children, than there is room for.
FLOE_DEVICE std::uint32_t read_plan(HeaderReader& reader, DType type, OpenedPart& part) {
  constexpr auto corrupt = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  unsigned open = 0, depth = 0,
           count =
               0;  // the last node whose children are not complete, and how many nodes there are down to it
  do {
    if (count == max_nodes) return static_cast<std::uint32_t>(ErrorCode::unsupported_codec);
    if (depth == max_depth) return corrupt;
    Node& node = part.nodes[count];
    node = Node{};
    const std::uint8_t id = reader.get_byte();
    if (reader.failed || id >= trees::encoding_count) return corrupt;
    node.encoding = static_cast<EncodingId>(id);
    node.type = type;
    if (depth > 0) {
      Node& parent = part.nodes[open];
      node.parent = static_cast<std::uint8_t>(open);
      node.slot = parent.child_count++;
      node.type = trees::child_type_of(parent.encoding, parent.type, parent.parameter[1], node.slot);
      parent.child[node.slot] = static_cast<std::uint8_t>(count);
    }
    for (unsigned i = 0; i < trees::parameters_of(node.encoding); ++i) {
      const std::uint64_t parameter = reader.get_varint();
      if (parameter > 0xFFFFFFFF) return corrupt;
      node.parameter[i] = static_cast<std::uint32_t>(parameter);
    }
    const std::uint32_t a = node.parameter[0], b = node.parameter[1];
    if (reader.failed || !trees::are_within_limits(node.encoding, a, b) ||
        !trees::accepts(node.encoding, node.type, a, b))
      return corrupt;
    if (node.encoding == EncodingId::stride_split && a > trees::StrideSplitRules::max_on_devices)
      return static_cast<std::uint32_t>(ErrorCode::unsupported_codec);
    open = count++;
    ++depth;
    for (; depth > 0; --depth) {
      const Node& last = part.nodes[open];
      if (last.child_count < trees::children_of(last.encoding, last.parameter[0])) break;
      open = last.parent;
    }
  } while (depth > 0);
  part.node_count = count;
  return 0;
}

/// Words of a child. Precondition: the parent's header was read.
FLOE_DEVICE std::uint32_t child_words(const Node& parent, unsigned slot) {
  if (parent.count == 0) return 0;
  const auto number = [&](unsigned i) { return static_cast<std::uint32_t>(parent.number[i]); };
  switch (parent.encoding) {
    case EncodingId::delta:
      return parent.count - number(0) - number(1);
    case EncodingId::rle:
      return number(0);
    case EncodingId::decimal:
      return slot == 0 ? parent.count : number(0);
    case EncodingId::split:
      return slot == 0 ? parent.count : slot == 1 ? parent.count - number(0) : number(0);
    case EncodingId::sparse:
      return number(1);
    case EncodingId::stride_split:
      return (parent.count + parent.parameter[0] - 1 - slot) / parent.parameter[0];
    case EncodingId::dict:
      return slot == 0 ? number(0) : slot == 1 ? parent.count : number(1);
    case EncodingId::unique:
      return slot == 0 ? number(0) : parent.count;
    case EncodingId::grid:
      return slot == 0 ? parent.count : number(slot == 1 ? 0 : 1);
    case EncodingId::affine:
      return slot < 2 ? parent.count - number(0) : number(slot == 2 ? 0 : 1);
    default:
      return parent.count;
  }
}

/// The numbers with which headers begin, behind a word if there is one; but for those of a delta, of a grid
/// and of lines.
FLOE_HD constexpr unsigned header_numbers(EncodingId id) {
  constexpr std::uint64_t all = trees::nibbles([](unsigned i) {
    const auto is = static_cast<EncodingId>(i);
    if (is == EncodingId::int_mult || is == EncodingId::dict) return 2u;
    const bool has_one = is == EncodingId::bitpack || is == EncodingId::rle || is == EncodingId::decimal ||
                         is == EncodingId::split || is == EncodingId::sparse || is == EncodingId::entropy ||
                         is == EncodingId::unique;
    return has_one ? 1u : 0u;
  });
  const auto index = static_cast<unsigned>(id);
  return index < 16 ? trees::nibble_of(all, index) : id == EncodingId::multi_entropy ? 1 : 0;
}

/// Reads the words that stand in the header of a delta.
FLOE_DEVICE void skip_first_words(HeaderReader& reader, Node& node) {
  const std::uint32_t stride = node.parameter[1];
  if (stride > trees::DeltaRules::max_near_stride) return;  // there are none
  node.number[0] = stride < node.count ? stride : node.count;
  const std::uint32_t rest = node.count - static_cast<std::uint32_t>(node.number[0]);
  node.number[1] = node.parameter[0] == 1 ? 0 : stride < rest ? stride : rest;
  for (std::uint64_t i = 0; i < node.number[0] + node.number[1]; ++i)
    reader.get_signed(8 * word_bytes(node.type));
}

/// Moves behind zero bytes, up to a multiple of `alignment` from `begin` on.
FLOE_DEVICE void skip_padding(HeaderReader& reader, std::uint32_t begin, std::uint32_t alignment) {
  while (!reader.failed && (reader.at - begin) % alignment != 0) {
    if (reader.get_byte() != 0) reader.failed = true;
  }
}

/// Of a grid: its exponent, which takes the place of a parameter, bytes below it, exceptions.
FLOE_DEVICE bool read_grid(HeaderReader& reader, Node& node) {
  const std::uint64_t exponent = reader.get_varint();
  node.number[0] = reader.get_varint();
  node.number[1] = reader.get_varint();
  node.parameter[0] = static_cast<std::uint32_t>(exponent);
  return exponent > 0 && exponent < trees::layout_of(node.type).top_exponent() &&
         node.number[0] <= std::uint64_t{node.count} * word_bytes(node.type) && node.number[1] <= node.count;
}

/// Of affine: words of blocks without lines and exceptions, and above these numbers those of blocks, and of
/// lines.
FLOE_DEVICE bool read_lines(HeaderReader& reader, Node& node) {
  AffineNumbers numbers;
  if (!read_affine_blocks(reader, node.type, node.parameter[0], node.count, nullptr, numbers)) return false;
  const std::uint64_t exceptions = reader.get_varint();
  node.number[0] = numbers.plain | std::uint64_t{numbers.blocks} << 32;
  node.number[1] = exceptions | std::uint64_t{numbers.lines} << 32;
  return exceptions <= node.count;
}

/// Reads the header of a node with words, and moves behind its payload. Those of a tree begin at `body`.
/// False if it contradicts the format.
FLOE_DEVICE bool read_header(HeaderReader& reader, std::uint32_t body, Node& node) {
  const unsigned bytes = word_bytes(node.type);
  const bool has_word = node.encoding == EncodingId::constant || node.encoding == EncodingId::sparse;
  if (has_word) node.number[0] = reader.get_word(bytes);
  for (unsigned i = 0; i < header_numbers(node.encoding); ++i)
    node.number[i + (has_word ? 1 : 0)] = reader.get_varint();
  const std::uint64_t first = node.number[0], second = node.number[1],
                      mask = core::low_mask<std::uint64_t>(8 * bytes);
  node.at = reader.at;
  bool good = true;
  switch (node.encoding) {
    case EncodingId::raw:
      reader.skip(std::uint64_t{node.count} * bytes);
      break;
    case EncodingId::bitpack:
      reader.skip(first);
      break;
    case EncodingId::entropy:
    case EncodingId::multi_entropy:
      skip_padding(reader, body, static_cast<std::uint32_t>(trees::entropy_unit(node.count)));
      node.at = reader.at;
      reader.skip(first);
      break;
    case EncodingId::delta:
      skip_first_words(reader, node);
      break;
    case EncodingId::rle:
      good = first > 0 && first <= node.count;
      break;
    case EncodingId::int_mult:
      good = (first & mask) == first && second > 0 && (second & mask) == second;
      node.number[0] = core::unzigzag(first) & mask;
      break;
    case EncodingId::decimal:
    case EncodingId::split:
      good = first <= node.count;
      break;
    case EncodingId::sparse:
      good = second <= node.count;
      break;
    case EncodingId::dict:
      good = first > 0 && first <= node.parameter[1] && first <= node.count && second <= node.count;
      break;
    case EncodingId::unique:
      good = first > 0 && first <= trees::UniqueRules::max_entries && first <= node.count;
      break;
    case EncodingId::grid:
      good = read_grid(reader, node);
      break;
    case EncodingId::affine:
      good = read_lines(reader, node);
      break;
    default:
      break;
  }
  node.end = reader.at;
  return good && !reader.failed;
}

FLOE_DEVICE bool is_plain_delta(const Node& node) {
  return node.encoding == EncodingId::delta && node.parameter[1] == 1;
}

/// Whether a node can be a step of a chain.
FLOE_DEVICE bool is_step(const Node& node) {
  return is_plain_delta(node) || node.encoding == EncodingId::int_mult ||
         node.encoding == EncodingId::sortable;
}

FLOE_DEVICE bool is_run_length(const OpenedPart& part, unsigned index) {
  return index > 0 && part.nodes[index].slot == 0 &&
         part.nodes[part.nodes[index].parent].encoding == EncodingId::rle;
}

/// Whether a node's words go on into the chain of its parent instead of becoming a stream.
FLOE_DEVICE bool joins_parent(const OpenedPart& part, unsigned index) {
  const Node& node = part.nodes[index];
  const Node& parent = part.nodes[node.parent];
  const bool fits = is_step(node) || node.encoding == EncodingId::bitpack ||
                    node.encoding == EncodingId::raw || node.encoding == EncodingId::constant ||
                    node.encoding == EncodingId::rle;
  if (is_step(parent)) return fits || node.encoding == EncodingId::split || node.encoding == EncodingId::dict;
  if (node.encoding == EncodingId::constant) {
    // What picks single words from it needs no memory of them.
    if (parent.encoding == EncodingId::split && node.slot > 0) return true;
    if (parent.encoding == EncodingId::dict && node.slot == 2) return true;
    if ((parent.encoding == EncodingId::divide || parent.encoding == EncodingId::affine) && node.slot == 1)
      return true;
  }
  if (!fits) return false;
  if (!parent.is_stream) return false;
  if (parent.encoding == EncodingId::decimal) return node.slot == 0;
  // What is summed up cannot change its width on the way.
  return parent.encoding == EncodingId::dict && node.slot == 1 && parent.number[1] == 0 &&
         !is_run_length(part, node.parent);
}

/// Sums of a strided delta that threads share.
inline constexpr std::uint32_t max_strided_sums = 512;

/// Memory besides its words: of rle the run of each tile, of strided deltas sums and inner differences, of
/// affine blocks and lines.
FLOE_DEVICE std::uint64_t table_bytes_of(const Node& node) {
  if (node.encoding == EncodingId::rle) return 4 * std::uint64_t{tiles_of(node.count)};
  if (node.encoding == EncodingId::affine)
    return affine_table_bytes(node.number[0] >> 32, node.number[1] >> 32);
  if (node.encoding != EncodingId::delta || is_plain_delta(node)) return 0;
  return 8 * max_strided_sums +
         (node.parameter[0] == 2 ? std::uint64_t{node.count} * word_bytes(node.type) : 0);
}

/// Whether the bodies of a plan begin at multiples of 16.
FLOE_DEVICE bool is_body_aligned(const OpenedPart& part) {
  for (unsigned i = 0; i < part.node_count; ++i) {
    const EncodingId encoding = part.nodes[i].encoding;
    if (encoding == EncodingId::codec || encoding == EncodingId::entropy ||
        encoding == EncodingId::multi_entropy)
      return true;
  }
  return false;
}

/// Reads the headers of the plan's nodes, and gives streams their memory, the root `words`. An ErrorCode.
FLOE_DEVICE std::uint32_t open_tree(HeaderReader& reader, std::uint32_t count, std::uint8_t* words,
                                    ScratchMemory& scratch, OpenedPart& part) {
  constexpr auto no_memory = static_cast<std::uint32_t>(ErrorCode::out_of_memory);
  const std::uint32_t body = reader.at;
  for (unsigned i = 0; i < part.node_count; ++i) {
    Node& node = part.nodes[i];
    node.count = i == 0 ? count : child_words(part.nodes[node.parent], node.slot);
    if (node.count > 0 && !read_header(reader, body, node))
      return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
    if (node.count > 0 && !trees::is_decoded_by_devices(node.encoding))
      return static_cast<std::uint32_t>(ErrorCode::unsupported_codec);
    node.is_stream = i == 0 || !joins_parent(part, i);
    if (node.count == 0) continue;
    if (const std::uint64_t bytes = table_bytes_of(node); bytes > 0) {
      node.table = scratch.take(bytes);
      if (node.table == nullptr) return no_memory;
    }
    if (!node.is_stream) continue;
    node.words = i == 0 ? words : scratch.take(std::uint64_t{node.count} * word_bytes(node.type));
    if (node.words == nullptr) return no_memory;
  }
  return 0;
}

}  // namespace floe::gpu
