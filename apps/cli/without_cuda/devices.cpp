// GPUs in a program that was built without CUDA.
#include "frames/devices.hpp"

namespace floe::cli {

Result<std::unique_ptr<Accelerator>> open_cuda_devices(std::span<const std::uint32_t>) {
  return Status{ErrorCode::device_error, 0, "this floe was built without CUDA"};
}

}  // namespace floe::cli
