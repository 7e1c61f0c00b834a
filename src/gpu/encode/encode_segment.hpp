// Encodes a segment with a block: the tree first; then its bytes, which lie in pieces, are gathered.
#pragma once

#include "gpu/encode/encode_tree.hpp"
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
        copy_by_warp(block.warp(), out + packed.offset, slot + slot_head - (packed.size >> 24),
                     packed.size & 0xFFFFFF);
      }
    }
    turn -= copies;
    out += piece.bytes;
  }
}

}  // namespace floe::gpu
