#include "series_cases.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "device_work.hpp"
#include "tests/series/generators.hpp"

namespace floe::bench {
namespace {

using test::Random;

template <class T>
SeriesCase make_case(std::string data, std::string tree, DType type, const std::vector<T>& values) {
  SeriesCase made{std::move(data), std::move(tree), type,
                  std::vector<std::uint8_t>(values.size() * sizeof(T))};
  std::memcpy(made.words.data(), values.data(), made.words.size());
  return made;
}

template <class T, class Value>
std::vector<T> column(std::uint64_t count, Value value) {
  std::vector<T> words(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = static_cast<T>(value(i));
  return words;
}

/// Leaves of entropy, alone and below the encodings that come before them most often.
void add_entropy_cases(std::uint64_t count, Random& random, const std::vector<std::int32_t>& walks,
                       const std::vector<std::int64_t>& times, const std::vector<double>& cents,
                       std::vector<SeriesCase>& all) {
  // Around 0, small ones more often.
  const auto bell = [&](unsigned bits) {
    double sum = 0;
    for (unsigned i = 0; i < 6; ++i) sum += static_cast<double>(random.next() >> (64 - bits));
    return sum - 3 * static_cast<double>((std::uint64_t{1} << bits) - 1);
  };
  const auto waves = column<double>(count, [&](std::uint64_t i) {
    return 1000 * std::sin(static_cast<double>(i) * 1e-3) + bell(16) * 1e-5;
  });
  all.push_back(make_case("residuals", "entropy", DType::i32,
                          column<std::int32_t>(count, [&](std::uint64_t) { return bell(12); })));
  all.push_back(make_case("residuals", "entropy", DType::i64,
                          column<std::int64_t>(count, [&](std::uint64_t) { return bell(30); })));
  all.push_back(make_case("walk", "delta,entropy", DType::i32, walks));
  all.push_back(make_case("times", "delta,entropy", DType::i64, times));
  all.push_back(make_case("walk", "delta(1,3),entropy", DType::i32, walks));
  all.push_back(make_case("waves", "sortable,delta,entropy", DType::f32,
                          column<float>(count, [&](std::uint64_t i) { return waves[i]; })));
  all.push_back(make_case("waves", "sortable,delta,entropy", DType::f64, waves));
  all.push_back(make_case("cents", "decimal(2,4),delta,entropy,raw,raw", DType::f64, cents));
  all.push_back(make_case("cents", "decimal(2,4),entropy,raw,raw", DType::f32,
                          column<float>(count, [&](std::uint64_t i) { return cents[i]; })));
  all.push_back(make_case("weights", "entropy", DType::bf16, column<std::uint16_t>(count, [&](std::uint64_t) {
                            const auto weight = static_cast<float>(bell(20) * 1e-8);
                            return std::bit_cast<std::uint32_t>(weight) >> 16;
                          })));
}

std::vector<SeriesCase> all_cases(std::uint64_t count) {
  Random random(1);
  std::vector<SeriesCase> all;
  const auto noise = [&](unsigned bits) {
    return [&random, bits](std::uint64_t) { return random.next() >> (64 - bits); };
  };
  all.push_back(make_case("5 bits", "bitpack", DType::u8, column<std::uint8_t>(count, noise(5))));
  all.push_back(make_case("9 bits", "bitpack", DType::u16, column<std::uint16_t>(count, noise(9))));
  all.push_back(make_case("17 bits", "bitpack", DType::u32, column<std::uint32_t>(count, noise(17))));
  all.push_back(make_case("20 bits", "bitpack", DType::u64, column<std::uint64_t>(count, noise(20))));
  const auto steps = column<std::uint32_t>(count, noise(20));
  all.push_back(
      make_case("outliers", "bitpack", DType::i32, column<std::int32_t>(count, [&](std::uint64_t i) {
                  return steps[i] % 100 == 0 ? 1 << 24 : static_cast<int>(steps[i] & 1023);
                })));
  std::uint64_t time = 1'700'000'000'000;
  const auto times =
      column<std::int64_t>(count, [&](std::uint64_t i) { return time += 1000 + steps[i] % 64; });
  all.push_back(make_case("times", "delta,bitpack", DType::i64, times));
  all.push_back(make_case("times", "delta(2,1),bitpack", DType::i64, times));
  all.push_back(make_case("times", "int_mult,bitpack", DType::i64, times));
  const auto minute = [&](std::uint64_t i) { return 1'000'000'020 + 60 * (steps[i] & 0xFFFFF); };
  auto minutes = column<std::int64_t>(count, minute);
  all.push_back(make_case("minutes", "int_mult,bitpack", DType::i64, minutes));
  minutes[count / 2 + 12345] += 1;  // where no divisor is looked for
  all.push_back(make_case("minutes but one", "int_mult,bitpack", DType::i64, minutes));
  all.push_back(make_case("minutes", "int_mult,bitpack", DType::u32, column<std::uint32_t>(count, minute)));
  std::int32_t walk = 0;
  const auto walks = column<std::int32_t>(
      count, [&](std::uint64_t i) { return walk += static_cast<std::int32_t>(steps[i] % 1001) - 500; });
  all.push_back(make_case("walk", "delta,bitpack", DType::i32, walks));
  const auto cents = column<double>(count, [&](std::uint64_t i) { return (steps[i] % 100000) / 100.0; });
  all.push_back(make_case("cents", "decimal(2,4),bitpack,bitpack,raw", DType::f64, cents));
  all.push_back(make_case("cents", "decimal(2,4),delta,bitpack,bitpack,raw", DType::f64, cents));
  all.push_back(
      make_case("cents", "decimal(2,4),bitpack,bitpack,raw", DType::f32,
                column<float>(count, [&](std::uint64_t i) { return (steps[i] % 100000) / 100.0; })));
  all.push_back(make_case("cents", "sortable,bitpack", DType::f64, cents));
  all.push_back(make_case("cents", "raw", DType::f64, cents));
  all.push_back(make_case("equal", "constant", DType::f64, std::vector<double>(count, 1.5)));
  const auto words_of = [&](std::uint64_t kinds) {
    return column<std::int32_t>(count, [&steps, kinds](std::uint64_t i) {
      return static_cast<std::int32_t>((steps[i] % kinds) * 7919 * 7919);
    });
  };
  all.push_back(make_case("200 words", "dict,raw,bitpack,raw", DType::i32, words_of(200)));
  all.push_back(make_case("20000 words", "dict,raw,bitpack,raw", DType::i32, words_of(20000)));
  all.push_back(make_case("3 words", "dict,raw,bitpack,raw", DType::i32, words_of(3)));
  const auto runs_of = [&](std::uint64_t length) {
    std::uint64_t left = 0;
    std::int32_t value = 0;
    return column<std::int32_t>(count, [&, length, left, value](std::uint64_t) mutable {
      if (left-- == 0) {
        left = random.below(2 * length);
        value = static_cast<std::int32_t>(random.below(100000));
      }
      return value;
    });
  };
  all.push_back(make_case("runs of 5", "rle,bitpack,bitpack", DType::i32, runs_of(5)));
  all.push_back(make_case("runs of 50", "rle,bitpack,bitpack", DType::i32, runs_of(50)));
  all.push_back(make_case("runs of 1000", "rle,bitpack,bitpack", DType::i32, runs_of(1000)));
  const auto rare = column<std::int32_t>(
      count, [&](std::uint64_t i) { return steps[i] % 50 == 0 ? static_cast<int>(steps[i]) : 7; });
  all.push_back(make_case("2 % others", "sparse,bitpack,bitpack", DType::i32, rare));
  all.push_back(make_case("2 % others", "split,bitpack,bitpack,bitpack", DType::i32, rare));
  all.push_back(make_case("times", "stride_split(2),delta,bitpack,delta,bitpack", DType::i64, times));
  all.push_back(make_case("times", "delta(1,3),bitpack", DType::i64, times));
  // The trees of the thesis's section on sizes of packs, with what takes the place of its encodings.
  all.push_back(make_case("walk", "int_mult,delta,raw", DType::i32, walks));
  all.push_back(make_case("walk", "int_mult,delta,split,bitpack,bitpack,bitpack", DType::i32, walks));
  all.push_back(make_case("cents in runs",
                          "split(2),bitpack,constant,decimal(2,4),rle,bitpack,bitpack,bitpack,raw",
                          DType::f32, column<float>(count, [&](std::uint64_t i) {
                            return steps[i / 64] % 10 == 0 ? 1e30 : (steps[i / 16] % 10000) / 100.0;
                          })));
  all.push_back(
      make_case("200 words", "dict,int_mult,delta,raw,delta,bitpack,raw", DType::i32, words_of(200)));
  all.push_back(
      make_case("Pattern A", "", DType::i32, test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1'000'000)));
  all.push_back(make_case("Pattern B", "", DType::i32,
                          test::pattern_b<std::int32_t>(count, 0, count / 4, 3, 10'000'000, random)));
  all.push_back(make_case("Time", "", DType::i64, test::time_column(count, 100'000, 10, random)));
  all.push_back(make_case("32 bits", "bitpack", DType::u32, column<std::uint32_t>(count, noise(32))));
  all.push_back(make_case("50 bits", "bitpack", DType::u64, column<std::uint64_t>(count, noise(50))));
  add_entropy_cases(count, random, walks, times, cents, all);
  return all;
}

}  // namespace

std::vector<SeriesCase> series_cases(std::uint64_t count, const std::string& only) {
  std::vector<SeriesCase> cases = all_cases(count);
  std::erase_if(cases, [&](const SeriesCase& what) {
    return !only.empty() && what.tree != only && what.data != only &&
           !(what.tree.empty() && only == "optimizer");
  });
  if (cases.empty()) throw std::runtime_error("no tree and no data are called " + only);
  return cases;
}

double print_series_header(const Arguments& arguments) {
  const Times copy = measure_copy(arguments.bytes, arguments.runs);
  const double rate = static_cast<double>(arguments.bytes) / copy.median;
  std::printf("data,tree,type,segment_words,bytes,stored,direction,seconds,fastest,GB/s,of_copy,check\n");
  std::printf("copy,,,,%llu,1,copy,%.6f,%.6f,%.1f,1,\n", static_cast<unsigned long long>(arguments.bytes),
              copy.median, copy.fastest, rate * 1e-9);
  return rate;
}

}  // namespace floe::bench
