// Numbers, sizes, shapes and names as people write and read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe::cli {

/// All of `text` as a decimal number; nothing if it is anything else or does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// "65536", "64K", "64M" or "64MiB", "2G": K, M and G are powers of 1024.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// "26x1800x3600" or "26,1800,3600", slowest-varying dimension first.
std::optional<std::vector<std::uint64_t>> parse_shape(std::string_view text);
/// The parts of `text` between separators, empty parts too.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "26x1800x3600"; "scalar" for rank 0.
std::string shape_text(std::span<const std::uint64_t> shape);
/// "37.3 MB": decimal units, as disks are sold and speeds are quoted.
std::string bytes_text(std::uint64_t bytes);
/// "1 thread", "2 threads".
std::string plural(std::uint64_t count, std::string_view noun);
std::string joined(std::span<const std::string_view> words, std::string_view separator);
/// `name` on one line: control characters as \n, \t or \x1b, an empty name as ''.
std::string printable(std::string_view name);

/// Bytes of the character that `text` begins with in UTF-8; 0 if it begins with none.
std::size_t utf8_character_bytes(std::string_view text);
/// Halves of characters, which JSON can say, are none.
bool is_utf8(std::string_view text);

}  // namespace floe::cli
