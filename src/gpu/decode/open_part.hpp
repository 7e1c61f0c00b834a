// Opens a part of a segment: one thread reads its length and plan and the headers of its tree. Warps do so
// for many segments before blocks come to them, and find the vectors of all payloads, so that no block
// waits for one thread that reads headers, or for one warp that walks along a payload.
#pragma once

#include "gpu/decode/open_tree.hpp"
#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/walk_vectors.hpp"

namespace floe::gpu {

/// Memory that decoding a segment of `count` words takes before all else.
struct SegmentScratch {
  std::uint8_t *plan_offsets = nullptr, *vector_entries = nullptr;
  ScratchMemory rest;

  FLOE_DEVICE SegmentScratch(ScratchMemory scratch, std::uint32_t count) {
    plan_offsets = scratch.take(4 * std::uint64_t{max_parts});
    vector_entries =
        scratch.take(sizeof(VectorEntry) * ((std::uint64_t{count} + tile_words - 1) / tile_words));
    rest = scratch;
  }
  FLOE_DEVICE bool is_there() const { return plan_offsets != nullptr && vector_entries != nullptr; }
};

/// Reads the header of a segment. Returns an ErrorCode.
FLOE_DEVICE std::uint32_t begin_segment(const std::uint8_t* bytes, std::uint32_t size, std::uint32_t count,
                                        OpenedPart& part) {
  HeaderReader reader{bytes, 0, size};
  const std::uint64_t parts = reader.get_varint();
  if (reader.failed || parts == 0 || parts > max_parts)
    return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  part.parts_left = static_cast<std::uint32_t>(parts);
  part.segment_at = reader.at;
  part.words_left = count;
  part.plan_count = 0;
  return 0;
}

/// Reads the header of the next part, and opens its tree. `out` is where the part's words go. The offset of a
/// plan is put to `plan_offsets`, unless that is null: then it is the first part. Returns an ErrorCode.
FLOE_DEVICE std::uint32_t open_part(const std::uint8_t* bytes, std::uint32_t size, DType type,
                                    std::uint8_t* out, ScratchMemory& scratch, std::uint8_t* plan_offsets,
                                    OpenedPart& part) {
  constexpr auto corrupt = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  HeaderReader reader{bytes, part.segment_at, size};
  const bool is_last = --part.parts_left == 0;
  const std::uint64_t words = is_last ? part.words_left : reader.get_varint(),
                      reference = reader.get_varint();
  if (reader.failed || words == 0 || words > part.words_left || reference > part.plan_count) return corrupt;
  part.part_words = static_cast<std::uint32_t>(words);
  part.words_left -= part.part_words;
  HeaderReader plan{
      bytes, reference == 0 ? reader.at : word32(plan_offsets, static_cast<std::uint32_t>(reference - 1)),
      size};
  if (reference == 0) {
    if (part.plan_count == 0) part.first_plan = reader.at;
    if (plan_offsets != nullptr) store_word(plan_offsets, part.plan_count, reader.at);
    ++part.plan_count;
  }
  if (const std::uint32_t code = read_plan(plan, type, part); code != 0) return code;
  if (reference == 0) reader.at = plan.at;
  if (is_body_aligned(part)) skip_padding(reader, 0, 16);
  part.segment_at = reader.at;
  const std::uint32_t code = open_tree(reader, part.part_words, out, scratch, part);
  part.segment_at = reader.at;
  return code == 0 && is_last && reader.at != size ? corrupt : code;
}

/// What a warp needs for it that its lanes share.
struct alignas(16) OpeningMemory : SegmentChains {
  OpenedPart part;
  std::uint8_t behind[opened_bytes + walk_shared_bytes > sizeof(OpenedPart)
                          ? opened_bytes + walk_shared_bytes - sizeof(OpenedPart)
                          : 16];

  /// For walks, which begin when it is known that the part's nodes from max_opened_nodes on do not matter.
  FLOE_DEVICE std::uint8_t* windows() { return reinterpret_cast<std::uint8_t*>(&part) + opened_bytes; }
};

/// Opens the first part of a segment with `scratch`, the memory of some block after what it takes for the
/// segment's words, and finds the vectors of its payloads. `memory` says what it is, with words that go to
/// `out` and a dictionary of up to `max_table_bytes`. The entries of vectors, whose number is returned, are
/// put to `opened`, a multiple of 16 with OpenedRecord::bytes(count) bytes. Called by all lanes.
template <class Warp>
FLOE_DEVICE std::uint32_t open_for_block(Warp& warp, OpeningMemory& memory, const std::uint8_t* bytes,
                                         std::uint32_t size, DType type, std::uint32_t count,
                                         ScratchMemory scratch, std::uint8_t* out,
                                         std::uint32_t max_table_bytes, std::uint8_t* opened) {
  OpenedPart& part = memory.part;
  if (warp.lane() == 0) {
    SegmentScratch own(scratch, count);
    part.node_count = 0;
    part.code = own.is_there() ? begin_segment(bytes, size, count, part)
                               : static_cast<std::uint32_t>(ErrorCode::out_of_memory);
    if (part.code == 0) part.code = open_part(bytes, size, type, opened, own.rest, nullptr, part);
    if (part.code == 0 && part.node_count > max_opened_nodes) part.code = not_opened;
  }
  warp.sync();
  std::uint32_t code = part.code, entries = 0;
  for (unsigned i = 0; code == 0 && i < part.node_count; ++i) {
    const Node& node = part.nodes[i];
    const std::uint32_t vectors = tiles_of(node.count);
    if (node.encoding != EncodingId::bitpack || vectors == 0 || entries + vectors > max_opened_entries(count))
      continue;
    std::uint8_t* const to = opened + OpenedRecord::entries + sizeof(VectorEntry) * entries;
    entries += vectors;
    code = walk_vectors(warp, Payload{bytes, node.at, node.end, node.count, word_bytes(node.type)}, to,
                        memory.windows());
    if (warp.lane() == 0) part.nodes[i].table = to;
  }
  warp.sync();
  if (warp.lane() == 0) {
    part.code = code;
    if (code != 0) part.node_count = 0;
    static_cast<SegmentChains&>(memory) = {};
    if (code == 0 && part.part_words == count && part.parts_left == 0 && out != nullptr)
      set_chains(part, bytes, out, max_table_bytes, memory);
  }
  warp.sync();
  return entries;
}

/// Puts to a record with `entries` entries what `memory` says: for unpack_tile, or unpack_codes, if a segment
/// needs no block, and otherwise for decode_segment. Called by all lanes.
template <class Warp>
FLOE_DEVICE void put_record(Warp& warp, OpeningMemory& memory, std::uint32_t entries, std::uint8_t* opened) {
  put_entries(warp, memory.part, opened, entries, memory.chain);
  if (memory.outer.kind == OuterSteps::words) put_entries(warp, memory.part, opened, entries, memory.other);
  static_assert(sizeof(SegmentChains) == OpenedRecord::part);
  const auto* const chains =
      reinterpret_cast<const std::uint8_t*>(static_cast<const SegmentChains*>(&memory));
  for (unsigned i = warp.lane(); i < OpenedRecord::part / 4; i += warp_lanes)
    store_aligned(opened + 4 * i, word32(chains, i));
  std::uint8_t* const to = opened + OpenedRecord::part;
  if (memory.chain.state != UnpackChain::none) {
    // A block gets the segment only if its words are damaged, and then opens it itself.
    if (warp.lane() == 0) store_aligned(to + offsetof(OpenedPart, code), std::uint32_t{not_opened});
    return;
  }
  const auto* const part = reinterpret_cast<const std::uint8_t*>(&memory.part);
  for (std::uint32_t i = 8 * warp.lane(); i < opened_bytes; i += 8 * warp_lanes)
    store_aligned(to + i, load_aligned<std::uint64_t>(part + i));
}

}  // namespace floe::gpu
