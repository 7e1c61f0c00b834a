// The position of a block in a tree that it encodes: frames of nodes whose children are being encoded.
#pragma once

#include "gpu/encode/encode_dict.hpp"
#include "gpu/encode/encode_grid.hpp"
#include "gpu/encode/encode_streams.hpp"

namespace floe::gpu {

FLOE_HD constexpr bool is_plain_delta(EncodingId id, std::uint32_t stride) {
  return id == EncodingId::delta && stride == 1;
}
FLOE_HD constexpr bool is_map(EncodingId id) {
  return id == EncodingId::decimal || id == EncodingId::sortable || id == EncodingId::int_mult;
}

/// How many nodes of a plan, from `node` on, are packed in one go: a map, a delta, the bitpack below.
FLOE_HD constexpr unsigned packed_nodes(const EncodePlan& plan, unsigned node) {
  const unsigned first = node;
  if (node < plan.count && is_map(static_cast<EncodingId>(plan.encoding[node]))) ++node;
  if (node < plan.count &&
      is_plain_delta(static_cast<EncodingId>(plan.encoding[node]), plan.parameter[node][1]))
    ++node;
  return node < plan.count && static_cast<EncodingId>(plan.encoding[node]) == EncodingId::bitpack
             ? node + 1 - first
             : 0;
}

/// Whether the nodes that are encoded together find out themselves that all words are equal.
FLOE_HD constexpr bool finds_constants(const EncodePlan& plan, unsigned node, unsigned packed) {
  const auto id = static_cast<EncodingId>(plan.encoding[node]);
  return id == EncodingId::rle || (packed > 0 && id != EncodingId::int_mult && id != EncodingId::decimal);
}

FLOE_DEVICE HeaderWriter new_header(EncodeMemory& memory, std::uint32_t max_bytes) {
  return {memory.scratch.take(max_bytes), 0};
}

FLOE_DEVICE EncodeFrame& push_frame(EncodeMemory& memory, EncodingId id, std::uint32_t a, std::uint32_t b) {
  EncodeFrame& frame = memory.frames[memory.frame_count++];
  frame.stream = memory.at;
  frame.first_byte = memory.bytes;
  frame.first_scratch = memory.scratch.used;
  frame.first_piece = static_cast<std::uint16_t>(memory.piece_count);
  frame.first_node = memory.out_plan.count;
  frame.children = static_cast<std::uint8_t>(trees::children_of(id, a));
  frame.next_child = 0;
  frame.child_node = static_cast<std::uint8_t>(memory.at_node + 1);
  memory.out_plan.put(id, a, b);
  return frame;
}

FLOE_DEVICE void put_raw(EncodeMemory& memory, const EncodeStream& stream) {
  memory.out_plan.put(EncodingId::raw, 0, 0);
  put_piece(memory, stream.words, std::uint64_t{stream.count} * word_bytes(stream.type));
}

FLOE_DEVICE void put_constant(EncodeMemory& memory, std::uint64_t word, unsigned bytes) {
  memory.out_plan.put(EncodingId::constant, 0, 0);
  HeaderWriter header = new_header(memory, 8);
  header.put_word(word, bytes);
  put_piece(memory, header);
}

/// The first word of a stream of which all words are equal.
FLOE_DEVICE void put_constant(EncodeMemory& memory, const EncodeStream& stream) {
  const unsigned width = word_bytes(stream.type);
  put_constant(memory, load_bits(stream.words, 0, 8 * width), width);
}

/// Undoes what a frame has done, and puts its words there.
FLOE_DEVICE void give_up_frame(EncodeMemory& memory, const EncodeFrame& frame) {
  memory.bytes = frame.first_byte;
  memory.piece_count = frame.first_piece;
  memory.scratch.used = frame.first_scratch;
  memory.out_plan.count = frame.first_node;
  put_raw(memory, frame.stream);
}

/// Goes on to the next stream. False if there is none.
FLOE_DEVICE bool next_stream(EncodeMemory& memory) {
  while (memory.frame_count > 0) {
    EncodeFrame& frame = memory.frames[memory.frame_count - 1];
    if (frame.next_child < frame.children) {
      memory.at = frame.child[frame.next_child++];
      memory.at_node = frame.child_node;
      frame.child_node = memory.plan.next[frame.child_node];
      return true;
    }
    --memory.frame_count;
    const EncodeFrame done = frame;
    if (memory.bytes - done.first_byte > std::uint64_t{done.stream.count} * word_bytes(done.stream.type))
      give_up_frame(memory, done);
  }
  return false;
}

}  // namespace floe::gpu
