// GPUs as an accelerator.
#include "frames/devices.hpp"
#include "floe/cuda_host.hpp"

namespace floe::cli {

Result<std::unique_ptr<Accelerator>> open_cuda_devices(std::span<const std::uint32_t> indices) {
  auto devices = cuda::Devices::open(indices);
  if (!devices) return devices.status();
  return std::unique_ptr<Accelerator>(std::move(*devices));
}

}  // namespace floe::cli
