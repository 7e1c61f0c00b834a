#include "tests/gpu/fake_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace floe::test {
namespace {

void finish_until(cudaStream_t stream, std::uint64_t count) {
  while (stream->done < count && !stream->work.empty()) {
    const auto work = std::move(stream->work.front());
    stream->work.pop_front();
    ++stream->done;
    work();
  }
}

void wait_for(cudaStream_t stream, std::uint64_t count) {
  if (stream->done >= count || stream->work.empty()) return;
  ++FakeCuda::the().waits;
  finish_until(stream, count);
}

bool is_pinned(const void* address) {
  const auto* const byte = static_cast<const std::uint8_t*>(address);
  return std::ranges::any_of(FakeCuda::the().pinned, [&](const auto& memory) {
    return byte >= memory.data() && byte < memory.data() + memory.size();
  });
}

/// What `call` does if there is memory for it.
template <class Call>
cudaError_t with_memory(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

cudaError_t allocate(void** data, std::size_t bytes) {
  FakeCuda& fake = FakeCuda::the();
  if (fake.allocations_until_failure >= 0 && fake.allocations_until_failure-- == 0)
    return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*data, 0xA5, bytes);
  ++fake.allocations;
  return cudaSuccess;
}

void release(void* data) {
  if (data != nullptr) --FakeCuda::the().allocations;
  std::free(data);
}

}  // namespace

FakeCuda& FakeCuda::the() {
  static FakeCuda fake;
  return fake;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  FakeCuda& fake = FakeCuda::the();
  if (fake.calls_until_failure >= 0 && fake.calls_until_failure-- == 0) return cudaErrorLaunchFailure;
  return with_memory([&] {
    stream->work.push_back(std::move(work));
    if (fake.waits != 0) ++fake.enqueued_after_waiting;
    return cudaSuccess;
  });
}

}  // namespace floe::test

using floe::test::enqueue;
using floe::test::FakeCuda;
using floe::test::with_memory;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = FakeCuda::the().devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }

cudaError_t cudaMalloc(void** data, std::size_t bytes) { return floe::test::allocate(data, bytes); }
cudaError_t cudaFree(void* data) {
  floe::test::release(data);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  const cudaError_t error = floe::test::allocate(data, bytes);
  if (error != cudaSuccess) return error;
  return with_memory([&] {
    FakeCuda::the().pinned.emplace_back(static_cast<const std::uint8_t*>(*data), bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaFreeHost(void* data) {
  std::erase_if(FakeCuda::the().pinned, [data](const auto& memory) { return memory.data() == data; });
  floe::test::release(data);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  attributes->type = floe::test::is_pinned(address) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return with_memory([&] { return enqueue(stream, [=] { std::memset(to, value, bytes); }); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return with_memory([&] {
    const cudaError_t error = enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    const void* const of_host = kind == cudaMemcpyHostToDevice ? from : to;
    if (error == cudaSuccess && !floe::test::is_pinned(of_host)) (void)cudaStreamSynchronize(stream);
    return error;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return with_memory([&] {
    *stream = new CUstream_st;
    ++FakeCuda::the().allocations;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  --FakeCuda::the().allocations;
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  floe::test::wait_for(stream, stream->done + stream->work.size());
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return with_memory([&] {
    *event = new CUevent_st;
    ++FakeCuda::the().allocations;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  --FakeCuda::the().allocations;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  *event = {stream, stream->done + stream->work.size()};
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return with_memory(
      [&] { return enqueue(stream, [of = *event] { floe::test::finish_until(of.stream, of.work); }); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  floe::test::wait_for(event->stream, event->work);
  return cudaSuccess;
}
