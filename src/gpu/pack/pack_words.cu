#include "gpu/pack/pack_kernels.cuh"

namespace floe::gpu {

PackKernels pack_words_kernels(PackKind kind) {
  if (kind == PackKind::same8) return pack_kernels_of<MapSame<std::uint8_t>>();
  if (kind == PackKind::same16) return pack_kernels_of<MapSame<std::uint16_t>>();
  if (kind == PackKind::same32) return pack_kernels_of<MapSame<std::uint32_t>>();
  return pack_kernels_of<MapSame<std::uint64_t>>();
}

}  // namespace floe::gpu
