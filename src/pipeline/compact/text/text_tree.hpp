// How a byte of CSV text becomes yes and no: few questions for digits and separators, more for what is rare.
// docs/format/text.md, "Bytes".
#pragma once

#include <array>
#include <cstdint>

namespace floe::pipeline {

/// What a text consists of mostly.
enum class TextKind : std::uint8_t { numbers, letters };

/// A tree in groups of 15 nodes; what a node leads to is a node or a byte.
class TextTree {
 public:
  static constexpr unsigned group_bits = 4;
  static constexpr std::uint32_t group_count = 21, node_count = group_count << group_bits;
  static constexpr std::uint16_t byte_flag = 0x8000;

  /// The bits from the root to a byte, the first one the highest.
  struct Path {
    std::uint32_t bits = 0, length = 0;
    [[nodiscard]] unsigned bit(std::uint32_t depth) const noexcept {
      return bits >> (length - 1 - depth) & 1U;
    }
    [[nodiscard]] bool begins_with(std::uint32_t first_bits, std::uint32_t depth) const noexcept {
      return depth < length && bits >> (length - depth) == first_bits;
    }
  };

  /// `kind`: whether its root is that for numbers, or that for letters, which take fewer bits then.
  TextTree(std::uint8_t separator, TextKind kind);

  [[nodiscard]] std::uint32_t root() const noexcept { return root_; }

  /// A node, or a byte with `byte_flag`.
  [[nodiscard]] std::uint16_t next(std::uint32_t node, unsigned bit) const noexcept {
    return next_[node][bit];
  }
  /// The shortest.
  [[nodiscard]] const Path& path(std::uint8_t byte) const noexcept { return paths_[byte]; }

 private:
  void find_paths(std::uint32_t node, Path path);

  std::uint32_t root_;
  std::array<std::array<std::uint16_t, 2>, node_count> next_{};
  std::array<Path, 256> paths_{};
};

}  // namespace floe::pipeline
