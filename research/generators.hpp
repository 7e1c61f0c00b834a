// The series of K. Dzitkowski's thesis "Time Series Compression Optimizer for GPU" (Warsaw University of
// Technology, 2016), with which its results can be measured again. They calculate with integers and with
// single correctly rounded operations, so every machine gets the same.
#pragma once

#include <cstdint>
#include <span>

#include "research/random.hpp"

namespace floe::research {

/// Times in steps of 1 or 2 that stand still with a probability of about `flatness`.
class TimeSeries {
 public:
  TimeSeries(std::int64_t first, double flatness, std::uint64_t seed)
      : time_(first), percent_flat_(static_cast<std::uint32_t>(100 * flatness)), random_(seed) {}
  std::int64_t next() noexcept {
    const std::int64_t step = 1 + random_.below(2);
    if (random_.below(100) > percent_flat_) time_ += step;
    return time_;
  }

 private:
  std::int64_t time_;
  std::uint32_t percent_flat_;
  Random random_;
};

/// A staircase of steps of `length` values that goes up and down between `min` and `max`, with a peak
/// at every step.
template <class T>
class PatternA {
 public:
  /// Begins as the value number `first` of the series if it never turned round before.
  PatternA(std::uint64_t first, std::uint64_t length, T step, T min, T max) noexcept;
  T next() noexcept;

 private:
  std::uint64_t index_, length_;
  T level_, step_, min_, max_;
};

/// Noise near the bounds and ramps between them, which take turns after `length` values.
template <class T>
class PatternB {
 public:
  /// Begins with the value number `first` of the series.
  PatternB(std::uint64_t first, std::uint64_t length, T min, T max, std::uint64_t seed) noexcept;
  T next() noexcept;

 private:
  std::uint64_t first_, index_, length_;
  T min_, max_, slope_;
  Random random_;
};

/// Numbers up to 1 with 0 to `max_decimals` digits behind the point.
class Decimals {
 public:
  Decimals(unsigned max_decimals, std::uint64_t seed) noexcept;
  float next() noexcept;

 private:
  unsigned max_decimals_;
  Random random_;
};

/// Parts of these series: part `part` of them, as long as `values`.
template <class T>
void pattern_a(std::span<T> values, std::uint64_t part, std::uint64_t length, T step, T min, T max) noexcept;
template <class T>
void pattern_b(std::span<T> values, std::uint64_t part, std::uint64_t length, T min, T max,
               std::uint64_t seed) noexcept;
void decimals(std::span<float> values, unsigned max_decimals, std::uint64_t seed) noexcept;

/// Part `part` of a staircase with peaks near `max`, of which there is one with the probability `share`.
void outliers(std::span<std::int32_t> values, std::uint64_t part, std::uint64_t length, std::int32_t step,
              std::int32_t min, std::int32_t max, double share, std::uint64_t seed) noexcept;

}  // namespace floe::research
