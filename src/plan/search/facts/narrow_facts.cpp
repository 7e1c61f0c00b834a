#include "plan/search/facts/narrow_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/power_of_ten.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Words from all over the stream, of which all but a few must come back; one of the first ones at least.
constexpr std::size_t screened_doubles = 8, first_words = 2, max_screened_exceptions = 2;
/// From the first number of digits that screened words come back with, so many are compared.
constexpr std::uint32_t compared_digits = 3;
/// With more exceptions, floats do not pay.
constexpr std::uint64_t min_words_for_exception = 5;

std::span<const double> doubles_of(const ColumnView& stream) {
  return {static_cast<const double*>(stream.values), static_cast<std::size_t>(stream.count)};
}

std::array<double, screened_doubles> screened_of(std::span<const double> words) {
  std::array<double, screened_doubles> screened;
  for (std::size_t i = 0; i < screened_doubles; ++i)
    screened[i] = words[words.size() * (2 * i + 1) / (2 * screened_doubles)];
  return screened;
}

class RoundingSearch {
 public:
  explicit RoundingSearch(std::span<const double> words) : words_(words), screened_(screened_of(words)) {}

  /// With the best digits so far.
  [[nodiscard]] std::uint64_t exceptions() const { return exceptions_; }
  [[nodiscard]] const std::optional<DecimalRounding>& best() const { return best_; }

  void try_digits(DecimalRounding::Kind kind, std::uint32_t first, std::uint32_t last) {
    std::uint32_t left = compared_digits;
    for (std::uint32_t digits = first; digits <= last && left > 0 && exceptions_ > 0; ++digits) {
      const DecimalRounding rounding{kind, digits};
      if (left == compared_digits && !passes(rounding)) continue;
      --left;
      const std::size_t exceptions = count_exceptions(words_, rounding);
      if (exceptions >= exceptions_) continue;
      exceptions_ = exceptions;
      best_ = rounding;
    }
  }

  /// The floats of all words.
  std::span<const float> floats() {
    count_exceptions(words_, *best_);
    for (std::size_t i = 1; i < words_.size(); ++i) {
      if (failed_[i] != 0) floats_[i] = floats_[i - 1];
    }
    return std::span(floats_).first(words_.size());
  }

 private:
  std::size_t count_exceptions(std::span<const double> words, DecimalRounding rounding) {
    return kernels().narrow.to_floats(words.data(), words.size(), rounding, floats_.data(), failed_.data());
  }
  bool passes(DecimalRounding rounding) {
    const std::span<const double> screened(screened_);
    return count_exceptions(screened.first(first_words), rounding) < first_words &&
           count_exceptions(screened, rounding) <= max_screened_exceptions;
  }

  const std::span<const double> words_;
  const std::array<double, screened_doubles> screened_;
  std::array<float, max_sampled_words> floats_;
  std::array<std::uint8_t, max_sampled_words> failed_;
  std::optional<DecimalRounding> best_;
  std::uint64_t exceptions_ = words_.size() / min_words_for_exception;
};

}  // namespace

bool were_floats(const ColumnView& stream) {
  std::array<float, max_sampled_words> floats;
  std::array<std::uint8_t, max_sampled_words> failed;
  std::span<const double> words = doubles_of(stream);
  while (!words.empty()) {
    const std::size_t count = std::min(words.size(), floats.size());
    if (kernels().narrow.to_floats(words.data(), count, {}, floats.data(), failed.data()) > 0) return false;
    words = words.subspan(count);
  }
  return true;
}

bool are_short_decimals(const ColumnView& stream, std::uint32_t digits) {
  const std::array<double, screened_doubles> words = screened_of(doubles_of(stream));
  const double limit = 0x1p24 / core::power_of_ten(digits);
  return std::ranges::all_of(words, [limit](double word) { return std::fabs(word) < limit; });
}

std::optional<RoundedFloats> find_rounded_floats(const ColumnView& stream) {
  const std::span<const double> words = doubles_of(stream);
  const std::size_t count = std::min<std::size_t>(words.size(), max_sampled_words);
  RoundingSearch search(words.subspan((words.size() - count) / 2, count));
  search.try_digits(DecimalRounding::after_point, 0, DecimalRounding::max_digits_after_point);
  search.try_digits(DecimalRounding::significant, 1, DecimalRounding::max_significant_digits);
  if (!search.best()) return std::nullopt;
  const std::span<const float> floats = search.floats();
  return RoundedFloats{*search.best(), search.exceptions(),
                       find_coarse_facts({DType::f32, floats.data(), count}, max_stride_tried)};
}

}  // namespace floe::trees
