// Encodes a segment with a block. The tree first; then its bytes, which lie in pieces in the scratch, are
// gathered where the segment goes.
#pragma once

#include "gpu/encode/encode_tree.hpp"

namespace floe::gpu {

/// Reads a plan as segments have it, by one thread. Precondition: it was written by trees::write_plan and
/// has no encoding that devices lack.
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

inline constexpr std::uint32_t max_tree_header_bytes = 2 + 11 * max_nodes;

/// The head of the segment: it has one part, whose plan follows. By one thread.
FLOE_DEVICE void put_segment_head(EncodeMemory& memory, EncodePiece& head) {
  HeaderWriter writer = new_header(memory, max_tree_header_bytes);
  writer.put_byte(1);
  writer.put_byte(0);
  const EncodePlan& plan = memory.out_plan;
  for (unsigned node = 0; node < plan.count; ++node) {
    writer.put_byte(plan.encoding[node]);
    for (unsigned i = 0; i < trees::parameters_of(plan.id(node)); ++i)
      writer.put_varint(plan.parameter[node][i]);
  }
  head = {writer.to, writer.size, 0, 0};
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
  if (block.rank() == 0) put_segment_head(memory, memory.pieces[0]);
  block.sync();
  return memory.bytes;
}

using Quad = Vector<std::uint32_t>;

/// Copies `count` times 16 bytes, from `skip` words and `bits` bits behind a multiple of 16 on to a multiple
/// of 16. Not both are 0.
template <unsigned skip, class Warp>
FLOE_DEVICE void copy_shifted(Warp& warp, std::uint8_t* to, const std::uint8_t* from, std::uint32_t count,
                              unsigned bits) {
  constexpr unsigned batch = 4;
  const unsigned lane = warp.lane();
  FLOE_NO_UNROLL
  for (std::uint32_t first = 0; first < count; first += batch * warp_lanes) {
    Quad own[batch] = {}, behind[batch] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes + lane;
      if (i <= count) own[k] = load_aligned<Quad>(from + 16 * std::uint64_t{i});
      if (lane == warp_lanes - 1 && i < count)
        behind[k] = load_aligned<Quad>(from + 16 * (std::uint64_t{i} + 1));
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes + lane;
      std::uint32_t word[8] = {own[k].word[0], own[k].word[1], own[k].word[2], own[k].word[3]};
      FLOE_UNROLL
      for (unsigned next = 0; next <= skip; ++next) {
        const std::uint32_t of_next_lane = warp.shuffle_down(own[k].word[next], 1);
        word[4 + next] = lane == warp_lanes - 1 ? behind[k].word[next] : of_next_lane;
      }
      Quad out;
      FLOE_UNROLL
      for (unsigned j = 0; j < 4; ++j) out.word[j] = funnel_right(word[skip + j], word[skip + j + 1], bits);
      if (i < count) store_aligned(to + 16 * std::uint64_t{i}, out);
    }
  }
}

/// Copies bytes from any address to any other, by a warp. Reads no others: up to 31 bytes at either end go
/// one by one, so that what lies between comes from multiples of 16 that are wholly asked for.
template <class Warp>
FLOE_DEVICE_CALL void copy_by_warp(Warp& warp, std::uint8_t* to, const std::uint8_t* from,
                                   std::uint32_t bytes) {
  auto head = static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(to) % 16) % 16);
  const auto misplaced = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from + head) % 16);
  if (misplaced > head) head += 16;
  if (bytes < head + 32) {
    for (std::uint32_t i = warp.lane(); i < bytes; i += warp_lanes) to[i] = from[i];
    return;
  }
  std::uint32_t count = (bytes - head) / 16, tail = (bytes - head) % 16;
  if (misplaced > 0 && 16 - misplaced > tail) {
    --count;
    tail += 16;
  }
  if (warp.lane() < head) to[warp.lane()] = from[warp.lane()];
  if (warp.lane() < tail) to[bytes - tail + warp.lane()] = from[bytes - tail + warp.lane()];
  to += head;
  const std::uint8_t* const aligned = from + head - misplaced;
  const unsigned bits = 8 * (misplaced % 4);
  if (misplaced == 0) {
    FLOE_UNROLL_BY(4)
    for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes)
      store_aligned(to + 16 * std::uint64_t{i}, load_aligned<Quad>(aligned + 16 * std::uint64_t{i}));
  } else if (misplaced < 4) {
    copy_shifted<0>(warp, to, aligned, count, bits);
  } else if (misplaced < 8) {
    copy_shifted<1>(warp, to, aligned, count, bits);
  } else if (misplaced < 12) {
    copy_shifted<2>(warp, to, aligned, count, bits);
  } else {
    copy_shifted<3>(warp, to, aligned, count, bits);
  }
}

/// Of a piece, by a warp at a time.
inline constexpr std::uint32_t copied_bytes = 8192;

/// Writes the pieces of a segment one behind the other. Warps take what is copied in one go, whatever piece
/// it is of, in turn.
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
        copy_by_warp(block.warp(), out + packed.offset, slot + slot_head - (packed.size >> 24),
                     packed.size & 0xFFFFFF);
      }
    }
    turn -= copies;
    out += piece.bytes;
  }
}

}  // namespace floe::gpu
