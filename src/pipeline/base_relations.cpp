#include "pipeline/base_relations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"
#include "core/power_of_ten.hpp"
#include "pipeline/base_column.hpp"

namespace floe::pipeline {
namespace {

using container::BaseColumn;
using Numbers = std::vector<std::int64_t>;

constexpr std::size_t windows = 8, window_rows = 128;

/// Numbers at the rows of the windows; none if the column has no whole numbers, or few.
Numbers numbers_of(const rows::ColumnContent& column) {
  const rows::Words& words = column.streams[0];
  const std::uint64_t count = words.count();
  if (!container::has_whole_numbers(column.format.kind, words.type()) || count < windows * window_rows)
    return {};
  Numbers numbers;
  for (std::size_t window = 0; window < windows; ++window) {
    const std::uint64_t first = (count - window_rows) * window / (windows - 1);
    for (std::size_t i = 0; i < window_rows; ++i) numbers.push_back(words.integer(first + i));
  }
  return numbers;
}

/// How many numbers have so many bits, and what coding them by these frequencies takes.
class Widths {
 public:
  void add(std::uint64_t difference) {
    ++counts_[static_cast<std::size_t>(std::bit_width(core::zigzag(difference)))];
  }
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 0;  // in parts of a bit
    for (std::size_t width = 0; width < counts_.size(); ++width) {
      if (const std::uint64_t count = counts_[width]; count > 0)
        bits += count * (core::fixed_log2(windows * window_rows) - core::fixed_log2(count) +
                         ((width > 0 ? width - 1 : 0) << core::log_fraction_bits));
    }
    return bits >> core::log_fraction_bits;
  }

 private:
  std::array<std::uint64_t, 65> counts_{};
};

/// Bits of numbers, of their differences, or of the differences of these, whichever are fewest. Numbers are
/// counted from the middle one.
std::uint64_t bits_of(const Numbers& numbers) {
  Numbers sorted = numbers;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const auto origin = static_cast<std::uint64_t>(*middle);
  Widths plain, first, second;
  for (std::size_t window = 0; window < numbers.size(); window += window_rows) {
    std::uint64_t last = origin, last_difference = 0;
    for (std::size_t i = 0; i < window_rows; ++i) {
      const auto number = static_cast<std::uint64_t>(numbers[window + i]);
      const std::uint64_t difference = number - last;
      plain.add(number - origin);
      first.add(difference);
      second.add(difference - last_difference);
      last = number;
      last_difference = difference;
    }
  }
  return std::min({plain.bits(), first.bits(), second.bits()});
}

/// Digits behind the point that the numbers of a column stand for.
int digits_of(const container::CellFormat& format) {
  if (format.kind == container::CellKind::decimal) return format.scale;
  return format.kind == container::CellKind::time ? format.times.fraction_digits : 0;
}

BaseColumn power_of_ten(std::size_t base, int exponent) {
  const auto power =
      static_cast<std::int32_t>(core::power_of_ten(static_cast<std::uint32_t>(std::abs(exponent))));
  return {static_cast<std::uint32_t>(base), exponent > 0 ? power : 1, exponent < 0 ? power : 1};
}

/// The exponent by which the middle numbers differ, if that is all they differ by.
std::optional<int> decades_between(const Numbers& base, const Numbers& numbers) {
  const auto middle = [](const Numbers& all) {
    const std::int64_t number = all[all.size() / 2];
    return number < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
  };
  std::uint64_t from = middle(base), to = middle(numbers);
  if (from == ~std::uint64_t{0} || to == ~std::uint64_t{0}) return std::nullopt;
  constexpr std::uint64_t min_number = 1 << 20;  // otherwise that is chance
  if (from < min_number || to < min_number) return std::nullopt;
  int exponent = 0;
  for (; exponent < 9 && to / 10 >= from - from / 16; ++exponent) to /= 10;
  for (; exponent > -9 && from / 10 >= to - to / 16; --exponent) from /= 10;
  const std::uint64_t apart = from > to ? from - to : to - from;
  return apart <= from / 128 ? std::optional(exponent) : std::nullopt;
}

std::int64_t product(const Numbers& a, const Numbers& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum >> 16;  // below 2^34
}

/// A fraction of small numbers that is as good as multiplier / 2^shift, if there is one: 9/5, 60, -1/3600.
std::optional<BaseColumn> simple_fraction(std::uint32_t index, std::int64_t multiplier, int shift) {
  constexpr std::int64_t max_divisor = 4096, precision = 1 << 13;
  for (std::int64_t divisor = 1; divisor <= max_divisor; divisor += divisor < 64 ? 1 : divisor) {
    const std::int64_t scaled = multiplier * divisor, half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0,
                       rounded = (scaled + half) >> shift;
    if (rounded != 0 &&
        std::abs(scaled - rounded * (std::int64_t{1} << shift)) < std::abs(scaled) / precision)
      return BaseColumn{index, static_cast<std::int32_t>(rounded), static_cast<std::int32_t>(divisor)};
  }
  return std::nullopt;
}

}  // namespace

NumberSample::NumberSample(const rows::ColumnContent& column)
    : numbers_(numbers_of(column)), digits_(digits_of(column.format)) {
  if (numbers_.empty()) return;
  bits_ = bits_of(numbers_);
  const auto origin = static_cast<std::uint64_t>(numbers_[numbers_.size() / 2]);
  std::uint64_t widest = 0;
  for (const std::int64_t number : numbers_) {
    distances_.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - origin));
    widest |= core::zigzag(static_cast<std::uint64_t>(distances_.back()));
  }
  shift_ = std::max(0, static_cast<int>(std::bit_width(widest)) - 20);
  std::int64_t sum = 0;
  for (std::int64_t& distance : distances_) sum += distance >>= shift_;
  for (std::int64_t& distance : distances_) distance -= sum / static_cast<std::int64_t>(numbers_.size());
  variance_ = product(distances_, distances_);
}

std::optional<BaseColumn> NumberSample::line_from(const NumberSample& base, std::uint32_t index) const {
  // The square of the covariance is at most the product of the variances.
  const std::int64_t covariance = product(base.distances_, distances_);
  if (base.variance_ == 0 || covariance == 0) return std::nullopt;
  if (covariance * 1024 / base.variance_ * covariance < 983 * variance_) return std::nullopt;
  std::int64_t multiplier = covariance * (1 << 20) / base.variance_;
  int shift = base.shift_ - shift_ + 20;
  for (; std::abs(multiplier) >= 1 << 20; --shift) multiplier /= 2;
  for (; shift < 0 && std::abs(multiplier) < 1 << 30; ++shift) multiplier *= 2;
  if (multiplier == 0 || shift < 0 || shift > 30) return std::nullopt;
  if (const auto simple = simple_fraction(index, multiplier, shift)) return simple;
  return BaseColumn{index, static_cast<std::int32_t>(multiplier), 1 << shift};
}

std::uint64_t NumberSample::bits_less(const NumberSample& base, const BaseColumn& relation) const {
  Numbers differences(numbers_.size());
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(numbers_[i]) -
                                  base_term(static_cast<std::uint64_t>(base.numbers_[i]), relation));
  return bits_of(differences);
}

Relation NumberSample::best_relation(const NumberSample& base, std::uint32_t index) const {
  Relation best{{}, bits_};
  const auto consider = [&](const BaseColumn& relation) {
    const std::uint64_t bits = bits_less(base, relation);
    if (bits < best.bits) best = {relation, bits};
  };
  const int digits = digits_ - base.digits_;
  std::optional<BaseColumn> by_digits, by_decades;
  if (std::abs(digits) <= 9) consider(*(by_digits = power_of_ten(index, digits)));
  const auto decades = decades_between(base.numbers_, numbers_);
  if (decades && *decades != digits) consider(*(by_decades = power_of_ten(index, *decades)));
  const auto line = line_from(base, index);
  if (line && line != by_digits && line != by_decades) consider(*line);
  return best;
}

}  // namespace floe::pipeline
