// The values of options: text to numbers, types and names. All throw UsageError, which names the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"

namespace floe::cli {

std::uint64_t number_value(const char* option, std::string_view text, std::uint64_t least,
                           std::uint64_t most);
std::uint32_t threads_value(const char* option, std::string_view text);
std::uint64_t size_value(const char* option, std::string_view text);
/// A multiple of 16 KiB up to 1 GiB.
std::uint64_t segment_value(const char* option, std::string_view text);
double seconds_value(const char* option, std::string_view text);
DType dtype_value(const char* option, std::string_view text);
std::vector<std::uint64_t> shape_value(const char* option, std::string_view text);
Slice slice_value(const char* option, std::string_view text);
std::string codec_value(const char* option, std::string_view text);
/// GB/s as MB/s.
std::uint32_t speed_value(const char* option, std::string_view text);
Goal goal_value(const char* option, std::string_view text);
Container container_value(const char* option, std::string_view text);
DeviceChoice device_value(const char* option, std::string_view text);

}  // namespace floe::cli
