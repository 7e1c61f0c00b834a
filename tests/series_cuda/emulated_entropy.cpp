// Runs the packer of chains above a leaf of entropy by an emulated block. Compiled once: it has the code of
// every type.
#include <memory>

#include "gpu/encode/encode_limits.hpp"
#include "gpu/entropy/pack_entropy.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/support/emulated_block.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {

std::vector<std::uint8_t> pack_entropy_emulated(const trees::Plan& plan, const Column& column,
                                                unsigned warps) {
  const gpu::EncodePlan device_plan = gpu::encode_plan_of(plan);
  const DType type = word_type(column.type);
  if (column.count() == 0 || !gpu::packs_entropy(device_plan, type, column.count())) return {};
  using Memory = gpu::PackEntropyMemory<4>;
  static const auto memory = std::make_unique<Memory>();
  const PaddedBytes words(column.bytes);
  const PaddedBytes scratch(gpu::encode_needs(device_plan, type, column.count()).scratch_bytes),
      out(column.bytes.size() + 4096);
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
    gpu::pack_entropy_ticket<false>(block, job, 0, scratch.data(), [] {});
  };
  if (warps == 1) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EmulatedBlock block(warp, *memory);
      pack(block);
    });
  } else {
    WideEmulatedBlock<Memory>::run(warps, *memory, pack);
  }
  return {out.data(), out.data() + entry.bytes};
}

void pack_items_emulated(const gpu::EncodeColumnsJob& job, std::uint32_t segments) {
  using Memory = gpu::PackEntropyMemory<4>;
  static const auto memory = std::make_unique<Memory>();
  const gpu::EncodeColumn& like = job.column[0];
  const PaddedBytes scratch(
      gpu::entropy_section_scratch_bytes(like.segment_words, gpu::word_bytes(like.type)) + 256);
  for (std::uint32_t unit = 0; unit < segments; ++unit) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EmulatedBlock block(warp, *memory);
      gpu::pack_entropy_ticket<true>(block, job, unit, scratch.data(), [] {});
    });
  }
}

}  // namespace floe::test
