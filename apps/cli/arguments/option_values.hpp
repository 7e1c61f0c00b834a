// The values of options: text to numbers, types and names. All throw UsageError, which names the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/arguments.hpp"

namespace floe::cli {

std::uint64_t number_value(const char* option, std::string_view text, std::uint64_t min, std::uint64_t max);
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
char separator_value(const char* option, std::string_view text);
NameRow name_row_value(const char* option, std::string_view text);
Profile profile_value(const char* option, std::string_view text);
/// "auto", "bytes", "array", "csv", "records" or "bin", and "safetensors".
Kind kind_value(const char* option, std::string_view text);
/// "TREE", "COLUMN=TREE" or "COLUMN#STREAM=TREE", streams numbered from 1.
GivenTree tree_value(const std::string& text);
Goal goal_value(const char* option, std::string_view text);
Container container_value(const char* option, std::string_view text);
DeviceChoice device_value(const char* option, std::string_view text);

}  // namespace floe::cli
