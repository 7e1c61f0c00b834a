#include "gpu/host/publish.hpp"

#include "gpu/host/calls.hpp"

namespace floe::gpu {
namespace {

__global__ void publish_result(const cuda::ItemResult* from, cuda::ItemResult* to) {
  *to = *from;
  __threadfence_system();
}

}  // namespace

Status publish(const cuda::ItemResult* from, cuda::ItemResult* to, cudaStream_t stream) {
  publish_result<<<1, 1, 0, stream>>>(from, to);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
