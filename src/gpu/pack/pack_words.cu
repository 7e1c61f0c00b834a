#include "gpu/pack/pack_clusters.cuh"
#include "gpu/pack/pack_columns.cuh"
#include "gpu/pack/pack_job.hpp"

namespace floe::gpu {

PackKernels pack_words_kernels(PackKind kind) {
  switch (kind) {
    case PackKind::same8:
      return {pack_kernel_of<MapSame<std::uint8_t>>(), {}};
    case PackKind::same16:
      return {pack_kernel_of<MapSame<std::uint16_t>>(), {}};
    case PackKind::same32:
      return {pack_kernel_of<MapSame<std::uint32_t>>(), cluster_kernel_of<MapSame<std::uint32_t>>()};
    default:
      return {pack_kernel_of<MapSame<std::uint64_t>>(), cluster_kernel_of<MapSame<std::uint64_t>>()};
  }
}

}  // namespace floe::gpu
