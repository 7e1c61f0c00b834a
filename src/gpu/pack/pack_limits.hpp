// Which columns are packed straight to their positions, and what memory they need for it. Pure arithmetic.
#pragma once

#include <algorithm>
#include <optional>

#include "core/power_of_ten.hpp"
#include "gpu/encode/encode_limits.hpp"
#include "gpu/pack/pack_job.hpp"

namespace floe::gpu {

/// More tiles than that a launch does not count.
inline constexpr std::uint64_t max_pack_tiles = std::uint64_t{1} << 30;

struct PackChain {
  PackKind kind{};
  PackColumn column;  ///< What the tree says of it.
};

/// The chain that a plan is, if there is one. Children of decimal do not matter where no word fails.
inline std::optional<PackChain> pack_chain_of(const EncodePlan& plan, DType type) {
  PackChain chain;
  chain.column.type = type;
  chain.column.map = static_cast<std::uint8_t>(EncodingId::bitpack);
  unsigned node = 0;
  DType words = type;
  const EncodingId map = plan.id(0);
  if (map == EncodingId::sortable || map == EncodingId::decimal || map == EncodingId::int_mult) {
    chain.column.map = static_cast<std::uint8_t>(map);
    std::copy_n(plan.parameter[0], 2, chain.column.map_parameter);
    if (map == EncodingId::decimal) {
      chain.column.power = core::power_of_ten(plan.parameter[0][0]);
      chain.column.reciprocal = 1 / chain.column.power;
    }
    words = trees::child_type_of(map, type, plan.parameter[0][1], 0);
    ++node;
  }
  if (plan.id(node) == EncodingId::delta) {
    if (plan.parameter[node][1] > trees::DeltaRules::max_near_stride) return std::nullopt;
    chain.column.order = static_cast<std::uint8_t>(plan.parameter[node][0]);
    chain.column.stride = static_cast<std::uint8_t>(plan.parameter[node][1]);
    ++node;
  }
  if (plan.id(node) != EncodingId::bitpack) return std::nullopt;
  const unsigned bytes = word_bytes(words);
  if (map == EncodingId::int_mult) {
    // What differences begin with depends on the least word.
    if (chain.column.order > 0 || bytes < 4) return std::nullopt;
    chain.kind = bytes == 8 ? PackKind::int_mult64 : PackKind::int_mult32;
  } else if (map == EncodingId::decimal) {
    chain.kind = type == DType::f32 ? PackKind::f32_as_i32
                 : bytes == 8       ? PackKind::f64_as_i64
                                    : PackKind::f64_as_i32;
  } else if (map == EncodingId::sortable) {
    if (bytes < 4) return std::nullopt;
    chain.kind = bytes == 8 ? PackKind::sortable64 : PackKind::sortable32;
  } else {
    chain.kind = bytes == 8   ? PackKind::same64
                 : bytes == 4 ? PackKind::same32
                 : bytes == 2 ? PackKind::same16
                              : PackKind::same8;
  }
  return chain;
}

constexpr std::uint64_t tiles_of_words(std::uint64_t words) {
  return core::divide_up(words, std::uint64_t{tile_words});
}
/// Tiles of `words` words of a column from the beginning of a segment on.
constexpr std::uint64_t pack_tiles_of(std::uint64_t words, std::uint32_t segment_words) {
  return words / segment_words * tiles_of_words(segment_words) + tiles_of_words(words % segment_words);
}

/// Blocks of a launch.
struct PackShape {
  PackKernel kernel;
  std::uint32_t blocks = 0, threads = pack_threads;
  std::uint32_t cluster_blocks = 1;
  PackKernel before{};  ///< A kernel that comes before, or none, and its blocks.
  std::uint32_t blocks_before = 0;
};

/// Blocks of the clusters that take the segments of a launch, one after the other. 0 if tiles by themselves
/// are faster or the only way: segments of more tiles than clusters have warps, or so few that most warps
/// would have nothing to do; words of 64 bits as they are, which may be too far apart for 32.
inline std::uint32_t cluster_blocks_of(const PackJob& job, PackKind kind) {
  std::uint64_t min = max_cluster_tiles, max = 0;
  for (std::uint32_t i = 0; i < job.column_count; ++i) {
    if (kind == PackKind::same64 && job.column[i].order == 0) return 0;
    min = std::min(min, tiles_of_words(job.column[i].segment_words));
    max = std::max(max, tiles_of_words(job.column[i].segment_words));
  }
  const std::uint64_t blocks = core::divide_up(max, std::uint64_t{cluster_warps});
  const bool suits = blocks > 1 && max <= max_cluster_tiles && 2 * min > blocks * cluster_warps;
  return suits ? static_cast<std::uint32_t>(blocks) : 0;
}

/// Bytes of words that are looked at before the first ones are packed, and still lie in the L2 cache.
inline constexpr std::uint32_t bytes_looked_ahead = 16 << 20;

/// Says how blocks go through a launch. With tiles by themselves, a position is known some microseconds after
/// the last tile of a segment was looked at; warps look at others meanwhile. `cluster_bytes` is the shared
/// memory that a block of a cluster can have, 0 if the device has no clusters.
inline PackShape plan_packing(PackJob& job, PackKind kind, std::uint32_t multiprocessors,
                              std::uint32_t cluster_bytes) {
  const PackKernels kernels = pack_kernels(kind);
  constexpr std::uint32_t warps = pack_threads / warp_lanes;
  const auto blocks_before = static_cast<std::uint32_t>(core::divide_up(job.segment_count, warps));
  const bool has_clusters =
      kernels.by_clusters.kernel != nullptr && kernels.by_clusters.shared_bytes <= cluster_bytes;
  if (const std::uint32_t cluster = cluster_blocks_of(job, kind); has_clusters && cluster > 0) {
    const std::uint32_t clusters = std::min<std::uint32_t>(
        multiprocessors * kernels.by_clusters.blocks_per_multiprocessor / cluster, job.segment_count);
    return {kernels.by_clusters, std::max(clusters, 1u) * cluster, cluster_threads, cluster, kernels.before,
            blocks_before};
  }
  const std::uint32_t blocks = std::min<std::uint32_t>(
      multiprocessors * kernels.by_tiles.blocks_per_multiprocessor, (job.tile_count + warps - 1) / warps);
  const std::uint32_t ahead = bytes_looked_ahead / (tile_words * word_bytes(job.column[0].type));
  job.lag = std::max(blocks * warps, std::min(ahead, job.tile_count));
  for (std::uint32_t i = 0; i < job.column_count; ++i)
    job.lag = std::max(job.lag, static_cast<std::uint32_t>(tiles_of_words(job.column[i].segment_words)) + 1);
  return {kernels.by_tiles, blocks, pack_threads, 1, kernels.before, blocks_before};
}

}  // namespace floe::gpu
