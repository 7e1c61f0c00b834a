#include "gpu/pack/pack_clusters.cuh"
#include "gpu/pack/pack_columns.cuh"
#include "gpu/pack/pack_job.hpp"

namespace floe::gpu {

PackKernels pack_floats_kernels(PackKind kind) {
  switch (kind) {
    case PackKind::sortable32:
      return {pack_kernel_of<MapSortable<std::uint32_t>>(), {}};
    case PackKind::sortable64:
      return {pack_kernel_of<MapSortable<std::uint64_t>>(), {}};
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
  if (kind >= PackKind::int_mult32) return pack_int_mult_kernels(kind);
  return kind < PackKind::sortable32 ? pack_words_kernels(kind) : pack_floats_kernels(kind);
}

}  // namespace floe::gpu
