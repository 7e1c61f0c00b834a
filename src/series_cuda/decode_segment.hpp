// How does a team decode a segment? Part by part: the tree is opened, then its streams are made, children first.
#pragma once

#include "series_cuda/run_chain.hpp"
#include "series_cuda/run_nodes.hpp"

namespace floe::series_cuda {

/// True for all threads if something went wrong. Contains barriers.
template <class Team>
FLOE_DEVICE bool has_failed(Team& team, const TeamMemory& memory) {
  team.sync();
  const bool failed = memory.code != 0;
  team.sync();
  return failed;
}

/// Calls work(word) with a word of `bytes` bytes.
template <class Work>
FLOE_DEVICE void with_width(unsigned bytes, const Work& work) {
  if (bytes == 8) return work(std::uint64_t{});
  if (bytes == 4) return work(std::uint32_t{});
  if (bytes == 2) return work(std::uint16_t{});
  work(std::uint8_t{});
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
    if (memory.chain.source == SourceKind::runs) prepare_runs(team, *memory.chain.node);
    if (has_failed(team, memory)) return;
    run_chain(team, bytes);
    if (node.encoding == EncodingId::freq) put_exceptions(team, node, 0);
    if (node.encoding == EncodingId::decimal && node.number[0] > 0) put_exceptions(team, node, 1);
  }
  if (is_run_length(memory, index) && !sums_while_made(node)) {
    if (team.rank() == 0) build_sum(team, index, bytes);
    team.sync();
    run_chain(team, bytes);
  }
}

/// Reads the head of a segment by one thread. Returns an ErrorCode.
FLOE_DEVICE std::uint32_t begin_segment(const std::uint8_t* bytes, std::uint32_t size, std::uint32_t count, TeamMemory& memory) {
  HeaderReader reader{bytes, 0, size};
  const std::uint64_t parts = reader.get_varint();
  if (reader.failed || parts == 0 || parts > most_parts) return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  memory.parts_left = static_cast<std::uint32_t>(parts);
  memory.segment_at = reader.at;
  memory.words_left = count;
  memory.plan_count = 0;
  return 0;
}

/// Reads the head of the next part by one thread: its length and its plan, and opens its tree. `out` is where the part's words go.
template <class Team>
FLOE_DEVICE_CALL std::uint32_t open_part(Team& team, const std::uint8_t* bytes, std::uint32_t size, Type type, std::uint8_t* out) {
  TeamMemory& memory = team.memory();
  constexpr auto corrupt = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  HeaderReader reader{bytes, memory.segment_at, size};
  const bool is_last = --memory.parts_left == 0;
  const std::uint64_t words = is_last ? memory.words_left : reader.get_varint(), reference = reader.get_varint();
  if (reader.failed || words > memory.words_left || reference > memory.plan_count) return corrupt;
  memory.part_words = static_cast<std::uint32_t>(words);
  memory.words_left -= memory.part_words;
  HeaderReader plan{bytes, reference == 0 ? reader.at : cuda::word32(memory.plan_places, static_cast<std::uint32_t>(reference - 1)), size};
  if (reference == 0) store_word(memory.plan_places, memory.plan_count++, reader.at);
  if (!read_plan(plan, type, memory)) return corrupt;
  if (reference == 0) reader.at = plan.at;
  memory.segment_at = reader.at;
  if (words == 0) {
    memory.node_count = 0;
    return 0;
  }
  const std::uint32_t code = open_tree(reader, memory.part_words, out, memory);
  memory.segment_at = reader.at;
  return code;
}

/// Decodes the `count` words of the segment at `bytes`, which is a multiple of 16, to `out`, which is one of their size. `scratch` is
/// memory for streams. Called by all threads of a team, none of which uses the team's memory any more; returns an ErrorCode, the same to
/// all. After a failure the words are unspecified.
template <class Team>
FLOE_DEVICE std::uint32_t decode_segment(Team& team, const std::uint8_t* bytes, std::uint32_t size, Type type, std::uint32_t count,
                                         std::uint8_t* out, ScratchMemory scratch) {
  TeamMemory& memory = team.memory();
  std::uint8_t* const plan_places = scratch.take(4 * std::uint64_t{most_parts});
  if (team.rank() == 0) {
    memory.plan_places = plan_places;
    memory.scratch = scratch;
    memory.code = plan_places == nullptr ? static_cast<std::uint32_t>(ErrorCode::out_of_memory) : begin_segment(bytes, size, count, memory);
    if (memory.code == 0) memory.code = open_part(team, bytes, size, type, out);
  }
  while (!has_failed(team, memory)) {
    for (unsigned index = memory.node_count; index-- > 0;) {
      if (!memory.nodes[index].is_stream || memory.nodes[index].count == 0) continue;
      make_stream(team, index, bytes);
      if (has_failed(team, memory)) break;
    }
    const bool is_last = memory.parts_left == 0;
    out += std::uint64_t{memory.part_words} * word_bytes(type);
    if (has_failed(team, memory) || is_last) break;
    if (team.rank() == 0) {
      memory.scratch = scratch;
      memory.code = open_part(team, bytes, size, type, out);
    }
  }
  const std::uint32_t code = memory.code;
  team.sync();
  return code;
}

}  // namespace floe::series_cuda
