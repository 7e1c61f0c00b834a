// The header of a safetensors file that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensors/header.hpp"

namespace floe::cli {

class HeaderCollector {
 public:
  /// `file` is what failures name, `file_bytes` its length if it is known.
  HeaderCollector(std::string file, std::optional<std::uint64_t> file_bytes)
      : file_(std::move(file)), file_bytes_(file_bytes) {}

  /// Takes what belongs to the header, and returns the rest. Throws a Failure if the header is longer than
  /// the file, or than any is.
  std::span<const std::byte> take(std::span<const std::byte> bytes);
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  /// Throws a Failure unless it is complete.
  void finish() const;

  /// With its length, once it is complete.
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::string_view text() const noexcept {
    return std::string_view(bytes_).substr(header_length_bytes);
  }
  /// How many bytes stand behind it, if that is known.
  [[nodiscard]] std::optional<std::uint64_t> data_bytes() const noexcept {
    return file_bytes_ ? std::optional(*file_bytes_ - bytes_.size()) : std::nullopt;
  }

 private:
  /// Moves bytes until there are `wanted`; returns whether there are.
  bool fill(std::span<const std::byte>& bytes, std::uint64_t wanted);

  std::string file_;
  std::optional<std::uint64_t> file_bytes_;
  std::string bytes_;
  bool is_complete_ = false;
};

/// The length that stands in front of a header. Throws a Failure if there cannot be such a header.
std::uint64_t checked_header_length(const std::string& file, std::string_view length,
                                    std::optional<std::uint64_t> file_bytes);

}  // namespace floe::cli
