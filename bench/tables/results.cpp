// What do the results of K. Dzitkowski's thesis (2016) look like with floe? Makes its data, encodes them and
// prints one CSV line per result: table, row, quantity, value. Ratios are input bytes per output byte,
// everything included; speeds are those of one thread in GB/s of input, where nothing else is said. Arguments
// name the parts that are wanted; without any, all are.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "generated_table.hpp"
#include "measuring.hpp"
#include "thesis_columns.hpp"

namespace floe::bench {
namespace {

void adaptation_trace() {
  Packs packs;
  for (std::uint64_t i = 0; i < 26; ++i) packs.push_back(pattern_b_i32(i, 5000, 30000, -10000, 10000));
  print_ratios("trace", "Pattern B; 26 packs of 5000", packs);
  print("trace", "Pattern B; 26 packs of 5000", "search for each pack", ratio_of_search_for_each_pack(packs));
}

void large_columns() {
  constexpr std::size_t n = std::size_t{1} << 20, packs_per_column = 8;
  research::TimeSeries series(100000, 0.1, 7);
  Packs a, b, time;
  std::vector<std::int32_t> whole(n * packs_per_column);
  const auto cut = [&](Packs& to) {
    for (std::size_t i = 0; i < packs_per_column; ++i)
      to.push_back(i32_of(n, [&](std::size_t j) { return whole[i * n + j]; }));
  };
  research::pattern_a<std::int32_t>(whole, 0, 100, 5, 1, 1000000);
  cut(a);
  research::pattern_b<std::int32_t>(whole, 0, whole.size(), 3, 10000000, 1);
  cut(b);
  for (std::size_t i = 0; i < packs_per_column; ++i) time.push_back(times_i64(series, n));
  for (const auto& [name, column] :
       {std::pair<const char*, const Packs*>{"Pattern A", &a}, {"Pattern B", &b}, {"Time", &time}}) {
    const Packs& packs = *column;
    print_ratios("large", name, packs);
    Encoded encoded;
    const double encode_seconds = best_seconds_of(3, [&] {
      pipeline::StreamCoder coder(trees::objective_of(trees::Preset::balanced));
      encoded = encode(packs, coder);
    });
    rows::Words to(packs[0].type(), n);
    const double decode_seconds = best_seconds_of(5, [&] {
      for (const auto& pack : encoded.packs) decode(pack, to);
    });
    print("large", name, "compress GB/s", static_cast<double>(encoded.in_bytes) / encode_seconds / 1e9);
    print("large", name, "decompress GB/s", static_cast<double>(encoded.in_bytes) / decode_seconds / 1e9);
    for (const int rounds : {1, 8}) print_planning(name, {&packs}, rounds);
  }
}

void mixed_regimes() {
  const auto report = [](const char* row, const Packs& packs) {
    print_ratios("mixed", row, packs);
    print("mixed", row, "search for each pack", ratio_of_search_for_each_pack(packs));
  };
  Packs packs;
  for (std::uint64_t i = 0; i < 75; ++i) packs.push_back(pattern_b_i32(i, 5000, 30000, -10000, 10000));
  report("B", packs);
  packs.clear();
  for (std::uint64_t i = 0; i < 50; ++i)
    packs.push_back(i / 6 % 2 == 0 ? pattern_a_i32(i, 10000, 10, 1, -100, 1000)
                                   : pattern_b_i32(i, 5000, 30000, 10000, 10000000));
  report("A+B", packs);
  packs.clear();
  research::TimeSeries times(0, 0.5, 3);
  for (std::uint64_t i = 0; i < 50; ++i) {
    if (i / 6 % 2 == 0) {
      packs.emplace_back(DType::i64, 10000);
      research::pattern_a<std::int64_t>(packs.back().as<std::int64_t>(), i, 100, 1, -100, 1000000);
    } else {
      packs.push_back(times_i64(times, 10000));
    }
  }
  report("Time+A", packs);
  packs.clear();
  for (std::uint64_t i = 0; i < 75; ++i) {
    const std::uint64_t kind = i / 5 % 3;
    packs.push_back(kind == 0   ? pattern_a_f32(i, 10000, 100, 1, -100, 1000000)
                    : kind == 1 ? pattern_b_f32(i, 5000, 30000, -10000, 10000)
                                : decimals_f32(10000, 2, i));
  }
  report("A+B+MaxPrec", packs);
  packs.clear();
  research::Random random(11);
  std::int32_t consecutive = 0;
  for (std::uint64_t i = 0; i < 75; ++i) {
    const std::uint64_t kind = i / 5 % 3;
    packs.push_back(i32_of(10000, [&](std::size_t) {
      if (kind == 0) return static_cast<std::int32_t>(times.next());
      return kind == 1 ? consecutive++ : static_cast<std::int32_t>(100 + random.below(900));
    }));
  }
  report("Time+Cons+Rand", packs);
}

void outliers() {
  for (const int percent : {0, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40}) {
    Packs packs;
    for (std::uint64_t i = 0; i < 20; ++i) {
      packs.emplace_back(DType::i32, 100000);
      research::outliers(packs.back().as<std::int32_t>(), i, 20, 1, 0, 1000000, percent / 100.0, 5);
    }
    print_ratios("outliers", std::to_string(percent) + " %", packs);
  }
}

void samples() {
  constexpr std::size_t n = 10000;
  research::TimeSeries times(1000000, 0.5, 3);
  research::Random random(3);
  const auto report = [](const char* row, Words words) {
    Packs packs;
    packs.push_back(std::move(words));
    print_ratios("samples", row, packs);
  };
  report("times", times_i64(times, n));
  report("float; at most 3 decimals", decimals_f32(n, 3, 1));
  report("random int [10;10000)", i32_of(n, [&](std::size_t) { return 10 + random.below(9990); }));
  report("consecutive int", i32_of(n, [](std::size_t i) { return i; }));
  report("int Pattern A", pattern_a_i32(0, n, 1000, 10, 0, 1000000));
  report("float Pattern A", pattern_a_f32(0, n, 1000, 10, 0, 1000000));
  report("int Pattern B", pattern_b_i32(0, n, 2000000, -100000, 100000));
  report("float Pattern B", pattern_b_f32(0, n, 2000000, -100000, 100000));
}

}  // namespace
}  // namespace floe::bench

int main(int argc, char** argv) {
  using Part = std::pair<std::string, void (*)()>;
  const std::array<Part, 8> parts = {
      Part{"table", floe::bench::generated_table}, {"columns", floe::bench::generated_columns},
      {"threads", floe::bench::few_columns},       {"trace", floe::bench::adaptation_trace},
      {"large", floe::bench::large_columns},       {"mixed", floe::bench::mixed_regimes},
      {"outliers", floe::bench::outliers},         {"samples", floe::bench::samples}};
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  std::printf("table,row,quantity,value\n");
  for (const auto& [name, measure] : parts) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) measure();
  }
}
