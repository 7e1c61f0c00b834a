// Decodes a segment with a block. Part by part: the tree is opened, then its streams are made, children
// first.
#pragma once

#include "gpu/decode/open_part.hpp"
#include "gpu/decode/run_chain.hpp"
#include "gpu/decode/run_nodes.hpp"
#include "gpu/unpack/walk_vectors.hpp"

namespace floe::gpu {

/// True for all threads if something went wrong. Begins with a barrier; before the next one no thread may
/// find a failure.
template <class Block>
FLOE_DEVICE bool has_failed(Block& block, const DecodeMemory& memory) {
  block.sync();
  return memory.code != 0;
}

/// Finds the vectors of the chain's payload, by one warp of a block.
template <class Block>
FLOE_DEVICE_CALL void find_vectors(Block& block, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const Chain& chain = memory.chain;
  const Payload payload{bytes, chain.node->at, chain.node->end, chain.count, chain.word_bytes};
  const std::uint32_t code = walk_vectors(block.warp(), payload, memory.vector_places, memory.tiles[0]);
  if (code != 0 && block.rank() == 0) memory.code = code;
}

/// Finds what a chain's source must know before the first tile. Called by all threads, after a barrier. True
/// for all if that went wrong.
template <class Block>
FLOE_DEVICE bool prepare_source(Block& block, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const Chain& chain = memory.chain;
  const Node& node = *chain.node;
  if (chain.source == SourceKind::runs) {
    prepare_runs(block, node);
  } else if (chain.source == SourceKind::vectors && node.table == nullptr) {
    if (block.warp_index() == 0) find_vectors(block, bytes);
    block.sync();
  } else {
    return false;
  }
  const bool failed = memory.code != 0;
  block.sync();
  return failed;
}

/// Makes the words of stream `index`, whose children are made. Called by all threads.
template <class Block>
FLOE_DEVICE_CALL void make_stream(Block& block, unsigned index, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const Node& node = memory.nodes[index];
  if (node.encoding == EncodingId::stride_split) {
    with_word_of(word_bytes(node.type), [&]<class W>(W) { join_strides<W>(block, node); });
  } else if (node.encoding == EncodingId::divide) {
    with_word_of(word_bytes(node.type), [&]<class W>(W) { join_quotients<W>(block, node); });
  } else if (node.encoding == EncodingId::delta && !is_plain_delta(node)) {
    with_word_of(word_bytes(node.type), [&]<class W>(W) { sum_strides<W>(block, node, bytes); });
  } else {
    if (block.rank() == 0) build_chain(block, index, bytes);
    block.sync();
    if (prepare_source(block, bytes)) return;
    run_chain(block, bytes);
    if (node.encoding == EncodingId::sparse) put_exceptions(block, node, 0);
    if (node.encoding == EncodingId::decimal && node.number[0] > 0) put_exceptions(block, node, 1);
  }
  if (is_run_length(memory, index) && !sums_while_made(node)) {
    block.sync();
    if (block.rank() == 0) build_sum(block, index, bytes);
    block.sync();
    run_chain(block, bytes);
  }
}

/// Takes over a part that open_for_block has opened. Called by all threads.
template <class Block>
FLOE_DEVICE void adopt_part(Block& block, const std::uint8_t* opened, std::uint8_t* out,
                            std::uint64_t shift) {
  DecodeMemory& memory = block.memory();
  auto* const to = reinterpret_cast<std::uint8_t*>(static_cast<OpenedPart*>(&memory));
  for (std::uint32_t i = 8 * block.rank(); i < opened_bytes; i += 8 * block.size())
    store_aligned(to + i, load_aligned<std::uint64_t>(opened + i));
  block.sync();
  if (block.rank() == 0 && memory.plan_count > 0) store_word(memory.plan_places, 0, memory.first_plan);
  if (block.rank() >= memory.node_count) return;
  Node& node = memory.nodes[block.rank()];
  if (node.table != nullptr && node.encoding != EncodingId::bitpack) node.table += shift;
  if (node.words != nullptr) node.words = block.rank() == 0 ? out : node.words + shift;
}

/// Decodes the `count` words of the segment at `bytes`, which is a multiple of 16, to `out`, which is one of
/// their size. `scratch` is memory for streams. `opened` is what open_for_block has made of the segment, with
/// memory that lies `shift` bytes before `scratch`; or null. Called by all threads of a block, none of which
/// uses the block's memory any more; returns an ErrorCode, the same to all. After a failure the words are
/// unspecified.
template <class Block>
FLOE_DEVICE std::uint32_t decode_segment(Block& block, const std::uint8_t* bytes, std::uint32_t size,
                                         DType type, std::uint32_t count, std::uint8_t* out,
                                         ScratchMemory scratch, const std::uint8_t* opened = nullptr,
                                         std::uint64_t shift = 0) {
  DecodeMemory& memory = block.memory();
  const SegmentScratch own(scratch, count);
  if (!own.is_there()) return static_cast<std::uint32_t>(ErrorCode::out_of_memory);
  const auto open_next = [&] {
    ScratchMemory rest = own.rest;
    memory.code = open_part(bytes, size, type, out, rest, memory.plan_places, memory);
  };
  if (block.rank() == 0) {
    memory.plan_places = own.plan_places;
    memory.vector_places = own.vector_places;
  }
  if (opened != nullptr && word32(opened + offsetof(OpenedPart, code), 0) != not_opened) {
    adopt_part(block, opened, out, shift);
  } else if (block.rank() == 0) {
    memory.code = begin_segment(bytes, size, count, memory);
    if (memory.code == 0) open_next();
  }
  while (!has_failed(block, memory)) {
    for (unsigned index = memory.node_count; index-- > 0;) {
      if (!memory.nodes[index].is_stream || memory.nodes[index].count == 0) continue;
      make_stream(block, index, bytes);
      if (has_failed(block, memory)) break;
    }
    const bool is_last = memory.parts_left == 0;
    out += std::uint64_t{memory.part_words} * word_bytes(type);
    if (is_last || memory.code != 0) break;
    block.sync();
    if (block.rank() == 0) open_next();
  }
  return memory.code;
}

}  // namespace floe::gpu
