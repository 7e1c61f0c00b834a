#include "arguments/option_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace floe::cli {
namespace {

UsageError bad_value(const char* option, std::string_view text, std::string_view wanted) {
  return UsageError(fmt::format("{}: '{}' is not {}", option, text.empty() ? "" : printable(text), wanted));
}

constexpr std::uint64_t segment_unit_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t max_segment_bytes = std::uint64_t{1} << 30;
constexpr double max_seconds = 86400;

}  // namespace

std::uint64_t number_value(const char* option, std::string_view text, std::uint64_t min, std::uint64_t max) {
  const auto number = parse_number(text);
  if (!number || *number < min || *number > max)
    throw bad_value(option, text, fmt::format("a number from {} to {}", min, max));
  return *number;
}

std::uint32_t threads_value(const char* option, std::string_view text) {
  return static_cast<std::uint32_t>(number_value(option, text, 0, max_threads));
}

std::uint64_t size_value(const char* option, std::string_view text) {
  const auto size = parse_size(text);
  if (!size || *size == 0) throw bad_value(option, text, "a size such as 65536, 64K, 16M or 1G");
  return *size;
}

std::uint64_t segment_value(const char* option, std::string_view text) {
  const auto size = parse_size(text);
  if (!size || *size == 0 || *size % segment_unit_bytes != 0 || *size > max_segment_bytes) {
    throw bad_value(option, text, "a multiple of 16K up to 1G");
  }
  return *size;
}

double seconds_value(const char* option, std::string_view text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || stop != end || !(seconds > 0 && seconds <= max_seconds))
    throw bad_value(option, text, "a number of seconds");
  return seconds;
}

DType dtype_value(const char* option, std::string_view text) {
  const auto dtype = dtype_from_name(text);
  if (!dtype || !is_element_type(*dtype))
    throw bad_value(option, text, "a type; types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool");
  return *dtype;
}

std::vector<std::uint64_t> shape_value(const char* option, std::string_view text) {
  const auto shape = parse_shape(text);
  if (!shape || shape->size() > max_rank)
    throw bad_value(option, text, "a shape of 1 to 8 dimensions such as 26x1800x3600");
  return *shape;
}

Slice slice_value(const char* option, std::string_view text) {
  const auto parts = split(text, ':');
  const auto first = parse_number(parts[0]);
  const auto count = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  if (!first || !count) throw bad_value(option, text, "FIRST:COUNT");
  return {*first, *count};
}

std::string codec_value(const char* option, std::string_view text) {
  const auto all = codecs();
  const auto has_name = [text](const CodecInfo& codec) { return codec.name == text; };
  if (std::none_of(all.begin(), all.end(), has_name))
    throw bad_value(option, text, "a codec; floe codecs lists them");
  return std::string(text);
}

char separator_value(const char* option, std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text.front();
  throw bad_value(option, text, "one character, or tab");
}

NameRow name_row_value(const char* option, std::string_view text) {
  if (text == "yes") return NameRow::yes;
  if (text == "no") return NameRow::no;
  if (text == "detect") return NameRow::detect;
  throw bad_value(option, text, "yes, no or detect");
}

Profile profile_value(const char* option, std::string_view text) {
  if (text == "cpu") return Profile::cpu;
  if (text == "gpu") return Profile::gpu;
  throw bad_value(option, text, "cpu or gpu");
}

Kind kind_value(const char* option, std::string_view text) {
  if (text == "auto") return Kind::automatic;
  if (text == "bytes") return Kind::bytes;
  if (text == "array") return Kind::array;
  if (text == "csv") return Kind::csv;
  if (text == "records" || text == "bin") return Kind::records;
  if (text == "safetensors") return Kind::safetensors;
  throw bad_value(option, text, "auto, bytes, array, csv, records or safetensors");
}

GivenTree tree_value(const std::string& text) {
  constexpr std::uint64_t max_streams = 6;
  const std::size_t end_of_name = text.rfind('=');
  GivenTree given;
  if (end_of_name != std::string::npos) {
    given.column = text.substr(0, end_of_name);
    const std::size_t mark = given.column.rfind('#');
    const auto number = mark == std::string::npos
                            ? std::nullopt
                            : parse_number(std::string_view(given.column).substr(mark + 1));
    if (number) {
      if (*number == 0 || *number > max_streams)
        throw UsageError(
            fmt::format("--tree {}: streams are numbered from 1 to {}", printable(text), max_streams));
      given.stream = static_cast<std::uint32_t>(*number - 1);
      given.column.resize(mark);
    }
    if (given.column.empty())
      throw UsageError(fmt::format("--tree {}: the name of the column is missing", printable(text)));
  }
  given.tree = text.substr(end_of_name + 1);  // npos + 1 is 0
  if (const Status status = check_tree(given.tree); !status.ok())
    throw UsageError(fmt::format("--tree {}: character {}: {}", printable(text),
                                 text.size() - given.tree.size() + status.byte_offset + 1, status.detail));
  return given;
}

std::uint32_t speed_value(const char* option, std::string_view text) {
  constexpr double max_gigabytes = 1000;
  double gigabytes = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, gigabytes, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || !(gigabytes >= 0.001 && gigabytes <= max_gigabytes))
    throw bad_value(option, text, "a number of GB/s from 0.001 to 1000");
  return static_cast<std::uint32_t>(std::lround(gigabytes * 1000));
}

Goal goal_value(const char* option, std::string_view text) {
  if (text == "speed") return Goal::speed;
  if (text == "balance") return Goal::balance;
  if (text == "ratio") return Goal::ratio;
  if (text == "max") return Goal::max;
  throw bad_value(option, text, "speed, balance, ratio or max");
}

Container container_value(const char* option, std::string_view text) {
  if (text == "floe") return Container::floe;
  if (text == "fpcompress") return Container::fpcompress;
  if (text == "gfc") return Container::gfc;
  throw bad_value(option, text, "floe, fpcompress or gfc");
}

DeviceChoice device_value(const char* option, std::string_view text) {
  const auto choice = parse_device(text);
  if (!choice)
    throw bad_value(option, text, "cpu, auto, cuda, or devices such as cuda:1, cuda:0-7 or cuda:0,2");
  return *choice;
}

}  // namespace floe::cli
