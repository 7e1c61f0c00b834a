#include "gpu/host/launch.hpp"

namespace floe::gpu {
namespace {

__global__ void do_nothing() {}

}  // namespace

int compiled_capability(CudaCalls& calls) {
  cudaFuncAttributes attributes{};
  calls.check(cudaFuncGetAttributes(&attributes, do_nothing));
  return attributes.ptxVersion;  // of the virtual architecture, also where machine code is loaded
}

}  // namespace floe::gpu
