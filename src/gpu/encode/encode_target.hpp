// Encodes the segment of a ticket with a block: the tree first; then its bytes, which lie in pieces, are
// gathered where they go, which is known when the segments before have published their sizes: the block may
// encode the next one meanwhile.
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

/// The header of the segment: it has one part, whose plan follows. By one thread.
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
    memory.pieces = reinterpret_cast<EncodePiece*>(memory.scratch.take(max_pieces * sizeof(EncodePiece)));
    memory.out_plan.count = 0;
    memory.piece_count = 1;  // the header comes last
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
FLOE_DEVICE void gather_pieces(Block& block, const EncodePiece* pieces, std::uint32_t count,
                               std::uint8_t* out) {
  const unsigned warps = block.warp_count();
  std::uint32_t turn = block.warp_index();  // of this warp's next copy, counted from the beginning of a piece
  EncodePiece next = pieces[0];
  for (unsigned i = 0; i < count; ++i) {
    const EncodePiece piece = next;
    if (i + 1 < count) next = pieces[i + 1];
    const auto* const in_slots = reinterpret_cast<const BlocksInSlots*>(piece.from);
    const bool is_of_blocks = piece.vectors == EncodePiece::of_blocks;
    const std::uint32_t copies = piece.vectors == 0 ? (piece.bytes + copied_bytes - 1) / copied_bytes
                                 : is_of_blocks     ? in_slots->coded.count()
                                                    : piece.vectors;
    for (; turn < copies; turn += warps) {
      if (is_of_blocks) {
        put_coded_block(block.warp(), in_slots->coded, BlockSlots(in_slots->slots, piece.word_bytes), turn,
                        out - in_slots->coded.starts[0]);
      } else if (piece.vectors == 0) {
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
  const std::uint32_t entry_index = job.items != nullptr ? ticket : segment;
  to.entry = column.segments + entry_index;
  to.facts = column.facts == nullptr ? nullptr : column.facts + entry_index;
  to.checksums = column.checksums;
  to.tree = tree_of(job, column, segment);
  to.lead_bytes = column.lead_bytes;
}

/// Bytes of an encoded segment with its padding and what stands before it.
FLOE_DEVICE std::uint64_t room_of_segment(const EncodeTarget& to, std::uint64_t bytes) {
  return (bytes + 15) / 16 * 16 + to.lead_bytes;
}

/// Publishes the size of an encoded segment, which has no position yet. By one thread.
FLOE_DEVICE void publish_size(const EncodeColumnsJob& job, const EncodeTarget& to, std::uint32_t ticket,
                              std::uint64_t bytes) {
  write_state(job.states + ticket, OffsetState::aggregate | room_of_segment(to, bytes));
}

/// Finds the position of an encoded segment of `bytes` bytes when those before have published theirs, by a
/// warp. `offset` becomes that of its bytes, or nowhere. Its own size has been published, or will be by this.
/// Where a segment has no room although its size is known, job.failed is set if there is such a position.
template <class Warp>
FLOE_DEVICE void place_published_segment(Warp& warp, const EncodeColumnsJob& job, const EncodeTarget& to,
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

/// Makes the pieces of the segment of a ticket, and publishes its size. Called by all threads.
template <class Block>
FLOE_DEVICE void encode_ticket(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket,
                               std::uint8_t* scratch) {
  EncodeMemory& memory = block.memory();
  EncodedSegment& now = memory.now;
  if (block.rank() == 0) {
    now = {};
    now.ticket = ticket;
    find_target(job, ticket, now.target);
    const std::uint8_t* const tree = now.target.tree;
    if (tree != nullptr && tree != memory.plan_bytes) {
      read_encode_plan(tree, memory.plan);
      memory.plan_bytes = tree;
    }
  }
  block.sync();
  const EncodeStream words = now.target.words;
  if (words.count == 0) return;  // arrays without elements have a ticket, too
  if (now.target.tree != nullptr) {
    const std::uint64_t bytes = encode_pieces(block, words, scratch);
    if (block.rank() == 0) {
      now.bytes = bytes;
      now.pieces = memory.pieces;
      now.piece_count = memory.piece_count;
    }
  }
  if (block.rank() == 0) publish_size(job, now.target, ticket, now.bytes);
}

/// Gathers the bytes of an encoded segment, and finds its digest if that is asked for. Called by all threads.
template <class Block>
FLOE_DEVICE_CALL void put_encoded(Block& block, const EncodedSegment& segment, std::uint8_t* out) {
  const std::uint64_t bytes = segment.bytes;
  gather_pieces(block, segment.pieces, segment.piece_count, out);
  if (block.rank() < (16 - bytes % 16) % 16) out[bytes + block.rank()] = 0;
  if (!segment.has_range) return;
  block.sync();
  const std::uint64_t digest =
      stream_digest(block, block.memory().bases[0], out, bytes, segment.target.checksums);
  if (block.rank() == 0) segment.target.facts->digest = digest;
  if (block.rank() == 0) segment.target.facts->is_known = 1;
}

/// Puts the segment of memory.before to its position. Begins and ends with a barrier.
template <class Block>
FLOE_DEVICE void place_encoded(Block& block, const EncodeColumnsJob& job) {
  EncodeMemory& memory = block.memory();
  const EncodedSegment& segment = memory.before;
  block.sync();
  const std::uint64_t bytes = segment.bytes;
  if (block.warp_index() == 0)
    place_published_segment(block.warp(), job, segment.target, segment.ticket, bytes, memory.offset);
  block.sync();
  if (memory.offset != nowhere && bytes > 0) put_encoded(block, segment, segment.target.out + memory.offset);
  block.sync();
}

/// Before the bytes of a parked segment stands their number.
inline constexpr std::uint32_t parked_header_bytes = 16;
FLOE_DEVICE std::uint8_t* parked_segment(const EncodeColumnsJob& job, std::uint32_t ticket) {
  return job.parking + (ticket - job.first_ticket) * job.parked_bytes;
}

/// Parks the segment of memory.now. Begins with a barrier.
template <class Block>
FLOE_DEVICE void park_encoded(Block& block, const EncodeColumnsJob& job) {
  const EncodedSegment& segment = block.memory().now;
  block.sync();
  std::uint8_t* const to = parked_segment(job, segment.ticket);
  if (block.rank() == 0) store_word(to, 0, segment.bytes);
  if (segment.bytes > 0) put_encoded(block, segment, to + parked_header_bytes);
}

/// Puts a parked segment to its position. Those before are parked, or have their positions. `target` and
/// `offset` are shared by the block.
template <class Block>
FLOE_DEVICE void place_parked(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket,
                              EncodeTarget& target, std::uint64_t& offset) {
  const std::uint8_t* from = parked_segment(job, ticket);
  const auto bytes = load_aligned<std::uint64_t>(from);
  if (block.rank() == 0) find_target(job, ticket, target);
  block.sync();
  if (block.warp_index() == 0) place_published_segment(block.warp(), job, target, ticket, bytes, offset);
  block.sync();
  if (offset == nowhere) return;
  std::uint8_t* const out = target.out + offset;
  const std::uint64_t all = (bytes + 15) / 16 * 16;
  from += parked_header_bytes;
  for (std::uint64_t at = block.warp_index() * std::uint64_t{copied_bytes}; at < all;
       at += block.warp_count() * std::uint64_t{copied_bytes})
    copy_by_warp(block.warp(), out + at, from + at,
                 static_cast<std::uint32_t>(all - at < copied_bytes ? all - at : copied_bytes));
}

/// Encodes segments with a block. take_ticket() is called by one thread; tickets from `end` on are none.
template <class Block, class TakeTicket>
FLOE_DEVICE void encode_segments(Block& block, const EncodeColumnsJob& job, std::uint32_t end,
                                 std::uint8_t* scratch, const TakeTicket& take_ticket) {
  EncodeMemory& memory = block.memory();
  bool waits = false;
  for (unsigned turn = 0;; turn ^= 1) {
    block.sync();
    if (block.rank() == 0) memory.ticket = take_ticket();
    block.sync();
    const std::uint32_t ticket = memory.ticket;
    if (ticket < end) encode_ticket(block, job, ticket, scratch + turn * (job.scratch_bytes / 2));
    if (job.parking != nullptr) {
      if (ticket >= end) return;
      park_encoded(block, job);
      turn = 1;
      continue;
    }
    if (waits) place_encoded(block, job);
    if (ticket >= end) return;
    block.sync();
    if (block.rank() == 0) memory.before = memory.now;
    waits = memory.now.target.words.count > 0;
    if (job.has_two_parts) continue;
    turn = 1;
    if (waits) place_encoded(block, job);
    waits = false;
  }
}

}  // namespace floe::gpu
