#include "tests/gpu/fake_cuda.hpp"

#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <string_view>

namespace floe::test {
namespace {

constexpr std::size_t page = 4096;

struct Allocation {
  std::uint64_t id = 0;
  std::size_t bytes = 0;  ///< Whole pages.
};

/// What there is and what a reset took away, whatever tests make of FakeCuda meanwhile.
struct Things {
  std::map<const void*, Allocation> memory;
  std::uint64_t next_id = 1;
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::set<const void*> gone;

  static Things& all() {
    static Things things;
    return things;
  }
};

/// Whether a stream or an event is there, and counts it otherwise.
bool is_there(const void* handle) {
  if (!Things::all().gone.contains(handle)) return true;
  ++FakeCuda::the().uses_after_reset;
  return false;
}

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
  const std::size_t whole = (bytes + page - 1) / page * page;
  *data = std::aligned_alloc(page, whole);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*data, 0xA5, bytes);
  Things& things = Things::all();
  things.memory[*data] = {things.next_id++, whole};
  ++fake.allocations;
  return cudaSuccess;
}

cudaError_t release(void* data) {
  if (data == nullptr) return cudaSuccess;
  if (Things::all().memory.erase(data) == 0) return cudaErrorInvalidValue;
  --FakeCuda::the().allocations;
  std::free(data);
  return cudaSuccess;
}

CUresult CUDAAPI get_attribute(void* value, CUpointer_attribute attribute, CUdeviceptr memory) {
  const auto found = Things::all().memory.find(reinterpret_cast<const void*>(memory));
  if (attribute != CU_POINTER_ATTRIBUTE_BUFFER_ID || found == Things::all().memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<unsigned long long*>(value) = found->second.id;
  return CUDA_SUCCESS;
}

}  // namespace

FakeCuda& FakeCuda::the() {
  static FakeCuda fake;
  return fake;
}

void FakeCuda::reset_device() {
  Things& things = Things::all();
  for (const auto& [address, allocation] : things.memory) {
    mprotect(const_cast<void*>(address), allocation.bytes, PROT_NONE);
    --allocations;
  }
  things.memory.clear();
  pinned.clear();
  for (CUstream_st* const stream : things.streams) stream->work.clear();
  allocations -= static_cast<std::int64_t>(things.streams.size() + things.events.size());
  things.gone.insert(things.streams.begin(), things.streams.end());
  things.gone.insert(things.events.begin(), things.events.end());
  things.streams.clear();
  things.events.clear();
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  FakeCuda& fake = FakeCuda::the();
  if (!is_there(stream)) return cudaErrorInvalidResourceHandle;
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
using floe::test::is_there;
using floe::test::Things;
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
cudaError_t cudaFree(void* data) { return floe::test::release(data); }
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
  return floe::test::release(data);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  const bool is_known = std::string_view(name) == "cuPointerGetAttribute";
  *function = is_known ? reinterpret_cast<void*>(floe::test::get_attribute) : nullptr;
  *found = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
#if CUDART_VERSION < 12050
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found) {
  return cudaGetDriverEntryPointByVersion(name, function, 12000, flags, found);
}
#endif
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
    *stream = *Things::all().streams.insert(new CUstream_st).first;
    ++FakeCuda::the().allocations;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_there(stream)) return cudaErrorInvalidResourceHandle;
  Things::all().streams.erase(stream);
  --FakeCuda::the().allocations;
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!is_there(stream)) return cudaErrorInvalidResourceHandle;
  floe::test::wait_for(stream, stream->done + stream->work.size());
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return with_memory([&] {
    *event = *Things::all().events.insert(new CUevent_st).first;
    ++FakeCuda::the().allocations;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!is_there(event)) return cudaErrorInvalidResourceHandle;
  Things::all().events.erase(event);
  --FakeCuda::the().allocations;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!is_there(event) || !is_there(stream)) return cudaErrorInvalidResourceHandle;
  *event = {stream, stream->done + stream->work.size()};
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!is_there(event)) return cudaErrorInvalidResourceHandle;
  return with_memory(
      [&] { return enqueue(stream, [of = *event] { floe::test::finish_until(of.stream, of.work); }); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!is_there(event)) return cudaErrorInvalidResourceHandle;
  floe::test::wait_for(event->stream, event->work);
  return cudaSuccess;
}
