// Batches of a series that one encoder takes in turn, and how much it makes of them.
#pragma once

#include <gtest/gtest.h>

#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"

namespace floe::test {

using trees::Preset;

template <class T>
constexpr DType type_of = std::is_same_v<T, double>         ? DType::f64
                          : std::is_same_v<T, std::int16_t> ? DType::i16
                          : std::is_same_v<T, float>        ? DType::f32
                          : std::is_same_v<T, std::int64_t> ? DType::i64
                                                            : DType::i32;

template <class T>
using Batches = std::vector<std::vector<T>>;

template <class T>
std::uint64_t size_of(const Batches<T>& batches) {
  std::uint64_t bytes = 0;
  for (const std::vector<T>& batch : batches) bytes += batch.size() * sizeof(T);
  return bytes;
}

/// Encodes batch after batch, checks that each comes back, and returns the bytes of all.
template <class T>
std::uint64_t encode_all(const Batches<T>& batches, ColumnEncoder& encoder) {
  std::uint64_t bytes = 0;
  for (const std::vector<T>& batch : batches) {
    const Column column(type_of<T>, batch);
    const std::vector<std::uint8_t> encoded = encoder.encode(column.view());
    Column decoded(column.type, column.count());
    EXPECT_TRUE(decode(encoded, decoded).ok());
    EXPECT_EQ(decoded.bytes, column.bytes);
    bytes += encoded.size();
  }
  return bytes;
}

template <class T>
double ratio_of(const Batches<T>& batches, Preset preset = Preset::balanced) {
  ColumnEncoder encoder(preset);
  return static_cast<double>(size_of(batches)) / static_cast<double>(encode_all(batches, encoder));
}

/// What planners that know nothing of other batches need.
template <class T>
std::uint64_t bytes_with_fresh_planners(const Batches<T>& batches) {
  std::uint64_t bytes = 0;
  for (const std::vector<T>& batch : batches) {
    ColumnEncoder fresh;
    bytes += encode_all(Batches<T>{batch}, fresh);
  }
  return bytes;
}

inline constexpr std::uint64_t segment = 1 << 18;

inline Batches<std::int32_t> adaptation_trace() {
  Batches<std::int32_t> batches;
  for (std::uint64_t i = 0; i < 26; ++i)
    batches.push_back(pattern_b<std::int32_t>(5000, i, 30000, -10000, 10000, Random(i)));
  return batches;
}

}  // namespace floe::test
