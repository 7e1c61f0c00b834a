// The synthetic series of K. Dzitkowski's thesis (2016): the columns that its results are about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/data.hpp"

namespace floe::test {

/// Times that go on by 1 or 2, or stay, with about `percent_staying`.
inline std::vector<std::int64_t> time_column(std::uint64_t count, std::int64_t first,
                                             std::uint64_t percent_staying, Random random) {
  std::vector<std::int64_t> column(count);
  for (std::int64_t& value : column) {
    const auto step = static_cast<std::int64_t>(1 + random.below(2));
    if (random.below(100) > percent_staying) first += step;
    value = first;
  }
  return column;
}

/// Part `part` of a staircase: `length` equal values, then the largest, then a step up or down.
template <class T>
std::vector<T> pattern_a(std::uint64_t count, std::uint64_t part, std::uint64_t length, T step, T min,
                         T max) {
  std::vector<T> column(count);
  const std::uint64_t first = part * count;
  T level = static_cast<T>(min + static_cast<T>(first / length) * step);
  for (std::uint64_t i = 0; i < count; ++i) {
    column[i] = std::clamp(level, min, max);
    if ((first + i) % length != 0) continue;
    column[i] = max;
    level = static_cast<T>(level + step);
    if (level < min || level > max) step = static_cast<T>(-step);
  }
  return column;
}

/// Part `part` of a series that alternates, every `length` values, between noise at both ends of a range and
/// a slope through it.
template <class T>
std::vector<T> pattern_b(std::uint64_t count, std::uint64_t part, std::uint64_t length, T min, T max,
                         Random random) {
  std::vector<T> column(count);
  const std::uint64_t first = part * count;
  const T slope = (max - min) / static_cast<T>(length / 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    if ((first + i) / length % 2 == 0) {
      const T noise = static_cast<T>(random.below(6));
      column[i] = i % 2 == 0 ? max - noise : min + noise;
    } else {
      const std::uint64_t x = (first + i) % length;
      column[i] = max - static_cast<T>(x < length / 2 ? x : length - x) * slope;
    }
  }
  return column;
}

/// Levels that climb, with outliers near the top for `percent` of the values.
inline std::vector<std::int32_t> outliers(std::uint64_t count, std::uint64_t part, std::uint64_t length,
                                          std::int32_t step, std::int32_t min, std::int32_t max,
                                          std::uint64_t percent, Random random) {
  std::vector<std::int32_t> column(count);
  std::int32_t level = min + static_cast<std::int32_t>(part * count / length) * step;
  for (std::int32_t& value : column) {
    if (random.below(100) < percent) {
      value = max + static_cast<std::int32_t>(random.below(20)) - 10;
      continue;
    }
    value = std::clamp(level, min, max);
    level += step;
    if (level < min || level > max) step = -step;
  }
  return column;
}

/// Random numbers from 0 to 1 with up to `max_digits` digits after the point.
template <class T>
std::vector<T> decimals(std::uint64_t count, unsigned max_digits, Random random) {
  std::vector<T> column(count);
  for (T& value : column) {
    const std::uint64_t digits = random.below(max_digits + 1);
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i < digits; ++i) power *= 10;
    value = static_cast<T>(static_cast<double>(random.below(power) + (digits == 0 ? 1 : 0)) /
                           static_cast<double>(power));
  }
  return column;
}

inline std::vector<std::int32_t> random_numbers(std::uint64_t count, std::int32_t min, std::int32_t max,
                                                Random random) {
  std::vector<std::int32_t> column(count);
  for (std::int32_t& value : column)
    value = min + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(max - min)));
  return column;
}

}  // namespace floe::test
