#include "frames/devices.hpp"

#include <fmt/core.h>

#include "base/failure.hpp"

namespace floe::cli {

Devices::Devices(const DeviceChoice& choice) {
  if (choice.kind == DeviceChoice::Kind::cpu) return;
  Result<std::unique_ptr<Accelerator>> devices = open_cuda_devices(choice.indices);
  if (devices) {
    accelerator_ = std::move(*devices);
    name_ = choice.kind == DeviceChoice::Kind::automatic ? "cuda" : device_text(choice);
  } else if (choice.kind == DeviceChoice::Kind::cuda) {
    throw Failure(ExitCode::error, fmt::format("--device {}", device_text(choice)), devices.status().detail);
  }
}

}  // namespace floe::cli
