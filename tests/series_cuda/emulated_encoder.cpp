// Runs the encoder of devices by an emulated block. Compiled once: it has the code of every type and every
// encoding.
#include "tests/series_cuda/emulated_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "gpu/encode/encode_limits.hpp"
#include "gpu/encode/encode_target.hpp"
#include "tests/support/emulated_block.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {

std::vector<std::uint8_t> encode_emulated(const trees::Plan& plan, const Column& column, unsigned warps) {
  const PaddedBytes words(column.bytes);
  static const auto memory = std::make_unique<gpu::EncodeMemory>();
  const gpu::EncodeNeeds needs =
      gpu::encode_needs(gpu::encode_plan_of(plan), column.type, column.count(), true);
  const PaddedBytes scratch(needs.scratch_bytes);
  // Tables of blocks of few warps are smaller.
  constexpr auto all_tile_bytes =
      static_cast<std::uint32_t>(sizeof memory->tiles + sizeof memory->more_tiles);
  memory->tile_bytes = warps < gpu::max_encode_warps ? sizeof memory->tiles / 2 : all_tile_bytes;
  trees::ByteWriter plan_bytes;
  write_plan(plan, plan_bytes);
  std::vector<std::uint8_t> out;
  const auto encode = [&](auto& block) {
    if (block.rank() == 0) gpu::read_encode_plan(plan_bytes.bytes().data(), memory->plan);
    const std::uint64_t bytes = gpu::encode_pieces(
        block, {words.data(), static_cast<std::uint32_t>(column.count()), column.type}, scratch.data());
    if (block.rank() == 0) out.resize(bytes);
    block.sync();
    gpu::gather_pieces(block, memory->pieces, memory->piece_count, out.data());
  };
  EmulatedBlock<gpu::EncodeMemory>::run(warps, *memory, encode);
  EXPECT_LE(memory->scratch.used, scratch.size() / (needs.has_two_parts ? 2 : 1));
  return out;
}

void encode_items_emulated(const gpu::CompressJob& job, const trees::Plan& plan, std::uint32_t segment_words,
                           bool parks) {
  static const auto memory = std::make_unique<gpu::EncodeMemory>();
  const DType type = word_type(job.dtype);
  const gpu::EncodeNeeds needs_of_blocks =
      gpu::encode_needs(gpu::encode_plan_of(plan), type, segment_words, true);
  const PaddedBytes scratch(needs_of_blocks.scratch_bytes);
  std::vector<std::uint64_t> states(job.counters->unit_count);
  gpu::EncodeTrees trees;
  trees::ByteWriter plan_bytes;
  write_plan(plan, plan_bytes);
  std::copy(plan_bytes.bytes().begin(), plan_bytes.bytes().end(), trees.bytes);
  gpu::EncodeColumnsJob encoding;
  encoding.trees = &trees;
  encoding.states = states.data();
  encoding.items = job.items;
  encoding.item_count = job.item_count;
  encoding.header_bytes = job.rules.header_bytes;
  encoding.encoded = job.encoded;
  gpu::EncodeColumn& like = encoding.column[0];
  like.segments = job.streams;
  like.segment_words = segment_words;
  like.tree_count = 1;
  like.lead_bytes = container::array_segment_header_bytes;
  like.type = type;
  like.facts = job.facts;
  like.checksums = job.rules.checksums;
  const gpu::EncodeNeeds needs = gpu::encode_needs(gpu::encode_plan_of(plan), type, segment_words);
  const bool is_packed = needs.packs_entropy && (!needs.can_fail || needs.is_stored || needs.is_divided);
  if (is_packed && pack_items_emulated(encoding, job.counters->unit_count, needs)) return;
  std::fill(states.begin(), states.end(), 0);
  memory->plan_bytes = nullptr;
  encoding.scratch_bytes = needs_of_blocks.scratch_bytes;
  encoding.has_two_parts = needs_of_blocks.has_two_parts;
  encoding.parked_bytes = core::align_up(
      gpu::parked_header_bytes +
          cuda::encoded_column_bound(segment_words, segment_words, static_cast<std::uint32_t>(size_of(type))),
      16);
  PaddedBytes parking(parks ? job.counters->unit_count * encoding.parked_bytes : 0);
  if (parks) encoding.parking = parking.data();
  memory->before = {};
  // Warps of the block run one after the other between barriers.
  constexpr unsigned warps = 4;
  std::uint32_t next = 0;
  EmulatedBlock<gpu::EncodeMemory>::run(warps, *memory, [&](auto& block) {
    gpu::encode_segments(block, encoding, job.counters->unit_count, scratch.data(), [&] { return next++; });
    for (std::uint32_t left = parks ? job.counters->unit_count : 0; left > 0; --left) {
      block.sync();
      gpu::place_parked(block, encoding, left - 1, memory->now.target, memory->offset);
    }
  });
}

void expect_bytes(const std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& ours, DType type,
                  const std::string& what) {
  if (bytes == ours) return;
  std::size_t at = 0;
  while (at < bytes.size() && at < ours.size() && bytes[at] == ours[at]) ++at;
  FAIL() << what << ": byte " << at << " of " << bytes.size() << " (" << ours.size() << "), plan "
         << text_of(trees::plan_of(bytes, type).value());
}

void expect_same_bytes(const trees::Plan& plan, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(column.view());
  expect_bytes(bytes, encode_emulated(plan, column), column.type, what);
  for (const Way way : {Way::read_again, Way::read_ahead, Way::held_by_clusters}) {
    const std::vector<std::uint8_t> packed = pack_emulated(plan, column, way);
    if (!packed.empty())
      expect_bytes(bytes, packed, column.type,
                   what + ", packed straight to its position, way " + std::to_string(int(way)));
  }
}

}  // namespace floe::test
