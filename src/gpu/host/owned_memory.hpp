// Memory, events and streams of CUDA that go away with their owner.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace floe::series_cuda {

struct FreeDevice {
  void operator()(std::uint8_t* memory) const { (void)cudaFree(memory); }
};
struct FreeHost {
  void operator()(std::uint8_t* memory) const { (void)cudaFreeHost(memory); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
struct DestroyStream {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};
using DeviceMemory = std::unique_ptr<std::uint8_t, FreeDevice>;
using PinnedMemory = std::unique_ptr<std::uint8_t, FreeHost>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;

/// Null if there is no memory.
inline DeviceMemory device_memory(std::uint64_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, std::max<std::uint64_t>(bytes, 1)) == cudaSuccess)
    return DeviceMemory(static_cast<std::uint8_t*>(memory));
  (void)cudaGetLastError();
  return nullptr;
}
/// The same of the host, which copies reach by themselves.
inline PinnedMemory pinned_memory(std::uint64_t bytes) {
  void* memory = nullptr;
  if (cudaMallocHost(&memory, std::max<std::uint64_t>(bytes, 1)) == cudaSuccess)
    return PinnedMemory(static_cast<std::uint8_t*>(memory));
  (void)cudaGetLastError();
  return nullptr;
}
/// One that tells order only, no times. Null if there is none to be had.
inline Event new_event() {
  cudaEvent_t event = nullptr;
  return Event(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess ? event : nullptr);
}

}  // namespace floe::series_cuda
