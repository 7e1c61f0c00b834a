// How does a team decode a segment? Part by part: the tree is opened, then its streams are made, children
// first.
#pragma once

#include "gpu/decode/open_part.hpp"
#include "gpu/decode/run_chain.hpp"
#include "gpu/decode/run_nodes.hpp"
#include "gpu/unpack/walk_vectors.hpp"

namespace floe::series_cuda {

/// True for all threads if something went wrong. Begins with a barrier; before the next one no thread may
/// find a failure.
template <class Team>
FLOE_DEVICE bool has_failed(Team& team, const TeamMemory& memory) {
  team.sync();
  return memory.code != 0;
}

/// Calls work(word) with a word of `bytes` bytes.
template <class Work>
FLOE_DEVICE void with_width(unsigned bytes, const Work& work) {
  if (bytes == 8) return work(std::uint64_t{});
  if (bytes == 4) return work(std::uint32_t{});
  if (bytes == 2) return work(std::uint16_t{});
  work(std::uint8_t{});
}

/// Finds the vectors of the chain's payload, by one warp of a team.
template <class Team>
FLOE_DEVICE_CALL void find_vectors(Team& team, const std::uint8_t* bytes) {
  TeamMemory& memory = team.memory();
  const Chain& chain = memory.chain;
  const Payload payload{bytes, chain.node->at, chain.node->end, chain.count, chain.word_bytes};
  const std::uint32_t code = walk_vectors(team.warp(), payload, memory.vector_places, memory.tiles[0]);
  if (code != 0 && team.rank() == 0) memory.code = code;
}

/// Finds what a chain's source must know before the first tile. Called by all threads, after a barrier. True
/// for all if that went wrong.
template <class Team>
FLOE_DEVICE bool prepare_source(Team& team, const std::uint8_t* bytes) {
  TeamMemory& memory = team.memory();
  const Chain& chain = memory.chain;
  const Node& node = *chain.node;
  if (chain.source == SourceKind::runs) {
    prepare_runs(team, node);
  } else if (chain.source == SourceKind::vectors && node.table == nullptr) {
    if (team.warp_index() == 0) find_vectors(team, bytes);
    team.sync();
  } else {
    return false;
  }
  const bool failed = memory.code != 0;
  team.sync();
  return failed;
}

/// Makes the words of stream `index`, whose children are made. Called by all threads.
template <class Team>
FLOE_DEVICE_CALL void make_stream(Team& team, unsigned index, const std::uint8_t* bytes) {
  TeamMemory& memory = team.memory();
  const Node& node = memory.nodes[index];
  if (node.encoding == EncodingId::stride_split) {
    with_width(word_bytes(node.type), [&]<class W>(W) { join_strides<W>(team, node); });
  } else if (node.encoding == EncodingId::divide) {
    with_width(word_bytes(node.type), [&]<class W>(W) { join_quotients<W>(team, node); });
  } else if (node.encoding == EncodingId::delta && !is_plain_delta(node)) {
    with_width(word_bytes(node.type), [&]<class W>(W) { sum_strides<W>(team, node, bytes); });
  } else {
    if (team.rank() == 0) build_chain(team, index, bytes);
    team.sync();
    if (prepare_source(team, bytes)) return;
    run_chain(team, bytes);
    if (node.encoding == EncodingId::sparse) put_exceptions(team, node, 0);
    if (node.encoding == EncodingId::decimal && node.number[0] > 0) put_exceptions(team, node, 1);
  }
  if (is_run_length(memory, index) && !sums_while_made(node)) {
    team.sync();
    if (team.rank() == 0) build_sum(team, index, bytes);
    team.sync();
    run_chain(team, bytes);
  }
}

/// Takes over a part that open_for_team has opened. Called by all threads.
template <class Team>
FLOE_DEVICE void adopt_part(Team& team, const std::uint8_t* opened, std::uint8_t* out, std::uint64_t shift) {
  TeamMemory& memory = team.memory();
  auto* const to = reinterpret_cast<std::uint8_t*>(static_cast<OpenedPart*>(&memory));
  for (std::uint32_t i = 8 * team.rank(); i < opened_bytes; i += 8 * team.size())
    cuda::store_aligned(to + i, cuda::load_aligned<std::uint64_t>(opened + i));
  team.sync();
  if (team.rank() == 0 && memory.plan_count > 0) store_word(memory.plan_places, 0, memory.first_plan);
  if (team.rank() >= memory.node_count) return;
  Node& node = memory.nodes[team.rank()];
  if (node.table != nullptr && node.encoding != EncodingId::bitpack) node.table += shift;
  if (node.words != nullptr) node.words = team.rank() == 0 ? out : node.words + shift;
}

/// Decodes the `count` words of the segment at `bytes`, which is a multiple of 16, to `out`, which is one of
/// their size. `scratch` is memory for streams. `opened` is what open_for_team has made of the segment, with
/// memory that lies `shift` bytes before `scratch`; or null. Called by all threads of a team, none of which
/// uses the team's memory any more; returns an ErrorCode, the same to all. After a failure the words are
/// unspecified.
template <class Team>
FLOE_DEVICE std::uint32_t decode_segment(Team& team, const std::uint8_t* bytes, std::uint32_t size,
                                         DType type, std::uint32_t count, std::uint8_t* out,
                                         ScratchMemory scratch, const std::uint8_t* opened = nullptr,
                                         std::uint64_t shift = 0) {
  TeamMemory& memory = team.memory();
  const SegmentScratch own(scratch, count);
  if (!own.is_there()) return static_cast<std::uint32_t>(ErrorCode::out_of_memory);
  const auto open_next = [&] {
    ScratchMemory rest = own.rest;
    memory.code = open_part(bytes, size, type, out, rest, memory.plan_places, memory);
  };
  if (team.rank() == 0) {
    memory.plan_places = own.plan_places;
    memory.vector_places = own.vector_places;
  }
  if (opened != nullptr && cuda::word32(opened + offsetof(OpenedPart, code), 0) != not_opened) {
    adopt_part(team, opened, out, shift);
  } else if (team.rank() == 0) {
    memory.code = begin_segment(bytes, size, count, memory);
    if (memory.code == 0) open_next();
  }
  while (!has_failed(team, memory)) {
    for (unsigned index = memory.node_count; index-- > 0;) {
      if (!memory.nodes[index].is_stream || memory.nodes[index].count == 0) continue;
      make_stream(team, index, bytes);
      if (has_failed(team, memory)) break;
    }
    const bool is_last = memory.parts_left == 0;
    out += std::uint64_t{memory.part_words} * word_bytes(type);
    if (is_last || memory.code != 0) break;
    team.sync();
    if (team.rank() == 0) open_next();
  }
  return memory.code;
}

}  // namespace floe::series_cuda
