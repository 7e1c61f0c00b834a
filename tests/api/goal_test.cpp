// Does a goal store more than a faster one? Of arrays whose samples deceive: most of what is seen of them is
// alike, and the rest decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "floe/floe.hpp"
#include "tests/support/data.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

struct Array {
  const char* name;
  DType dtype;
  Extent extent;
  Bytes content;
};

template <class T, class Value>
Array array_of(const char* name, DType dtype, std::uint64_t rows, std::uint64_t columns, Value value) {
  Array array{name, dtype, Extent{{rows, columns}, 2}, Bytes(rows * columns * sizeof(T))};
  for (std::uint64_t i = 0; i < rows * columns; ++i) {
    const T word = static_cast<T>(value(i));
    std::memcpy(array.content.data() + i * sizeof(T), &word, sizeof(T));
  }
  return array;
}

/// A walk that stays at zero nearly always, in hundredths.
Array rare_walks() {
  Random random(1);
  double height = 0;
  return array_of<double>("rare walks", DType::f64, 70'000, 1, [&](std::uint64_t i) {
    height = i % 23'000 < 900 ? std::max(0.0, height + random.bell()) : 0.0;
    return std::round(height * 100) / 100;
  });
}

/// A clock beside values of a few kinds.
Array clock_and_kinds() {
  Random random(2);
  std::int64_t time = 0;
  return array_of<std::int64_t>("clock and kinds", DType::i64, 150'000, 2, [&](std::uint64_t i) {
    if (i % 2 == 0) return time += static_cast<std::int64_t>(random.below(6));
    return static_cast<std::int64_t>(random.below(5)) - 2;
  });
}

/// A clock that counts on beside a smooth curve of large integers.
Array clock_and_curve() {
  std::int64_t time = 0;
  Random random(3);
  return array_of<std::int64_t>("clock and curve", DType::i64, 70'000, 2, [&](std::uint64_t i) {
    if (i % 2 == 0) return time += 100 * (1 + static_cast<std::int64_t>(random.below(8)));
    const auto x = static_cast<std::int64_t>(i);
    return x * (x - 200'000) / 500'000;
  });
}

/// Rows of floats as doubles, smooth in both directions.
Array rows_of_floats() {
  Random random(4);
  std::vector<double> above(1000, 0.0);
  double step = 0;
  return array_of<double>("rows of floats", DType::f64, 70, 1000, [&](std::uint64_t i) {
    step = i % 1000 == 0 ? random.bell() : step + random.bell();
    above[i % 1000] += step;
    return static_cast<double>(static_cast<float>(above[i % 1000] / 500));
  });
}

/// Mostly zeros, and curves between them.
Array sparse_curves() {
  Random random(5);
  double height = 0;
  return array_of<float>("sparse curves", DType::f32, 70'000, 1, [&](std::uint64_t) {
    height += random.bell();
    return random.below(10) < 9 ? 0.0 : std::round(height * 1e4) / 1e4;
  });
}

/// A picture of four channels, of which the last one is a disc.
Array picture() {
  Random random(6);
  constexpr std::uint64_t rows = 200, columns = 60;
  return array_of<std::uint8_t>("picture", DType::u8, rows, 4 * columns, [&](std::uint64_t i) {
    const auto channel = static_cast<double>(i % 4), x = static_cast<double>(i / 4 % columns),
               y = static_cast<double>(i / 4 / columns);
    if (i % 4 == 3) return std::hypot(x - columns / 2, y - rows / 2) < columns / 2.2 ? 255.0 : 0.0;
    return std::clamp(
        40 + 30 * std::sin(x / 9 + channel) + 40 * std::cos(y / (9 + channel)) + 5 * random.bell(), 0.0,
        255.0);
  });
}

std::uint64_t stored_bytes(const Array& array, Goal goal) {
  Options options;
  options.threads = 1;
  options.goal = goal;
  return compress(std::as_bytes(std::span(array.content)), array.dtype, array.extent, options).value().size();
}

TEST(Goals, StoreNoMoreThanFasterOnes) {
  std::size_t number = 0;
  for (const Array& array :
       {rare_walks(), clock_and_kinds(), clock_and_curve(), rows_of_floats(), sparse_curves(), picture()}) {
    if (sanitized && number++ % 3 != 0) continue;
    std::uint64_t faster = stored_bytes(array, Goal::speed);
    for (const Goal goal : {Goal::balance, Goal::ratio, Goal::max}) {
      const std::uint64_t bytes = stored_bytes(array, goal);
      EXPECT_LE(bytes, faster + faster / 100) << array.name << ", goal " << static_cast<int>(goal);
      faster = bytes;
    }
  }
}

}  // namespace
}  // namespace floe::test
