// What do benchmarks share that measure two ways of the same work in turn? Arrays, and medians of ratios of
// pairs: what disturbs the machine for longer than a pair does not count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"

namespace floe::bench {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

inline constexpr const char* codecs[] = {"spspeed", "dpspeed", "spratio", "dpratio", "gfc"};
inline constexpr int fewest_pairs = 5;

struct Array {
  std::string name;
  Bytes content;
  DType dtype;
  [[nodiscard]] bool fits(std::string_view codec) const {
    return codec == "gfc" || (dtype == DType::f64) == (codec[0] == 'd');
  }
};

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// A raw file with a name such as x_f32_721x1440.bin.
inline Array load(const std::string& file) {
  std::ifstream source(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(source), {}};
  const bool is_double = file.find("_f64_") != std::string::npos;
  if (bytes.empty() || (!is_double && file.find("_f32_") == std::string::npos))
    fail("an array is empty or of no type known here");
  Array array{file.substr(file.rfind('/') + 1), Bytes(bytes.size()), is_double ? DType::f64 : DType::f32};
  std::memcpy(array.content.data(), bytes.data(), bytes.size());
  return array;
}

/// The content repeated, or its middle.
inline Bytes repeated(const Bytes& content, std::size_t size) {
  Bytes longer(size);
  const std::size_t from = content.size() > size ? (content.size() - size) / 2 / 8 * 8 : 0;
  for (std::size_t at = 0, part; at < size; at += part) {
    part = std::min(content.size() - from, size - at);
    std::memcpy(longer.data() + at, content.data() + from, part);
  }
  return longer;
}

template <class Work>
double seconds_of(const Work& work, int repetitions) {
  const auto begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
}

/// The median of the ratios that pairs have, measured for some seconds.
template <class Pair>
double median_of_pairs(const Pair& ratio_of_pair, double seconds) {
  std::vector<double> ratios;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (ratios.size() < fewest_pairs || Clock::now() < end) ratios.push_back(ratio_of_pair());
  return median(ratios);
}

/// What --seconds, --codec and the names of files say.
struct Arguments {
  double seconds = 0.2;
  std::string_view only;  ///< A codec, or empty.
  std::vector<Array> arrays;
  Arguments(int count, char** texts) {
    for (int i = 1; i < count; ++i) {
      const std::string argument = texts[i];
      if (argument == "--seconds" && i + 1 < count) {
        seconds = std::strtod(texts[++i], nullptr);
      } else if (argument == "--codec" && i + 1 < count) {
        only = texts[++i];
      } else {
        arrays.push_back(load(argument));
      }
    }
    if (arrays.empty()) fail("needs arrays");
  }
};

}  // namespace floe::bench
