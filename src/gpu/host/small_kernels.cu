// Kernels of the host's own: what the code was compiled for, and results that the host waits for.
#include "gpu/host/launch.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned block_threads = 256;

__global__ void publish_words(const std::uint64_t* from, std::uint64_t* to, std::uint64_t count) {
  for (std::uint64_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
  __threadfence_system();
}

}  // namespace

int compiled_capability(CudaCalls& calls) {
  cudaFuncAttributes attributes{};
  calls.check(cudaFuncGetAttributes(&attributes, publish_words));
  return attributes.ptxVersion;  // of the virtual architecture, also where machine code is loaded
}

Status publish(const std::uint8_t* from, std::uint8_t* to, std::uint64_t bytes, cudaStream_t stream) {
  publish_words<<<1, block_threads, 0, stream>>>(reinterpret_cast<const std::uint64_t*>(from),
                                                 reinterpret_cast<std::uint64_t*>(to), bytes / 8);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
