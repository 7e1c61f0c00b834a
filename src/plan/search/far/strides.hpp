// Strides at which words have neighbours in other dimensions: rows, planes and so on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "encodings/rules.hpp"

namespace floe::trees {

/// A few different strides above 1, ascending.
class FarStrides {
 public:
  static constexpr std::size_t max_count = 8;
  constexpr void add(std::uint64_t stride) noexcept {
    const auto all = get();
    if (stride < 2 || stride > DeltaRules::ranges[1].max || count_ == max_count) return;
    if (std::find(all.begin(), all.end(), stride) != all.end()) return;
    strides_[count_++] = static_cast<std::uint32_t>(stride);
    std::sort(strides_.begin(), strides_.begin() + count_);
  }
  [[nodiscard]] constexpr std::span<const std::uint32_t> get() const noexcept {
    return std::span(strides_).first(count_);
  }

 private:
  std::array<std::uint32_t, max_count> strides_{};
  std::uint32_t count_ = 0;
};

}  // namespace floe::trees
