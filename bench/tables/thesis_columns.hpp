// Which columns does the thesis measure? Its generators, as packs of words.
#pragma once

#include <cstdint>
#include <vector>

#include "research/generators.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::bench {

using rows::Words;

inline Words pattern_a_i32(std::uint64_t part, std::size_t n, std::uint64_t length, std::int32_t step,
                           std::int32_t min, std::int32_t max) {
  Words words(DType::i32, n);
  research::pattern_a<std::int32_t>(words.as<std::int32_t>(), part, length, step, min, max);
  return words;
}
inline Words pattern_b_i32(std::uint64_t part, std::size_t n, std::uint64_t length, std::int32_t min,
                           std::int32_t max) {
  Words words(DType::i32, n);
  research::pattern_b<std::int32_t>(words.as<std::int32_t>(), part, length, min, max, 1);
  return words;
}
inline Words pattern_a_f32(std::uint64_t part, std::size_t n, std::uint64_t length, float step, float min,
                           float max) {
  Words words(DType::f32, n);
  research::pattern_a<float>(words.as<float>(), part, length, step, min, max);
  return words;
}
inline Words pattern_b_f32(std::uint64_t part, std::size_t n, std::uint64_t length, float min, float max) {
  Words words(DType::f32, n);
  research::pattern_b<float>(words.as<float>(), part, length, min, max, 1);
  return words;
}
inline Words decimals_f32(std::size_t n, unsigned digits, std::uint64_t seed) {
  Words words(DType::f32, n);
  research::decimals(words.as<float>(), digits, seed);
  return words;
}
inline Words times_i64(research::TimeSeries& series, std::size_t n) {
  Words words(DType::i64, n);
  for (std::int64_t& time : words.as<std::int64_t>()) time = series.next();
  return words;
}
template <class Make>
Words i32_of(std::size_t n, Make&& make) {
  Words words(DType::i32, n);
  for (std::size_t i = 0; i < n; ++i) words.as<std::int32_t>()[i] = static_cast<std::int32_t>(make(i));
  return words;
}

}  // namespace floe::bench
