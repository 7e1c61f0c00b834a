// What do the results of K. Dzitkowski's thesis (2016) look like with floe? Makes its data, encodes them and prints one CSV line per
// result: table, row, quantity, value. Ratios are input bytes per output byte, everything included; speeds are those of one thread in GB/s
// of input, where nothing else is said. Arguments name the parts that are wanted; without any, all are.
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "floe/series.hpp"
#include "series/column_codec.hpp"
#include "series/planner/edge_stat_planner.hpp"
#include "tables/cell_index.hpp"
#include "tables/column_reader.hpp"
#include "tables/generators.hpp"
#include "tables/segment_coder.hpp"

namespace floe {
namespace {

using series::ColumnEncoder;
using series::ColumnView;
using series::Preset;
using series::Type;
using tables::Words;
using Packs = std::vector<Words>;

void print(const char* table, const std::string& row, const char* quantity, double value) {
  std::printf("%s,%s,%s,%.6g\n", table, row.c_str(), quantity, value);
  std::fflush(stdout);
}

/// Of the processor, not of the clock: others share the machine, and everything here runs in one thread.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

/// The shortest of several runs.
double best_seconds_of(int runs, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int run = 1; run < runs; ++run) best = std::min(best, seconds_of(work));
  return best;
}

/// The same of the clock, for work of several threads.
double best_elapsed_seconds_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

struct Encoded {
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::vector<std::vector<std::uint8_t>> packs;
  [[nodiscard]] double ratio() const { return static_cast<double>(in_bytes) / static_cast<double>(out_bytes); }
};

/// All packs with one encoder, which remembers.
Encoded encode(const Packs& packs, ColumnEncoder& encoder) {
  Encoded result;
  for (const Words& pack : packs) {
    result.packs.push_back(encoder.encode(view_of(pack)));
    result.in_bytes += pack.bytes().size();
    result.out_bytes += result.packs.back().size();
  }
  return result;
}
Encoded encode(const Packs& packs, ColumnEncoder&& encoder) { return encode(packs, encoder); }

/// Each pack by itself, with a search of its own: what a choice without memory and without haste would give.
double ratio_of_search_for_each_pack(const Packs& packs) {
  std::uint64_t in_bytes = 0, out_bytes = 0;
  for (const Words& pack : packs) {
    in_bytes += pack.bytes().size();
    out_bytes += ColumnEncoder(Preset::ratio).encode(view_of(pack)).size();
  }
  return static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
}

void check_decoding(const Packs& packs, const Encoded& encoded) {
  for (std::size_t i = 0; i < packs.size(); ++i) {
    Words again(packs[i].type(), packs[i].count());
    const Status status = series::decode_column(encoded.packs[i], again.type(), again.count(), again.data());
    if (!status.ok() || !std::ranges::equal(again.bytes(), packs[i].bytes())) {
      std::fprintf(stderr, "a pack does not come back\n");
      std::exit(1);
    }
  }
}

/// Encodes the parts of all packs again with the trees that were chosen for them: what is left of encoding without planning.
void encode_as_planned(const Packs& packs, const Encoded& encoded, series::Scratch& scratch) {
  for (std::size_t i = 0; i < packs.size(); ++i) {
    const ColumnView pack = view_of(packs[i]);
    const auto parts = series::parts_of(encoded.packs[i], pack.type, pack.count);
    const auto* words = static_cast<const std::uint8_t*>(pack.values);
    for (const series::SegmentPart& part : *parts) {
      (void)ColumnEncoder(part.plan).encode({pack.type, words, part.count}, scratch);
      words += part.count * bytes_of(pack.type);
    }
  }
}

/// What planning adds to the time of encoding columns, in percent. Each column is encoded `rounds` times in a row by one encoder.
void print_planning(const std::string& row, const std::vector<const Packs*>& columns, int rounds) {
  series::Scratch scratch;
  double planned = 0, replayed = 0, bytes = 0;
  for (const Packs* packs : columns) {
    Encoded encoded;
    double best_planned = 1e9, best_replayed = 1e9;
    for (int run = 0; run < 3; ++run) {  // in turns, so that what disturbs meets both
      best_planned = std::min(best_planned, seconds_of([&] {
                                ColumnEncoder encoder;
                                for (int round = 0; round < rounds; ++round) encoded = encode(*packs, encoder);
                              }));
      best_replayed = std::min(best_replayed, seconds_of([&] {
                                 for (int round = 0; round < rounds; ++round) encode_as_planned(*packs, encoded, scratch);
                               }));
    }
    planned += best_planned;
    replayed += best_replayed;
    bytes += rounds * static_cast<double>(encoded.in_bytes);
  }
  const std::string label = row + "; " + std::to_string(columns[0]->size() * static_cast<std::size_t>(rounds)) + " segments";
  print("planning", label, "GB/s", bytes / replayed / 1e9);
  print("planning", label, "percent", 100 * (planned / replayed - 1));
}

void print_ratio(const char* table, const std::string& row, const char* planner, const Packs& packs, ColumnEncoder&& encoder) {
  const Encoded encoded = encode(packs, std::move(encoder));
  check_decoding(packs, encoded);
  print(table, row, planner, encoded.ratio());
}

void print_ratios(const char* table, const std::string& row, const Packs& packs) {
  print_ratio(table, row, "thesis's planner", packs, ColumnEncoder(std::make_unique<series::EdgeStatPlanner>()));
  print_ratio(table, row, "balanced", packs, ColumnEncoder(Preset::balanced));
  print_ratio(table, row, "ratio", packs, ColumnEncoder(Preset::ratio));
}

// ---- the thesis's series ------------------------------------------------------------------------------------------------------

Words pattern_a_i32(std::uint64_t part, std::size_t n, std::uint64_t length, std::int32_t step, std::int32_t least, std::int32_t greatest) {
  Words words(Type::i32, n);
  tables::pattern_a<std::int32_t>(words.as<std::int32_t>(), part, length, step, least, greatest);
  return words;
}
Words pattern_b_i32(std::uint64_t part, std::size_t n, std::uint64_t length, std::int32_t least, std::int32_t greatest) {
  Words words(Type::i32, n);
  tables::pattern_b<std::int32_t>(words.as<std::int32_t>(), part, length, least, greatest, 1);
  return words;
}
Words pattern_a_f32(std::uint64_t part, std::size_t n, std::uint64_t length, float step, float least, float greatest) {
  Words words(Type::f32, n);
  tables::pattern_a<float>(words.as<float>(), part, length, step, least, greatest);
  return words;
}
Words pattern_b_f32(std::uint64_t part, std::size_t n, std::uint64_t length, float least, float greatest) {
  Words words(Type::f32, n);
  tables::pattern_b<float>(words.as<float>(), part, length, least, greatest, 1);
  return words;
}
Words decimals_f32(std::size_t n, unsigned digits, std::uint64_t seed) {
  Words words(Type::f32, n);
  tables::decimals(words.as<float>(), digits, seed);
  return words;
}
Words times_i64(tables::TimeSeries& series, std::size_t n) {
  Words words(Type::i64, n);
  for (std::int64_t& time : words.as<std::int64_t>()) time = series.next();
  return words;
}
template <class Make>
Words i32_of(std::size_t n, Make&& make) {
  Words words(Type::i32, n);
  for (std::size_t i = 0; i < n; ++i) words.as<std::int32_t>()[i] = static_cast<std::int32_t>(make(i));
  return words;
}

// ---- its tables ---------------------------------------------------------------------------------------------------------------

void adaptation_trace() {
  Packs packs;
  for (std::uint64_t i = 0; i < 26; ++i) packs.push_back(pattern_b_i32(i, 5000, 30000, -10000, 10000));
  print_ratios("trace", "Pattern B; 26 packs of 5000", packs);
  print("trace", "Pattern B; 26 packs of 5000", "search for each pack", ratio_of_search_for_each_pack(packs));
}

void large_columns() {
  constexpr std::size_t n = std::size_t{1} << 20, packs_per_column = 8;
  tables::TimeSeries series(100000, 0.1, 7);
  Packs a, b, time;
  std::vector<std::int32_t> whole(n * packs_per_column);
  const auto cut = [&](Packs& to) {
    for (std::size_t i = 0; i < packs_per_column; ++i) to.push_back(i32_of(n, [&](std::size_t j) { return whole[i * n + j]; }));
  };
  tables::pattern_a<std::int32_t>(whole, 0, 100, 5, 1, 1000000);
  cut(a);
  tables::pattern_b<std::int32_t>(whole, 0, whole.size(), 3, 10000000, 1);
  cut(b);
  for (std::size_t i = 0; i < packs_per_column; ++i) time.push_back(times_i64(series, n));
  for (const auto& [name, column] : {std::pair<const char*, const Packs*>{"Pattern A", &a}, {"Pattern B", &b}, {"Time", &time}}) {
    const Packs& packs = *column;
    print_ratios("large", name, packs);
    Encoded encoded;
    const double encode_seconds = best_seconds_of(3, [&] { encoded = encode(packs, ColumnEncoder()); });
    Words to(packs[0].type(), n);
    const double decode_seconds = best_seconds_of(5, [&] {
      for (const auto& pack : encoded.packs) (void)series::decode_column(pack, to.type(), n, to.data());
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
    packs.push_back(i / 6 % 2 == 0 ? pattern_a_i32(i, 10000, 10, 1, -100, 1000) : pattern_b_i32(i, 5000, 30000, 10000, 10000000));
  report("A+B", packs);
  packs.clear();
  tables::TimeSeries times(0, 0.5, 3);
  for (std::uint64_t i = 0; i < 50; ++i) {
    if (i / 6 % 2 == 0) {
      packs.emplace_back(Type::i64, 10000);
      tables::pattern_a<std::int64_t>(packs.back().as<std::int64_t>(), i, 100, 1, -100, 1000000);
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
  tables::Random random(11);
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
      packs.emplace_back(Type::i32, 100000);
      tables::outliers(packs.back().as<std::int32_t>(), i, 20, 1, 0, 1000000, percent / 100.0, 5);
    }
    print_ratios("outliers", std::to_string(percent) + " %", packs);
  }
}

void samples() {
  constexpr std::size_t n = 10000;
  tables::TimeSeries times(1000000, 0.5, 3);
  tables::Random random(3);
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

// ---- the generated table ------------------------------------------------------------------------------------------------------

std::string generated_text(std::uint64_t rows) {
  std::string text;
  const Status status = tables::generate_table(rows, [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  });
  return status.ok() ? text : std::string();
}

template <class Feed>
std::vector<std::byte> compressed(tables::TableOptions options, Feed&& feed) {
  std::vector<std::byte> table;
  auto compressor = tables::TableCompressor::create(
      [&table](std::span<const std::byte> bytes) {
        table.insert(table.end(), bytes.begin(), bytes.end());
        return Status{};
      },
      options);
  compressor.status().or_throw();
  feed(*compressor);
  compressor->finish().or_throw();
  return table;
}

void decompress(const std::vector<std::byte>& table) {
  std::uint64_t bytes = 0;
  tables::TableDecompressor decompressor(
      [&bytes](std::span<const std::byte> part) {
        bytes += part.size();
        return Status{};
      },
      {.threads = 1});
  decompressor.write(table).or_throw();
  decompressor.finish().or_throw();
}

void generated_table() {
  const std::string text = generated_text(1000000);
  const auto text_bytes = static_cast<double>(text.size());
  std::vector<std::byte> table;
  for (const auto& [name, goal] : {std::pair{"balanced", Goal::balance}, {"ratio", Goal::ratio}}) {
    tables::TableOptions options;
    options.goal = goal;
    options.threads = 1;
    table = compressed(options, [&text](tables::TableCompressor& to) { to.write(std::as_bytes(std::span(text))).or_throw(); });
    print("GEN1", "CSV", name, text_bytes / static_cast<double>(table.size()));
  }
  tables::TableOptions one_thread;
  one_thread.threads = 1;
  const double compress_seconds = best_seconds_of(3, [&] {
    (void)compressed(one_thread, [&text](tables::TableCompressor& to) { to.write(std::as_bytes(std::span(text))).or_throw(); });
  });
  print("GEN1", "CSV", "compress GB/s", text_bytes / compress_seconds / 1e9);
  print("GEN1", "CSV", "decompress GB/s", text_bytes / best_seconds_of(5, [&] { decompress(table); }) / 1e9);

  tables::CellIndex cells;
  const std::string rows = text.substr(text.find('\n') + 1);
  const double index_seconds = best_seconds_of(5, [&] { cells.build(rows, {}, 6, 1u << 20, true); });
  print("GEN1", "CSV", "find cells GB/s", text_bytes / index_seconds / 1e9);
  const double read_seconds = best_seconds_of(5, [&] {
    for (std::uint32_t column = 0; column < 6; ++column) (void)tables::read_column(cells, column, {true, tables::encoded_bytes});
  });
  print("GEN1", "CSV", "read cells GB/s", text_bytes / (index_seconds + read_seconds) / 1e9);
}

/// Reads the values of all columns; each thread takes the next one that is left.
void read_columns(const std::vector<std::byte>& table, const tables::Schema& schema, std::uint64_t rows, unsigned threads) {
  std::atomic<std::size_t> next{0};
  const auto take_columns = [&] {
    auto reader = tables::TableReader::open(
        [&table](std::uint64_t offset, std::span<std::byte> to) {
          std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
          return Status{};
        },
        table.size());
    reader.status().or_throw();
    std::vector<std::byte> values;
    for (std::size_t column = next++; column < schema.size(); column = next++) {
      values.resize(static_cast<std::size_t>(rows * size_of(schema[column].type)));
      reader->read_values(column, {0, rows}, values, {}, {.threads = 1}).or_throw();
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(take_columns);
  take_columns();
  for (std::thread& other : others) other.join();
}

/// The same columns as arrays in memory.
void generated_columns() {
  constexpr std::size_t n = 1000000;
  tables::TimeSeries series(1454284800, 0.05, 4);
  std::array<Packs, 6> packs;
  packs[0].push_back(times_i64(series, n));
  packs[1].push_back(pattern_a_i32(0, n, 10, 10, 0, 1000000));
  packs[2].push_back(pattern_b_i32(0, n, 100000, 0, 1000000));
  packs[3].push_back(decimals_f32(n, 4, 2));
  packs[4].push_back(pattern_a_f32(0, n, 10, 0.01F, 0, 1000));
  packs[5].push_back(pattern_b_f32(0, n, 1000000, 0, 10000000));
  std::array<const void*, 6> columns{};
  std::ranges::transform(packs, columns.begin(), [](const Packs& column) { return column[0].data(); });
  tables::TableOptions options;
  options.source = tables::TableSource::columns;
  options.schema = tables::generated_schema();
  const auto bytes = static_cast<double>(n * (8 + 5 * 4));
  std::vector<std::byte> table;
  const auto compress = [&] { table = compressed(options, [&](tables::TableCompressor& to) { to.write_columns(columns, n).or_throw(); }); };
  options.threads = 1;
  const double seconds = best_seconds_of(5, compress);
  print("GEN1", "columns in memory", "balanced", bytes / static_cast<double>(table.size()));
  print("GEN1", "columns in memory", "compress GB/s", bytes / seconds / 1e9);
  print("GEN1", "columns in memory", "decompress GB/s",
        bytes / best_seconds_of(5, [&] { read_columns(table, options.schema, n, 1); }) / 1e9);
  options.threads = 2;
  print("GEN1", "columns in memory", "compress GB/s with 2 threads", bytes / best_elapsed_seconds_of(5, compress) / 1e9);
  const double read_seconds = best_elapsed_seconds_of(5, [&] { read_columns(table, options.schema, n, 2); });
  print("GEN1", "columns in memory", "decompress GB/s with 2 threads", bytes / read_seconds / 1e9);

  for (const int rounds : {1, 8, 64}) print_planning("GEN1", {&packs[0], &packs[1], &packs[2], &packs[3], &packs[4], &packs[5]}, rounds);
}

}  // namespace
}  // namespace floe

int main(int argc, char** argv) {
  using Part = std::pair<std::string, void (*)()>;
  const std::array<Part, 7> parts = {Part{"table", floe::generated_table},
                                     {"columns", floe::generated_columns},
                                     {"trace", floe::adaptation_trace},
                                     {"large", floe::large_columns},
                                     {"mixed", floe::mixed_regimes},
                                     {"outliers", floe::outliers},
                                     {"samples", floe::samples}};
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  std::printf("table,row,quantity,value\n");
  for (const auto& [name, measure] : parts) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) measure();
  }
}
