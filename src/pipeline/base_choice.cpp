#include "pipeline/base_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"
#include "core/power_of_ten.hpp"
#include "pipeline/base_column.hpp"

namespace floe::pipeline {
namespace {

using container::BaseColumn;
using rows::ColumnContent;
using rows::Words;

/// Pairs of columns are compared on so many windows of so many rows.
constexpr std::size_t windows = 8, window_rows = 128;
/// Pairs that look good are encoded: so many rows in the middle.
constexpr std::size_t trial_rows = 8192;
/// Base columns are looked for among so many before and behind a column; so many of them are tried.
constexpr std::size_t max_distance = 32, max_trials = 2;
/// What is left of the bits, and then of the bytes, if a base column shall count.
constexpr std::uint64_t promising_part = 8, worthwhile_part = 32, min_saved_bytes = 64;

using Numbers = std::vector<std::int64_t>;

/// Numbers of a column at the rows of the windows; none if the column has no whole numbers, or few.
Numbers sample_of(const ColumnContent& column) {
  const Words& words = column.streams[0];
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
  constexpr std::uint64_t least = 1 << 20;  // otherwise that is chance
  if (from < least || to < least) return std::nullopt;
  int exponent = 0;
  for (; exponent < 9 && to / 10 >= from - from / 16; ++exponent) to /= 10;
  for (; exponent > -9 && from / 10 >= to - to / 16; --exponent) from /= 10;
  const std::uint64_t apart = from > to ? from - to : to - from;
  return apart <= from / 128 ? std::optional(exponent) : std::nullopt;
}

/// Numbers as distances from the middle one, shifted to less than 2^20.
struct Centred {
  explicit Centred(const Numbers& all) {
    const auto origin = static_cast<std::uint64_t>(all[all.size() / 2]);
    std::uint64_t widest = 0;
    for (const std::int64_t number : all) {
      distances.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - origin));
      widest |= core::zigzag(static_cast<std::uint64_t>(distances.back()));
    }
    shift = std::max(0, static_cast<int>(std::bit_width(widest)) - 20);
    std::int64_t sum = 0;
    for (std::int64_t& distance : distances) sum += distance >>= shift;
    for (std::int64_t& distance : distances) distance -= sum / static_cast<std::int64_t>(all.size());
  }
  Numbers distances;
  int shift = 0;
};

std::int64_t product(const Centred& a, const Centred& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.distances.size(); ++i) sum += a.distances[i] * b.distances[i];
  return sum;
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

/// The slope of the line through the points, if they lie near it.
std::optional<BaseColumn> line_through(std::uint32_t index, const Centred& base, const Centred& numbers) {
  // Below 2^34. The square of the covariance is at most the product of the variances.
  const std::int64_t variance = product(base, base) >> 16, other = product(numbers, numbers) >> 16,
                     covariance = product(base, numbers) >> 16;
  if (variance == 0 || covariance == 0) return std::nullopt;
  if (covariance * 1024 / variance * covariance < 983 * other) return std::nullopt;
  std::int64_t multiplier = covariance * (1 << 20) / variance;
  int shift = base.shift - numbers.shift + 20;
  for (; std::abs(multiplier) >= 1 << 20; --shift) multiplier /= 2;
  for (; shift < 0 && std::abs(multiplier) < 1 << 30; ++shift) multiplier *= 2;
  if (multiplier == 0 || shift < 0 || shift > 30) return std::nullopt;
  if (const auto simple = simple_fraction(index, multiplier, shift)) return simple;
  return BaseColumn{index, static_cast<std::int32_t>(multiplier), 1 << shift};
}

/// A base column, and what it leaves.
struct Trial {
  BaseColumn base;
  std::uint64_t left = 0;  ///< Bits of the sample; of the words that were encoded, bytes.
};

class BaseChoice {
 public:
  BaseChoice(std::span<const ColumnContent> columns, const std::vector<bool>& may_have_base,
             const rows::WordsCost& cost, core::Workers& workers)
      : columns_(columns), cost_(cost) {
    const auto count = static_cast<std::uint32_t>(columns.size());
    samples_.resize(count);
    for (std::size_t i = 0; i < count; ++i) samples_[i] = sample_of(columns[i]);
    savings_.resize(count);
    core::for_each_task(workers, count, [&](std::uint32_t column) {
      if (may_have_base[column]) savings_[column] = find(column);
    });
  }

  /// The base that saves most for all columns together comes first.
  std::vector<std::optional<BaseColumn>> choose() {
    std::vector<std::optional<BaseColumn>> chosen(columns_.size());
    std::vector<bool> is_base(columns_.size());
    const auto trial_with = [&](std::size_t column, std::size_t base) -> const Trial* {
      if (chosen[column] || is_base[column] || chosen[base]) return nullptr;
      const auto& all = savings_[column];
      const auto found = std::find_if(all.begin(), all.end(),
                                      [base](const Trial& trial) { return trial.base.index == base; });
      return found == all.end() ? nullptr : &*found;
    };
    for (;;) {
      std::vector<std::uint64_t> saved(columns_.size());
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        for (std::size_t base = 0; !savings_[column].empty() && base < columns_.size(); ++base) {
          if (const Trial* const trial = trial_with(column, base)) saved[base] += trial->left;
        }
      }
      const auto best = std::max_element(saved.begin(), saved.end());
      if (best == saved.end() || *best == 0) return chosen;
      const auto base = static_cast<std::size_t>(best - saved.begin());
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (const Trial* const trial = trial_with(column, base)) chosen[column] = trial->base;
      }
      is_base[base] = true;
    }
  }

 private:
  /// Ways to reckon a column from another one.
  [[nodiscard]] std::vector<BaseColumn> relations(std::size_t column, std::size_t base) const {
    std::vector<BaseColumn> all;
    const int digits = digits_of(columns_[column].format) - digits_of(columns_[base].format);
    if (std::abs(digits) <= 9) all.push_back(power_of_ten(base, digits));
    const auto decades = decades_between(samples_[base], samples_[column]);
    if (decades && *decades != digits) all.push_back(power_of_ten(base, *decades));
    const auto line =
        line_through(static_cast<std::uint32_t>(base), Centred(samples_[base]), Centred(samples_[column]));
    if (line && std::find(all.begin(), all.end(), *line) == all.end()) all.push_back(*line);
    return all;
  }

  /// Differences of the sample.
  [[nodiscard]] Numbers differences(std::size_t column, const BaseColumn& base) const {
    Words numbers(DType::i64, samples_[column].size()), other(DType::i64, samples_[column].size());
    std::copy(samples_[column].begin(), samples_[column].end(), numbers.as<std::int64_t>().begin());
    std::copy(samples_[base.index].begin(), samples_[base.index].end(), other.as<std::int64_t>().begin());
    subtract_base(numbers, other, base);
    const auto left = numbers.as<std::int64_t>();
    return {left.begin(), left.end()};
  }

  /// The base columns of a column, with the bytes that each saves.
  [[nodiscard]] std::vector<Trial> find(std::size_t column) const {
    if (samples_[column].empty()) return {};
    const std::uint64_t bits = bits_of(samples_[column]);
    std::vector<Trial> trials;
    const std::size_t first = column - std::min(column, max_distance),
                      end = std::min(columns_.size(), column + max_distance + 1);
    for (std::size_t base = first; base < end; ++base) {
      if (base == column || samples_[base].empty()) continue;
      Trial best{{}, bits - bits / promising_part};
      for (const BaseColumn& relation : relations(column, base)) {
        const std::uint64_t left = bits_of(differences(column, relation));
        if (left < best.left) best = {relation, left};
      }
      if (best.left < bits - bits / promising_part) trials.push_back(best);
    }
    const auto leaves_less = [](const Trial& a, const Trial& b) { return a.left < b.left; };
    std::stable_sort(trials.begin(), trials.end(), leaves_less);
    trials.resize(std::min(trials.size(), max_trials));
    return trials.empty() ? trials : worthwhile(column, trials);
  }

  /// Those that save bytes, which are then in `left`.
  [[nodiscard]] std::vector<Trial> worthwhile(std::size_t column, const std::vector<Trial>& trials) const {
    const auto middle_of = [](const Words& words) {
      const std::uint64_t count = std::min<std::uint64_t>(words.count(), trial_rows);
      const std::size_t width = size_of(words.type());
      Words middle(words.type(), count);
      const auto bytes = words.bytes().subspan((words.count() - count) / 2 * width, count * width);
      std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(middle.data()));
      return middle;
    };
    const Words& whole = columns_[column].streams[0];
    const Words words = middle_of(whole);
    const std::uint64_t bytes = cost_(words);
    std::vector<Trial> found;
    for (const Trial& trial : trials) {
      Words rest = words;
      subtract_base(rest, middle_of(columns_[trial.base.index].streams[0]), trial.base);
      const std::uint64_t left = cost_(rest);
      if (left + std::max(bytes / worthwhile_part, min_saved_bytes) < bytes)
        found.push_back({trial.base, (bytes - left) * whole.count() / words.count()});
    }
    return found;
  }

  std::span<const ColumnContent> columns_;
  const rows::WordsCost& cost_;
  std::vector<Numbers> samples_;
  std::vector<std::vector<Trial>> savings_;  ///< Of each column; `left` is what is saved.
};

}  // namespace

std::vector<std::optional<BaseColumn>> choose_bases(std::span<const ColumnContent> columns,
                                                    const std::vector<bool>& may_have_base,
                                                    const rows::WordsCost& cost, core::Workers& workers) {
  return BaseChoice(columns, may_have_base, cost, workers).choose();
}

}  // namespace floe::pipeline
