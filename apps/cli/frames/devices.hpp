// GPUs that code beside the CPU, as --device wants them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "arguments/device_choice.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

/// GPUs with these numbers; empty: all. Errors: device_error if there are none, or this program was built
/// without CUDA.
Result<std::unique_ptr<Accelerator>> open_cuda_devices(std::span<const std::uint32_t> indices);

class Devices {
 public:
  /// Throws a Failure if the user named devices that are not there.
  explicit Devices(const DeviceChoice& choice);

  /// Lets them work. They must outlive whoever has the options.
  void use_for(Options& options) const { options.accelerator = accelerator_.get(); }
  void use_for(DecodeOptions& options) const { options.accelerator = accelerator_.get(); }
  /// "cpu" or "cuda:0,1".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::unique_ptr<Accelerator> accelerator_;
  std::string name_ = "cpu";
};

}  // namespace floe::cli
