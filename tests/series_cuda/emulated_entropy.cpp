// Runs the packer of chains above a leaf of entropy by an emulated block. Compiled once: it has the code of
// every type.
#include <memory>

#include "gpu/encode/encode_limits.hpp"
#include "gpu/entropy/pack_entropy.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/support/emulated_block.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {

namespace {

template <gpu::PackedChains chains>
std::vector<std::uint8_t> pack_entropy_as(const trees::Plan& plan, const Column& column, unsigned warps) {
  const gpu::EncodePlan device_plan = gpu::encode_plan_of(plan);
  const DType type = word_type(column.type);
  const gpu::EncodeNeeds needs = gpu::encode_needs(device_plan, type, column.count());
  if (column.count() == 0 || !needs.packs_entropy) return {};
  using Memory = gpu::PackEntropyMemory<4>;
  static const auto memory = std::make_unique<Memory>();
  const PaddedBytes words(column.bytes);
  constexpr bool is_stored = chains == gpu::PackedChains::all;
  const std::uint64_t scratch_bytes = is_stored ? needs.scratch_bytes_of_stored : needs.scratch_bytes;
  const PaddedBytes scratch(scratch_bytes), out(column.bytes.size() + 4096);
  gpu::EncodeTrees trees;
  trees::ByteWriter plan_bytes;
  write_plan(plan, plan_bytes);
  std::copy(plan_bytes.bytes().begin(), plan_bytes.bytes().end(), trees.bytes);
  std::uint64_t state = 0;
  cuda::SegmentEntry entry;
  cuda::ItemResult result;
  gpu::EncodeColumnsJob job;
  job.column_count = 1;
  job.trees = &trees;
  job.states = &state;
  job.scratch_bytes = scratch_bytes;
  std::uint32_t failed = 0;
  if (needs.can_fail || is_stored) job.failed = &failed;
  gpu::EncodeColumn& to = job.column[0];
  to.words = words.data();
  to.word_count = column.count();
  to.out = out.data();
  to.out_bytes = out.size();
  to.segments = &entry;
  to.result = &result;
  to.segment_words = static_cast<std::uint32_t>(column.count());
  to.end_ticket = 1;
  to.tree_count = 1;
  to.type = type;
  const auto pack = [&](auto& block) {
    std::uint32_t next = 0;  // each thread has its own; one of them asks
    gpu::pack_entropy_segments<gpu::finds_facts_always(chains), chains>(block, job, 1, scratch.data(),
                                                                        [&] { return next++; });
  };
  EmulatedBlock<Memory>::run(warps, *memory, pack);
  if (failed != 0) return {};
  return {out.data(), out.data() + entry.bytes};
}

}  // namespace

std::vector<std::uint8_t> pack_entropy_emulated(const trees::Plan& plan, const Column& column, unsigned warps,
                                                bool stores) {
  const gpu::EncodeNeeds needs =
      gpu::encode_needs(gpu::encode_plan_of(plan), word_type(column.type), column.count());
  if (needs.is_divided) return pack_entropy_as<gpu::PackedChains::quotients>(plan, column, warps);
  return needs.is_stored || stores ? pack_entropy_as<gpu::PackedChains::all>(plan, column, warps)
                                   : pack_entropy_as<gpu::PackedChains::strides>(plan, column, warps);
}

bool pack_items_emulated(gpu::EncodeColumnsJob job, std::uint32_t segments, const gpu::EncodeNeeds& needs) {
  using Memory = gpu::PackEntropyMemory<4>;
  static const auto memory = std::make_unique<Memory>();
  job.scratch_bytes = needs.scratch_bytes;
  const PaddedBytes scratch(job.scratch_bytes);
  std::uint32_t failed = 0;
  if (needs.can_fail) job.failed = &failed;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    EmulatedBlock block(warp, *memory);
    std::uint32_t next = 0;
    const auto take_ticket = [&] { return next++; };
    if (needs.is_divided) {
      gpu::pack_entropy_segments<true, gpu::PackedChains::quotients>(block, job, segments, scratch.data(),
                                                                     take_ticket);
    } else if (needs.is_stored) {
      gpu::pack_entropy_segments<true, gpu::PackedChains::all>(block, job, segments, scratch.data(),
                                                               take_ticket);
    } else {
      gpu::pack_entropy_segments<true, gpu::PackedChains::of_neighbours>(block, job, segments, scratch.data(),
                                                                         take_ticket);
    }
  });
  return failed == 0;
}

}  // namespace floe::test
