#include "gpu/chunks/chunk_kernels.hpp"

namespace floe::gpu {

ChunkKernels kernels_of(const registry::CodecEntry& codec) {
  if (codec.name == "spspeed") return spspeed_kernels();
  if (codec.name == "dpspeed") return dpspeed_kernels();
  if (codec.name == "spratio") return spratio_kernels();
  if (codec.name == "gfc") return codec.word_bits == 64 ? gfc64_kernels() : gfc32_kernels();
  if (codec.name == "speed8") return speed8_kernels();
  if (codec.name == "speed16") return speed16_kernels();
  return {};
}

}  // namespace floe::gpu
