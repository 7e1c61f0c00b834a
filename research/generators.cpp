#include "research/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::research {
namespace {

/// A level that goes up and down between two bounds.
template <class T>
struct Level {
  T value, step, min, max;
  void advance() noexcept {
    value = static_cast<T>(value + step);
    if (value > max || value < min) step = static_cast<T>(-step);
  }
};

template <class T>
T first_level(std::uint64_t values_before, std::uint64_t length, T step, T min) noexcept {
  return static_cast<T>(min + static_cast<T>(values_before / length) * step);
}

}  // namespace

template <class T>
PatternA<T>::PatternA(std::uint64_t first, std::uint64_t length, T step, T min, T max) noexcept
    : index_(first),
      length_(length),
      level_(first_level(first, length, step, min)),
      step_(step),
      min_(min),
      max_(max) {}

template <class T>
T PatternA<T>::next() noexcept {
  if (index_++ % length_ != 0) return std::clamp(level_, min_, max_);
  Level<T> level{level_, step_, min_, max_};
  level.advance();
  level_ = level.value;
  step_ = level.step;
  return max_;
}

template <class T>
PatternB<T>::PatternB(std::uint64_t first, std::uint64_t length, T min, T max, std::uint64_t seed) noexcept
    : first_(first),
      index_(first),
      length_(length),
      min_(min),
      max_(max),
      slope_(static_cast<T>(static_cast<T>(max - min) / static_cast<T>(length / 2))),
      random_(seed) {}

template <class T>
T PatternB<T>::next() noexcept {
  const std::uint64_t index = index_++;
  if (index / length_ % 2 == 0) {
    const T noise = static_cast<T>(random_.below(6));
    return (index - first_) % 2 == 0 ? static_cast<T>(max_ - noise) : static_cast<T>(min_ + noise);
  }
  const std::uint64_t x = index % length_;
  const std::uint64_t distance = x < length_ / 2 ? x : length_ - x;
  const T drop = static_cast<T>(static_cast<T>(distance) * slope_);
  return static_cast<T>(max_ - drop);
}

Decimals::Decimals(unsigned max_decimals, std::uint64_t seed) noexcept
    : max_decimals_(std::min(max_decimals, 7U)), random_(seed) {}

float Decimals::next() noexcept {
  constexpr std::array<float, 8> powers = {1.0F,     10.0F,     100.0F,     1000.0F,
                                           10000.0F, 100000.0F, 1000000.0F, 10000000.0F};
  const float unit = static_cast<float>((random_.next() >> 8) + 1) / 16777216.0F;  // above 0, up to 1
  const float power = powers[random_.below(max_decimals_ + 1)];
  const float scaled = unit * power;
  return std::trunc(scaled) / power;
}

template <class T>
void pattern_a(std::span<T> values, std::uint64_t part, std::uint64_t length, T step, T min, T max) noexcept {
  PatternA<T> series(part * values.size(), length, step, min, max);
  for (T& value : values) value = series.next();
}

template <class T>
void pattern_b(std::span<T> values, std::uint64_t part, std::uint64_t length, T min, T max,
               std::uint64_t seed) noexcept {
  PatternB<T> series(part * values.size(), length, min, max, seed + part);
  for (T& value : values) value = series.next();
}

void decimals(std::span<float> values, unsigned max_decimals, std::uint64_t seed) noexcept {
  Decimals series(max_decimals, seed);
  for (float& value : values) value = series.next();
}

void outliers(std::span<std::int32_t> values, std::uint64_t part, std::uint64_t length, std::int32_t step,
              std::int32_t min, std::int32_t max, double share, std::uint64_t seed) noexcept {
  Random random(seed + part);
  const auto limit = static_cast<std::uint32_t>(share * 65536);
  Level<std::int32_t> level{first_level(part * values.size(), length, step, min), step, min, max};
  for (std::int32_t& value : values) {
    if (random.below(65536) < limit) {
      value = max + static_cast<std::int32_t>(random.below(20)) - 10;
    } else {
      value = std::clamp(level.value, min, max);
      level.advance();
    }
  }
}

template class PatternA<std::int32_t>;
template class PatternA<float>;
template class PatternB<std::int32_t>;
template class PatternB<float>;
template void pattern_a(std::span<std::int32_t>, std::uint64_t, std::uint64_t, std::int32_t, std::int32_t,
                        std::int32_t) noexcept;
template void pattern_a(std::span<std::int64_t>, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t,
                        std::int64_t) noexcept;
template void pattern_a(std::span<float>, std::uint64_t, std::uint64_t, float, float, float) noexcept;
template void pattern_b(std::span<std::int32_t>, std::uint64_t, std::uint64_t, std::int32_t, std::int32_t,
                        std::uint64_t) noexcept;
template void pattern_b(std::span<std::int64_t>, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t,
                        std::uint64_t) noexcept;
template void pattern_b(std::span<float>, std::uint64_t, std::uint64_t, float, float, std::uint64_t) noexcept;

}  // namespace floe::research
