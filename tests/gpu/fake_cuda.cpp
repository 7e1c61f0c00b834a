#include "tests/gpu/fake_cuda.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace floe::test {
namespace {

void finish(cudaStream_t stream) {
  if (stream->work.empty()) return;
  ++FakeCuda::the().waits;
  for (const auto& work : stream->work) work();
  stream->work.clear();
}

bool is_pinned(const void* address) {
  const auto* const byte = static_cast<const std::uint8_t*>(address);
  return std::ranges::any_of(FakeCuda::the().pinned, [&](const auto& memory) {
    return byte >= memory.data() && byte < memory.data() + memory.size();
  });
}

}  // namespace

FakeCuda& FakeCuda::the() {
  static FakeCuda fake;
  return fake;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  FakeCuda& fake = FakeCuda::the();
  if (fake.calls_until_failure >= 0 && fake.calls_until_failure-- == 0) return cudaErrorLaunchFailure;
  try {
    stream->work.push_back(std::move(work));
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
  if (fake.waits != 0) ++fake.enqueued_after_waiting;
  return cudaSuccess;
}

}  // namespace floe::test

using floe::test::enqueue;

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  try {
    return enqueue(stream, [=] { std::memset(to, value, bytes); });
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  try {
    const cudaError_t error = enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    if (error == cudaSuccess && !floe::test::is_pinned(to)) floe::test::finish(stream);
    return error;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  floe::test::finish(stream);
  return cudaSuccess;
}
