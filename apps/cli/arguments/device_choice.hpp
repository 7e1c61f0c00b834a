// Which devices shall do the work? The value of --device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace floe::cli {

struct DeviceChoice {
  enum class Kind { cpu, cuda, automatic };
  Kind kind = Kind::cpu;
  std::vector<std::uint32_t> indices;  ///< Of CUDA devices; empty: all.
};

/// Reads "cpu", "auto", "cuda", "cuda:1", "cuda:0-7" or "cuda:0,2,4-7". Null if it is something else, or
/// names a device twice.
std::optional<DeviceChoice> parse_device(std::string_view text);

/// As the user may write it.
std::string device_text(const DeviceChoice& choice);

}  // namespace floe::cli
