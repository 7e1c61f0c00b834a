// Samples of what differences at several strides leave of a stream: windows are computed from the windows
// that lie as far before them in the other dimensions, so that a sample has the neighbours that the whole
// stream has.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "encodings/stream.hpp"
#include "plan/search/far/steps.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

/// Windows of a stream of integers.
template <core::Word W>
class FarSampler {
 public:
  /// Windows of `words` words in the middles of equal parts of what lies behind the first `reach` words.
  /// Precondition: reach + words <= count.
  FarSampler(const Integers& integers, std::uint64_t count, std::uint64_t reach, std::size_t windows,
             std::size_t words)
      : integers_(integers), reach_(reach), words_(words) {
    const std::uint64_t room = count - reach - words;
    for (std::size_t i = 0; i < windows; ++i)
      positions_.push_back(reach + room * (2 * i + 1) / (2 * windows));
  }
  [[nodiscard]] bool reaches(const Steps& steps) const { return reach_of(steps) <= reach_; }
  [[nodiscard]] std::uint64_t words() const { return positions_.size() * words_; }

  /// The differences in all windows, one behind the other.
  void differences(const Steps& steps, W* to) {
    for (const std::uint64_t position : positions_) {
      differences(std::span(steps), position, to);
      to += words_;
    }
  }
  /// Those of one more step, where `known` are the differences at `steps`.
  void differences_at(std::uint32_t stride, const W* known, const Steps& steps, W* to) {
    for (const std::uint64_t position : positions_) {
      differences(std::span(steps), position - stride, to);
      for (std::size_t i = 0; i < words_; ++i) to[i] = static_cast<W>(known[i] - to[i]);
      known += words_;
      to += words_;
    }
  }
  /// The bits of the distances of all differences, zig-zag, from the one in the middle.
  [[nodiscard]] std::uint64_t bits(const W* differences) {
    const auto count = static_cast<std::size_t>(words());
    some_.clear();
    for (std::size_t i = words_ / 2; i < count; i += words_)
      some_.push_back(static_cast<W>(differences[i] ^ top));
    const auto middle = some_.begin() + static_cast<std::ptrdiff_t>(some_.size() / 2);
    std::nth_element(some_.begin(), middle, some_.end());
    all_.assign(count, static_cast<W>(*middle ^ top));  // again and again, then the differences
    all_.insert(all_.end(), differences, differences + count);
    return kernels().of<W>().sum_difference_bits(all_.data(), all_.size(), count, count);
  }

 private:
  static constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  void differences(std::span<const std::uint32_t> steps, std::uint64_t first, W* to) {
    if (steps.empty()) return integers_(first, words_, to);
    differences(steps.subspan(1), first, to);
    before_.resize(std::max(before_.size(), steps.size() * words_));
    differences(steps.subspan(1), first - steps[0], before_.data() + (steps.size() - 1) * words_);
    const W* const before = before_.data() + (steps.size() - 1) * words_;
    for (std::size_t i = 0; i < words_; ++i) to[i] = static_cast<W>(to[i] - before[i]);
  }

  const Integers& integers_;
  std::uint64_t reach_;
  std::size_t words_;
  std::vector<std::uint64_t> positions_;
  std::vector<W> before_, some_, all_;  // what is calculated with
};

}  // namespace floe::trees
