#include "plan/search/narrow_facts.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Words from all over the stream, of which all but a few must come back; one of the first ones at least.
constexpr std::size_t screened_words = 8, first_words = 2, max_screened_exceptions = 2;
/// From the first number of digits that screened words come back with, so many are compared.
constexpr std::uint32_t compared_digits = 3;
/// With more exceptions, floats do not pay.
constexpr std::uint64_t min_words_for_exception = 5;

class NarrowSearch {
 public:
  explicit NarrowSearch(std::span<const double> words) : words_(words) {
    for (std::size_t i = 0; i < screened_words; ++i)
      screened_[i] = words[words.size() * (2 * i + 1) / (2 * screened_words)];
  }

  /// As many exceptions as are left, at most, with the best digits so far.
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

  /// Whether all words of a stream were floats.
  bool are_floats(std::span<const double> stream) {
    if (count_exceptions(screened_, {}) > 0) return false;
    while (!stream.empty()) {
      const std::span<const double> piece = stream.first(std::min(stream.size(), floats_.size()));
      if (count_exceptions(piece, {}) > 0) return false;
      stream = stream.subspan(piece.size());
    }
    return true;
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
  std::array<double, screened_words> screened_;
  std::array<float, max_sampled_words> floats_;
  std::array<std::uint8_t, max_sampled_words> failed_;
  std::optional<DecimalRounding> best_;
  std::uint64_t exceptions_ = words_.size() / min_words_for_exception;
};

}  // namespace

std::optional<NarrowFacts> find_narrow(const ColumnView& stream) {
  if (stream.type != DType::f64) return std::nullopt;
  const std::span<const double> words(static_cast<const double*>(stream.values),
                                      static_cast<std::size_t>(stream.count));
  const std::size_t count = std::min<std::size_t>(words.size(), max_sampled_words);
  NarrowSearch search(words.subspan((words.size() - count) / 2, count));
  if (search.are_floats(words)) return NarrowFacts{};
  search.try_digits(DecimalRounding::after_point, 0, DecimalRounding::max_digits_after_point);
  search.try_digits(DecimalRounding::significant, 1, DecimalRounding::max_significant_digits);
  if (!search.best()) return std::nullopt;
  const std::span<const float> floats = search.floats();
  return NarrowFacts{*search.best(), search.exceptions(),
                     find_coarse_facts({DType::f32, floats.data(), count}, max_stride_tried)};
}

}  // namespace floe::trees
