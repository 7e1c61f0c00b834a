// Which GPUs are there, and how are they opened?
#include <algorithm>
#include <utility>
#include <vector>

#include "core/guard.hpp"
#include "floe/cuda.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/host/gpu_slot.hpp"
#include "gpu/offload/lease.hpp"

namespace floe::cuda {
namespace {

/// For each device one portion that is copied in, one in work, one that is copied out, and one that the host
/// fills or empties.
constexpr std::size_t slots_per_device = 4;

class GpuPool final : public offload::DevicePool {
 public:
  GpuPool(std::uint32_t device_count, std::vector<std::unique_ptr<offload::Slot>> slots)
      : device_count_(device_count), slots_(std::move(slots)) {}

  [[nodiscard]] std::uint32_t device_count() const override { return device_count_; }
  [[nodiscard]] std::span<const std::unique_ptr<offload::Slot>> slots() const override { return slots_; }
  [[nodiscard]] bool reaches(std::span<const std::uint8_t> memory) const override {
    return memory.empty() || (is_pinned(&memory.front()) && is_pinned(&memory.back()));
  }
  [[nodiscard]] bool supports(DType dtype, const Options& options) const override {
    return cuda::supports(dtype, options);
  }

 private:
  static bool is_pinned(const void* address) {
    cudaPointerAttributes attributes{};
    if (!gpu::to_status(cudaPointerGetAttributes(&attributes, address)).ok()) return false;
    return attributes.type == cudaMemoryTypeHost;
  }

  std::uint32_t device_count_;
  std::vector<std::unique_ptr<offload::Slot>> slots_;
};

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

Result<Devices> Devices::open(std::span<const std::uint32_t> indices) {
  return core::guarded([&]() -> Result<Devices> {
    const auto chosen = checked_indices(indices);
    if (!chosen) return chosen.status();
    std::vector<std::shared_ptr<gpu::Gpu>> gpus;
    for (const std::uint32_t index : *chosen) {
      auto gpu = gpu::Gpu::open(static_cast<int>(index));
      if (!gpu) return gpu.status();
      gpus.push_back(std::move(*gpu));
    }
    std::vector<std::unique_ptr<offload::Slot>> slots;
    for (std::size_t i = 0; i < slots_per_device * gpus.size(); ++i) {
      auto slot = gpu::GpuSlot::open(gpus[i % gpus.size()]);
      if (!slot) return slot.status();
      slots.push_back(std::move(*slot));
    }
    auto pool = std::make_unique<GpuPool>(static_cast<std::uint32_t>(gpus.size()), std::move(slots));
    return Devices(std::make_shared<State>(std::move(pool)));
  });
}

Result<PinnedMemory> PinnedMemory::allocate(std::size_t bytes) {
  void* data = nullptr;
  if (bytes != 0) {
    if (const Status status = gpu::to_status(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
        !status.ok())
      return status;
  }
  return PinnedMemory({static_cast<std::byte*>(data), bytes});
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (bytes_.data() != nullptr) (void)cudaFreeHost(bytes_.data());
}

}  // namespace floe::cuda
