#include "memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "floe/types.hpp"
#include "scratch.hpp"

namespace floe::python {
namespace {

/// Of each device. They live as long as the process: CUDA may be gone before static objects are.
struct Pools {
  std::mutex mutex;
  std::map<int, cudaMemPool_t> of_device;
};

Pools& pools() {
  static auto* const all = new Pools;
  return *all;
}

cudaMemPool_t pool_of(int device) {
  const std::lock_guard lock(pools().mutex);
  const auto [found, is_new] = pools().of_device.try_emplace(device);
  if (!is_new) return found->second;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  const cudaError_t made = cudaMemPoolCreate(&found->second, &properties);
  if (made != cudaSuccess) {
    pools().of_device.erase(found);
    check(made);
  }
  std::uint64_t kept = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(found->second, cudaMemPoolAttrReleaseThreshold, &kept));
  return found->second;
}

}  // namespace

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  const ErrorCode code =
      error == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_error;
  throw Error({code, 0, cudaGetErrorString(error)});
}

CurrentDevice::CurrentDevice(int device) {
  check(cudaGetDevice(&before_));
  is_other_ = before_ != device;
  if (is_other_) check(cudaSetDevice(device));
}

CurrentDevice::~CurrentDevice() {
  if (is_other_) (void)cudaSetDevice(before_);
}

Memory::Memory(std::uint64_t bytes, int device, std::uintptr_t stream)
    : bytes_(bytes), device_(device), stream_(stream_of(stream)) {
  const CurrentDevice current(device);
  void* memory = nullptr;
  // All that reads whole vectors may read up to the next multiple of 16.
  const auto allocate = [&] {
    return cudaMallocFromPoolAsync(&memory, std::max<std::uint64_t>(bytes, 1) + 16, pool_of(device), stream_);
  };
  cudaError_t error = allocate();
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // so that it does not show up again
    free_kept_workspaces();
    check(cudaStreamSynchronize(nullptr));
    error = allocate();
  }
  check(error);
  data_ = static_cast<std::byte*>(memory);
}

Memory::~Memory() {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) return;  // the process ends
  (void)cudaSetDevice(device_);
  if (cudaFreeAsync(data_, stream_) != cudaSuccess) (void)cudaFree(data_);  // its stream is gone
  (void)cudaSetDevice(before);
}

void free_spare_memory() {
  free_kept_workspaces();
  const std::lock_guard lock(pools().mutex);
  for (const auto& [device, pool] : pools().of_device) {
    const CurrentDevice current(device);
    check(cudaDeviceSynchronize());
    check(cudaMemPoolTrimTo(pool, 0));
  }
}

int device_of(std::uintptr_t address) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(address)));
  const bool is_there = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return is_there ? attributes.device : -1;
}

void wait_for_stream(std::uintptr_t waiting, std::uintptr_t other, int device) {
  const CurrentDevice current(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t error = cudaEventRecord(event, stream_of(other));
  if (error == cudaSuccess) error = cudaStreamWaitEvent(stream_of(waiting), event);
  (void)cudaEventDestroy(event);
  check(error);
}

void copy_box(std::uintptr_t to, std::uintptr_t from, const Box& box, int device, std::uintptr_t stream) {
  const CurrentDevice current(device);
  const std::size_t rank = box.counts.size();
  if (std::any_of(box.counts.begin(), box.counts.end(), [](std::uint64_t count) { return count == 0; }))
    return;
  // The last two axes are one copy; the others are counted up like a number of many digits.
  const std::size_t outer = rank < 2 ? 0 : rank - 2;
  const std::uint64_t row = box.counts[rank - 1], rows = rank < 2 ? 1 : box.counts[outer];
  std::vector<std::uint64_t> at(outer, 0);
  while (true) {
    std::uint64_t there = to, here = from;
    for (std::size_t axis = 0; axis < outer; ++axis) {
      there += at[axis] * box.to_strides[axis];
      here += at[axis] * box.from_strides[axis];
    }
    const std::uint64_t to_pitch = rank < 2 ? row : box.to_strides[outer];
    const std::uint64_t from_pitch = rank < 2 ? row : box.from_strides[outer];
    check(cudaMemcpy2DAsync(reinterpret_cast<void*>(there), to_pitch, reinterpret_cast<const void*>(here),
                            from_pitch, row, rows, cudaMemcpyDefault, stream_of(stream)));
    std::size_t axis = outer;
    while (axis > 0 && ++at[axis - 1] == box.counts[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace floe::python
