#include "gpu/pack/pack_kernels.cuh"

namespace floe::gpu {

PackKernels pack_floats_kernels(PackKind kind) {
  if (kind == PackKind::sortable32) return pack_kernels_of<MapSortable<std::uint32_t>>();
  if (kind == PackKind::sortable64) return pack_kernels_of<MapSortable<std::uint64_t>>();
  if (kind == PackKind::f64_as_i64) return pack_kernels_of<MapDecimal<double, std::uint64_t>>();
  if (kind == PackKind::f64_as_i32) return pack_kernels_of<MapDecimal<double, std::uint32_t>>();
  return pack_kernels_of<MapDecimal<float, std::uint32_t>>();
}

PackKernels pack_kernels(PackKind kind) {
  if (kind >= PackKind::int_mult32) return pack_int_mult_kernels(kind);
  return kind < PackKind::sortable32 ? pack_words_kernels(kind) : pack_floats_kernels(kind);
}

}  // namespace floe::gpu
