// Which GPUs there are, and how they are opened; memory that they reach.
#include <algorithm>
#include <utility>
#include <vector>

#include "api/c/arguments.hpp"
#include "core/guard.hpp"
#include "floe/floe_cuda.h"
#include "gpu/host/slots/cuda_slot.hpp"
#include "gpu/host/slots/slot.hpp"

namespace floe::cuda {
namespace {

/// For each device one batch that is copied in, one in work, one copied out, and one at the host.
constexpr std::size_t slots_per_device = 4;

Result<std::vector<std::uint32_t>> checked_indices(std::span<const std::uint32_t> indices) {
  const Result<std::uint32_t> count = device_count();
  if (!count) return count.status();
  std::vector<std::uint32_t> chosen(indices.begin(), indices.end());
  for (std::uint32_t i = 0; indices.empty() && i < *count; ++i) chosen.push_back(i);
  std::vector<std::uint32_t> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.back() >= *count)
    return Status{ErrorCode::invalid_argument, 0, "there is no CUDA device of this number"};
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return Status{ErrorCode::invalid_argument, 0, "a CUDA device is named twice"};
  return chosen;
}

}  // namespace

Result<std::uint32_t> device_count() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return Status{ErrorCode::device_error, 0, "there is no NVIDIA driver, or it is too old for this program"};
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return Status{ErrorCode::device_error, 0, "there is no CUDA device"};
  if (error != cudaSuccess) return gpu::to_status(error);
  return static_cast<std::uint32_t>(count);
}

Result<std::unique_ptr<Devices>> Devices::open(std::span<const std::uint32_t> indices) {
  return core::guarded([&]() -> Result<std::unique_ptr<Devices>> {
    const auto chosen = checked_indices(indices);
    if (!chosen) return chosen.status();
    std::vector<std::shared_ptr<gpu::Gpu>> gpus;
    for (const std::uint32_t index : *chosen) {
      auto gpu = gpu::Gpu::open(static_cast<int>(index));
      if (!gpu) return gpu.status();
      gpus.push_back(std::move(*gpu));
    }
    std::vector<std::unique_ptr<gpu::Slot>> slots;
    for (std::size_t i = 0; i < slots_per_device * gpus.size(); ++i) {
      auto slot = gpu::CudaSlot::open(gpus[i % gpus.size()]);
      if (!slot) return slot.status();
      slots.push_back(std::move(*slot));
    }
    const auto count = static_cast<std::uint32_t>(gpus.size());
    return std::make_unique<Devices>(std::make_unique<State>(count, std::move(slots)));
  });
}

Result<PinnedMemory> PinnedMemory::allocate(std::size_t bytes) {
  void* data = nullptr;
  if (bytes != 0) {
    if (const Status status = gpu::to_status(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
        !status.ok())
      return status;
  }
  return PinnedMemory({static_cast<std::byte*>(data), bytes}, gpu::allocation_id(data));
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), id_(other.id_) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(id_, other.id_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (bytes_.data() != nullptr && !gpu::is_gone(bytes_.data(), id_)) (void)cudaFreeHost(bytes_.data());
}

}  // namespace floe::cuda

floe_status floe_cuda_open_devices(floe_accelerator** out, const uint32_t* indices, uint32_t count) {
  using namespace floe;
  if (out == nullptr) return c_abi::to_c(c_abi::null_pointer);
  *out = nullptr;
  if (indices == nullptr && count != 0) return c_abi::to_c(c_abi::null_pointer);
  return c_abi::to_c(core::guarded([&]() -> Status {
    auto devices = cuda::Devices::open(std::span(indices, count));
    if (!devices) return devices.status();
    *out = new floe_accelerator{std::move(*devices)};
    return {};
  }));
}
