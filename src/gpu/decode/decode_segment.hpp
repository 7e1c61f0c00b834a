// Decodes a segment with a block, part by part: the tree is opened, then its streams are made, children
// first.
#pragma once

#include "gpu/decode/join_floats.hpp"
#include "gpu/decode/open_part.hpp"
#include "gpu/decode/run_chain.hpp"
#include "gpu/decode/run_nodes.hpp"
#include "gpu/decode/segment_target.hpp"
#include "gpu/entropy/decode_entropy.hpp"
#include "gpu/frames/segment_facts.hpp"
#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/walk_vectors.hpp"

namespace floe::gpu {

/// True for all threads if something went wrong. Begins with a barrier; until the next one nothing may fail.
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
  const std::uint32_t code = walk_vectors(block.warp(), payload, memory.vector_entries, memory.tiles[0]);
  if (code != 0 && block.rank() == 0) memory.code = code;
}

/// Finds what a chain's source must know before the first tile, after a barrier. True for all if that failed.
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

static_assert(entropy_room(column_warps) <= column_warps * tile_bytes);

/// Makes the words of a leaf of entropy, with the memory of tiles.
template <class Block>
FLOE_DEVICE void decode_entropy(Block& block, const Node& node, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const EntropyPayload payload{bytes, node.at, node.end, node.count};
  with_word_of(word_bytes(node.type), [&]<class W>(W) {
    if (!decode_entropy<W>(block, payload, node.encoding == EncodingId::multi_entropy, memory.tiles[0],
                           node.words))
      memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  });
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
  } else if (node.encoding == EncodingId::entropy || node.encoding == EncodingId::multi_entropy) {
    decode_entropy(block, node, bytes);
  } else if (node.encoding == EncodingId::unique) {
    with_word_of(word_bytes(node.type), [&]<class W>(W) { look_up_unique<W>(block, node); });
  } else if (node.encoding == EncodingId::grid) {
    with_word_of(word_bytes(node.type), [&]<class W>(W) { join_grid<W>(block, node); });
    if (memory.nodes[node.child[2]].count > 0) put_exceptions(block, node, 2);
  } else if (node.encoding == EncodingId::affine) {
    join_lines(block, node, bytes);
    if (memory.nodes[node.child[3]].count > 0) put_exceptions(block, node, 3);
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
  if (block.rank() == 0 && memory.plan_count > 0) store_word(memory.plan_offsets, 0, memory.first_plan);
  if (block.rank() >= memory.node_count) return;
  Node& node = memory.nodes[block.rank()];
  if (node.table != nullptr && node.encoding != EncodingId::bitpack) node.table += shift;
  if (node.words != nullptr) node.words = block.rank() == 0 ? out : node.words + shift;
}

/// Decodes the `count` words of the segment at `bytes`, a multiple of 16, to `out`, one of their size.
/// `opened` is what open_for_block has made of it, with memory `shift` bytes before `scratch`; or null.
/// Called by all threads, none of which uses the block's memory any more; returns an ErrorCode to all. After
/// a failure the words are unspecified.
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
    memory.code = open_part(bytes, size, type, out, rest, memory.plan_offsets, memory);
  };
  if (block.rank() == 0) {
    memory.plan_offsets = own.plan_offsets;
    memory.vector_entries = own.vector_entries;
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

/// Copies bytes of which a block made more than are wanted; from nowhere come zeros.
template <class Block>
FLOE_DEVICE void copy_words(Block& block, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes,
                            unsigned width) {
  with_word_of(width, [&]<class W>(W) {
    for (std::uint64_t i = block.rank(); i < bytes / sizeof(W); i += block.size())
      store_word(to, i, from == nullptr ? W{0} : load_aligned<W>(from + i * sizeof(W)));
  });
}

/// Whether a stream that its decoder must verify has its digest. By all threads.
template <class Block>
FLOE_DEVICE_CALL bool has_its_digest(Block& block, const SegmentTarget& to) {
  block.sync();
  const bool has = stream_digest(block, reinterpret_cast<std::uint64_t*>(block.memory().tiles[0]), to.data,
                                 to.bytes, true) == to.digest;
  block.sync();
  return has;
}

/// Decodes a segment with the memory of block `number` of the launch.
template <class Block>
FLOE_DEVICE void decode_target(Block& block, const DecodeColumnsJob& job, std::uint32_t ticket,
                               std::uint32_t number) {
  const SegmentTarget to = target_of(job, ticket);
  if (to.words == 0 || to.check == StreamTask::damaged) return;
  const std::uint64_t shift = number * job.scratch_bytes;
  ScratchMemory scratch{job.scratch + shift, job.scratch_bytes, 0};
  std::uint8_t* const out = words_of_target(to, scratch);
  std::uint32_t code = to.fault;
  if (to.data != nullptr && to.check == StreamTask::by_decoder && !has_its_digest(block, to)) {
    code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  } else if (to.data != nullptr) {
    const std::uint8_t* const opened =
        ticket < job.opened_count ? job.opened + ticket * job.opened_bytes + OpenedRecord::part : nullptr;
    code = out == nullptr
               ? static_cast<std::uint32_t>(ErrorCode::out_of_memory)
               : decode_segment(block, to.data, to.bytes, to.type, to.words, out, scratch, opened, shift);
  }
  if (to.code != nullptr && block.rank() == 0) *to.code = code;
  const unsigned width = to.width();
  const std::uint64_t wanted = std::uint64_t{to.end - to.begin} * width;
  if (code != 0) {
    copy_words(block, to.wanted, nullptr, wanted, width);
    if (block.rank() == 0) report_failure(to, code);
  } else if (!to.is_whole()) {
    copy_words(block, to.wanted, out + std::uint64_t{to.begin} * width, wanted, width);
  }
}

/// Makes zeros of what a damaged stream became, whoever decoded it.
template <class Block>
FLOE_DEVICE void clear_if_damaged(Block& block, const DecodeColumnsJob& job, std::uint32_t ticket) {
  const SegmentTarget to = target_of(job, ticket);
  if (to.check != StreamTask::damaged) return;
  copy_words(block, to.wanted, nullptr, std::uint64_t{to.end - to.begin} * to.width(), to.width());
  if (block.rank() == 0) report_failure(to, static_cast<std::uint32_t>(ErrorCode::corrupt_frame));
}

}  // namespace floe::gpu
