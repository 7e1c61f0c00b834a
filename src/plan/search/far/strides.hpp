// Strides at which words have neighbours in other dimensions: rows, planes and so on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/bits.hpp"
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
  /// The smallest ones, up to a length.
  [[nodiscard]] constexpr FarStrides first(std::size_t count, std::uint64_t max_stride) const noexcept {
    FarStrides some;
    for (const std::uint32_t stride : get()) {
      if (some.count_ < count && stride <= max_stride) some.add(stride);
    }
    return some;
  }
  friend constexpr bool operator==(const FarStrides&, const FarStrides&) = default;

 private:
  std::array<std::uint32_t, max_count> strides_{};
  std::uint32_t count_ = 0;
};

/// Rows, planes and so on of an array, of whose dimensions the first one is left out.
constexpr FarStrides far_strides_of(std::span<const std::uint64_t> inner_extent) noexcept {
  FarStrides strides;
  std::uint64_t stride = 1;
  for (auto size = inner_extent.rbegin(); size != inner_extent.rend(); ++size) {
    const auto product = core::checked_multiply(stride, *size);
    if (!product) break;
    strides.add(stride = *product);
  }
  return strides;
}

}  // namespace floe::trees
