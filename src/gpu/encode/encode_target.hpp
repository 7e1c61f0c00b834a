// Encodes the segment of a ticket with a block: the tree first; then its bytes, which lie in pieces, are
// gathered where they go, which is known when the segments before have published their sizes.
#pragma once

#include "gpu/encode/encode_job.hpp"
#include "gpu/encode/encode_tree.hpp"
#include "gpu/pack/segment_offsets.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Reads a plan by one thread. Precondition: trees::write_plan wrote it, without encodings that devices lack.
FLOE_DEVICE void read_encode_plan(const std::uint8_t* bytes, EncodePlan& plan) {
  std::uint32_t at = 0;
  const auto get_varint = [&] {
    std::uint32_t number = 0, shift = 0;
    while (bytes[at] >= 0x80) {
      number |= (bytes[at++] & 0x7Fu) << shift;
      shift += 7;
    }
    return number | std::uint32_t{bytes[at++]} << shift;
  };
  plan.count = 0;
  for (unsigned missing = 1; missing > 0; --missing) {
    const auto id = static_cast<EncodingId>(bytes[at++]);
    std::uint32_t parameter[2] = {};
    for (unsigned i = 0; i < trees::parameters_of(id); ++i) parameter[i] = get_varint();
    plan.put(id, parameter[0], parameter[1]);
    missing += trees::children_of(id, parameter[0]);
  }
  plan.find_siblings();
}

inline constexpr std::uint32_t max_tree_header_bytes = 2 + 11 * max_nodes + 16;

/// Whether the body of a tree begins at a multiple of 16.
FLOE_DEVICE bool is_body_aligned(const EncodePlan& plan) {
  bool is_aligned = false;
  for (unsigned node = 0; node < plan.count; ++node)
    is_aligned = is_aligned || plan.id(node) == EncodingId::entropy;
  return is_aligned;
}

/// The head of the segment: it has one part, whose plan follows. By one thread.
FLOE_DEVICE void put_segment_header(EncodeMemory& memory, EncodePiece& header) {
  HeaderWriter writer = new_header(memory, max_tree_header_bytes);
  writer.put_byte(1);
  writer.put_byte(0);
  const EncodePlan& plan = memory.out_plan;
  for (unsigned node = 0; node < plan.count; ++node) {
    writer.put_byte(plan.encoding[node]);
    for (unsigned i = 0; i < trees::parameters_of(plan.id(node)); ++i)
      writer.put_varint(plan.parameter[node][i]);
  }
  if (is_body_aligned(plan)) {
    while (writer.size % 16 != 0) writer.put_byte(0);
  }
  header = {writer.to, writer.size, 0, 0};
  memory.bytes += writer.size;
}

/// Makes the pieces of a segment; memory.plan is its plan. Returns its bytes, to all threads.
template <class Block>
FLOE_DEVICE std::uint64_t encode_pieces(Block& block, const EncodeStream& words, std::uint8_t* scratch) {
  EncodeMemory& memory = block.memory();
  if (block.rank() == 0) {
    memory.scratch = {scratch, 0};
    memory.out_plan.count = 0;
    memory.piece_count = 1;  // the head comes last
    memory.bytes = 0;
    memory.frame_count = 0;
    memory.at = words;
    memory.at_node = 0;
  }
  block.sync();
  encode_tree(block);
  if (block.rank() == 0) put_segment_header(memory, memory.pieces[0]);
  block.sync();
  return memory.bytes;
}

/// Of a piece, by a warp at a time.
inline constexpr std::uint32_t copied_bytes = 8192;

/// Writes the pieces of a segment one behind the other. Warps take copies in turn, whatever they are of.
template <class Block>
FLOE_DEVICE void gather_pieces(Block& block, std::uint8_t* out) {
  EncodeMemory& memory = block.memory();
  const unsigned warps = block.warp_count();
  std::uint32_t turn = block.warp_index();  // of this warp's next copy, counted from the beginning of a piece
  for (unsigned i = 0; i < memory.piece_count; ++i) {
    const EncodePiece piece = memory.pieces[i];
    const std::uint32_t copies =
        piece.vectors == 0 ? (piece.bytes + copied_bytes - 1) / copied_bytes : piece.vectors;
    for (; turn < copies; turn += warps) {
      if (piece.vectors == 0) {
        const std::uint32_t at = turn * copied_bytes;
        copy_by_warp(block.warp(), out + at, piece.from + at,
                     piece.bytes - at < copied_bytes ? piece.bytes - at : copied_bytes);
      } else {
        const PackedSlot packed = reinterpret_cast<const PackedSlot*>(piece.from)[turn];
        const std::uint8_t* const slot =
            piece.from + first_slot(piece.vectors) + turn * std::uint64_t{slot_bytes(piece.word_bytes)};
        copy_by_warp(block.warp(), out + packed.offset, slot + slot_header - (packed.size >> 24),
                     packed.size & 0xFFFFFF);
      }
    }
    turn -= copies;
    out += piece.bytes;
  }
}

/// The tree of a segment. Null if its index is too large.
FLOE_DEVICE const std::uint8_t* tree_of(const EncodeColumnsJob& job, const EncodeColumn& column,
                                        std::uint32_t segment) {
  const unsigned tree = column.tree_of_segment == nullptr ? 0 : column.tree_of_segment[segment];
  return tree < column.tree_count ? job.trees->bytes + job.trees->offset[column.first_tree + tree] : nullptr;
}

/// The segment of a ticket, by one thread.
FLOE_DEVICE void find_target(const EncodeColumnsJob& job, std::uint32_t ticket, EncodeTarget& to) {
  unsigned index = 0;
  while (job.items == nullptr && ticket >= job.column[index].end_ticket) ++index;
  const EncodeColumn& column = job.column[index];
  std::uint64_t word_count = column.word_count;
  to.first_ticket = index == 0 ? 0 : job.column[index - 1].end_ticket;
  to.words.words = column.words;
  to.out = column.out;
  to.out_bytes = column.out_bytes;
  to.result = column.result;
  if (job.items != nullptr) {
    const std::uint64_t number =
        find_owner(job.item_count, ticket, [&](std::uint64_t i) { return job.items[i].first_unit; });
    const CompressItem& item = job.items[number];
    word_count = item.content_bytes / word_bytes(column.type);
    to.first_ticket = item.first_unit;
    to.words.words = item.in;
    to.out = item.out + job.header_bytes;
    to.out_bytes = item.capacity > job.header_bytes ? item.capacity - job.header_bytes : 0;
    to.result = job.encoded + number;
  }
  const std::uint32_t segment = ticket - to.first_ticket;
  const std::uint64_t first = std::uint64_t{segment} * column.segment_words, left = word_count - first;
  to.is_last = left <= column.segment_words;
  to.words = {to.words.words + first * word_bytes(column.type),
              static_cast<std::uint32_t>(to.is_last ? left : column.segment_words), column.type};
  const std::uint32_t place = job.items != nullptr ? ticket : segment;
  to.entry = column.segments + place;
  to.facts = column.facts == nullptr ? nullptr : column.facts + place;
  to.checksums = column.checksums;
  to.tree = tree_of(job, column, segment);
  to.lead_bytes = column.lead_bytes;
}

/// Bytes of an encoded segment with its padding and what stands before it.
FLOE_DEVICE std::uint64_t room_of_segment(const EncodeTarget& to, std::uint64_t bytes) {
  return (bytes + 15) / 16 * 16 + to.lead_bytes;
}

/// Tells the size of an encoded segment, which has no place yet, to those behind it. By one thread.
FLOE_DEVICE void tell_size(const EncodeColumnsJob& job, const EncodeTarget& to, std::uint32_t ticket,
                           std::uint64_t bytes) {
  write_state(job.states + ticket, OffsetState::aggregate | room_of_segment(to, bytes));
}

/// Finds the place of an encoded segment of `bytes` bytes when those before have told theirs, by a warp.
/// `offset` becomes that of its bytes, or nowhere. Its own size has been told, or will be by this. Where a
/// segment has no room although its size is known, job.failed is set if there is such a place.
template <class Warp>
FLOE_DEVICE void place_told_segment(Warp& warp, const EncodeColumnsJob& job, const EncodeTarget& to,
                                    std::uint32_t ticket, std::uint64_t bytes, std::uint64_t& offset) {
  const std::uint64_t all = room_of_segment(to, bytes),
                      before = ticket == to.first_ticket ? 0
                                                         : bytes_before(warp, job.states, to.first_ticket,
                                                                        ticket, [] { return false; });
  if (warp.lane() != 0) return;
  write_state(job.states + ticket, OffsetState::inclusive | (before + all));
  const bool fits = to.tree != nullptr && before + all <= to.out_bytes;
  offset = fits ? before + to.lead_bytes : nowhere;
  *to.entry = {before + to.lead_bytes, fits ? static_cast<std::uint32_t>(bytes) : 0, to.words.count};
  if (!fits && job.failed != nullptr) {
    set_word(job.failed, 1);
  } else if (!fits) {
    report_encode_failure(*to.result,
                          to.tree == nullptr ? ErrorCode::invalid_argument : ErrorCode::output_too_small);
  }
  if (to.is_last) to.result->bytes = before + all;
}

/// Both at once.
template <class Warp>
FLOE_DEVICE void place_segment(Warp& warp, const EncodeColumnsJob& job, const EncodeTarget& to,
                               std::uint32_t ticket, std::uint64_t bytes, std::uint64_t& offset) {
  if (warp.lane() == 0 && ticket != to.first_ticket) tell_size(job, to, ticket, bytes);
  place_told_segment(warp, job, to, ticket, bytes, offset);
}

/// Encodes the segment of a ticket; calls take_next() by one thread while its bytes are gathered.
template <class Block, class TakeNext>
FLOE_DEVICE void encode_ticket(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket,
                               std::uint8_t* scratch, const TakeNext& take_next) {
  EncodeMemory& memory = block.memory();
  const EncodeTarget& to = memory.target;
  if (block.rank() == 0) {
    find_target(job, ticket, memory.target);
    if (to.tree != nullptr && to.tree != memory.plan_bytes) {
      read_encode_plan(to.tree, memory.plan);
      memory.plan_bytes = to.tree;
    }
  }
  block.sync();
  std::uint64_t bytes = 0;
  if (to.tree != nullptr && to.words.count > 0) bytes = encode_pieces(block, to.words, scratch);
  const bool exists = to.words.count > 0;  // arrays without elements have a ticket, too
  if (block.warp_index() == 0 && exists) place_segment(block.warp(), job, to, ticket, bytes, memory.offset);
  block.sync();
  const std::uint64_t offset = exists ? memory.offset : nowhere;
  if (block.rank() == 0) take_next();
  if (offset != nowhere) {
    std::uint8_t* const out = to.out + offset;
    gather_pieces(block, out);
    if (block.rank() < (16 - bytes % 16) % 16) out[bytes + block.rank()] = 0;
  }
  block.sync();
}

}  // namespace floe::gpu
