#include "gpu/pack/pack_clusters.cuh"
#include "gpu/pack/pack_columns.cuh"
#include "gpu/pack/pack_kernels.hpp"

namespace floe::gpu {

PackKernels pack_floats_kernels(PackKind kind) {
  switch (kind) {
    case PackKind::turn32:
      return {pack_kernel_of<MapTurn<std::uint32_t>>(), {}};
    case PackKind::turn64:
      return {pack_kernel_of<MapTurn<std::uint64_t>>(), {}};
    case PackKind::f64_as_i64:
      return {pack_kernel_of<MapDecimal<double, std::uint64_t>>(),
              cluster_kernel_of<MapDecimal<double, std::uint64_t>>()};
    case PackKind::f64_as_i32:
      return {pack_kernel_of<MapDecimal<double, std::uint32_t>>(),
              cluster_kernel_of<MapDecimal<double, std::uint32_t>>()};
    default:
      return {pack_kernel_of<MapDecimal<float, std::uint32_t>>(),
              cluster_kernel_of<MapDecimal<float, std::uint32_t>>()};
  }
}

PackKernels pack_kernels(PackKind kind) {
  if (kind >= PackKind::scale32) return pack_scales_kernels(kind);
  return kind < PackKind::turn32 ? pack_words_kernels(kind) : pack_floats_kernels(kind);
}

}  // namespace floe::gpu
