#include "tables/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::tables {
namespace {

/// A level that goes up and down between two bounds.
template <class T>
struct Level {
  T value, step, least, greatest;
  void advance() noexcept {
    value = static_cast<T>(value + step);
    if (value > greatest || value < least) step = static_cast<T>(-step);
  }
};

template <class T>
T first_level(std::uint64_t values_before, std::uint64_t length, T step, T least) noexcept {
  return static_cast<T>(least + static_cast<T>(values_before / length) * step);
}

}  // namespace

template <class T>
void pattern_a(std::span<T> values, std::uint64_t part, std::uint64_t length, T step, T least, T greatest) noexcept {
  const std::uint64_t before = part * values.size();
  Level<T> level{first_level(before, length, step, least), step, least, greatest};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((before + i) % length == 0) {
      values[i] = greatest;
      level.advance();
    } else {
      values[i] = std::clamp(level.value, least, greatest);
    }
  }
}

template <class T>
void pattern_b(std::span<T> values, std::uint64_t part, std::uint64_t length, T least, T greatest, std::uint64_t seed) noexcept {
  Random random(seed + part);
  const std::uint64_t before = part * values.size();
  const T slope = static_cast<T>(static_cast<T>(greatest - least) / static_cast<T>(length / 2));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t x = (before + i) % length;
    if ((before + i) / length % 2 == 0) {
      const T noise = static_cast<T>(random.below(6));
      values[i] = i % 2 == 0 ? static_cast<T>(greatest - noise) : static_cast<T>(least + noise);
    } else {
      const std::uint64_t distance = x < length / 2 ? x : length - x;
      const T drop = static_cast<T>(static_cast<T>(distance) * slope);
      values[i] = static_cast<T>(greatest - drop);
    }
  }
}

void outliers(std::span<std::int32_t> values, std::uint64_t part, std::uint64_t length, std::int32_t step, std::int32_t least,
              std::int32_t greatest, double share, std::uint64_t seed) noexcept {
  Random random(seed + part);
  const auto limit = static_cast<std::uint32_t>(share * 65536);
  Level<std::int32_t> level{first_level(part * values.size(), length, step, least), step, least, greatest};
  for (std::int32_t& value : values) {
    if (random.below(65536) < limit) {
      value = greatest + static_cast<std::int32_t>(random.below(20)) - 10;
    } else {
      value = std::clamp(level.value, least, greatest);
      level.advance();
    }
  }
}

void decimals(std::span<float> values, unsigned most_decimals, std::uint64_t seed) noexcept {
  constexpr std::array<float, 8> powers = {1.0F, 10.0F, 100.0F, 1000.0F, 10000.0F, 100000.0F, 1000000.0F, 10000000.0F};
  Random random(seed);
  for (float& value : values) {
    const float unit = static_cast<float>((random.next() >> 8) + 1) / 16777216.0F;  // above 0, up to 1
    const float power = powers[random.below(std::min(most_decimals, 7U) + 1)];
    const float scaled = unit * power;
    value = std::trunc(scaled) / power;
  }
}

template void pattern_a(std::span<std::int32_t>, std::uint64_t, std::uint64_t, std::int32_t, std::int32_t, std::int32_t) noexcept;
template void pattern_a(std::span<std::int64_t>, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t) noexcept;
template void pattern_a(std::span<float>, std::uint64_t, std::uint64_t, float, float, float) noexcept;
template void pattern_b(std::span<std::int32_t>, std::uint64_t, std::uint64_t, std::int32_t, std::int32_t, std::uint64_t) noexcept;
template void pattern_b(std::span<std::int64_t>, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::uint64_t) noexcept;
template void pattern_b(std::span<float>, std::uint64_t, std::uint64_t, float, float, std::uint64_t) noexcept;

}  // namespace floe::tables
