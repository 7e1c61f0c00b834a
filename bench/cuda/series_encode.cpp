// How fast are columns encoded in the memory of a device? Prints CSV, one line per tree, data and length of segments, with the copy rate of
// the same run: rates are those of the words, which a copy both reads and writes. Then the optimizer: samples, plans and encoding of a
// column of which nothing is known, portion by portion.
//
//   series_encode [--bytes N] [--runs N] [--only TREE]
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "floe/series_cuda_encode.hpp"
#include "series/column_codec.hpp"
#include "series/planner/finalists.hpp"
#include "series/planner/windows.hpp"
#include "series_cuda/gather_windows.hpp"
#include "tests/series/generators.hpp"

namespace {

using floe::series::Type;
using floe::test::Random;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct DeviceBuffer {
  explicit DeviceBuffer(std::uint64_t size) : bytes(size) {
    check(cudaMalloc(reinterpret_cast<void**>(&data), std::max<std::uint64_t>(size, 256)));
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data); }
  std::uint8_t* data = nullptr;
  std::uint64_t bytes;
};

/// Median and fastest time of a piece of work on the default stream, in seconds.
struct Times {
  double median = 0, fastest = 0;
};
Times sorted_times(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front()};
}
Times measure(int runs, const std::function<void()>& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> seconds;
  for (int run = -2; run < runs; ++run) {
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run >= 0) seconds.push_back(milliseconds * 1e-3);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return sorted_times(std::move(seconds));
}
/// The same with the clock of the host, for work that waits for the device.
Times measure_waiting(int runs, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int run = -2; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    check(cudaDeviceSynchronize());
    if (run >= 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return sorted_times(std::move(seconds));
}

/// Words to encode, and the tree: "" leaves the choice to the planner.
struct Case {
  std::string data, tree;
  Type type;
  floe::tables::ColumnType public_type;
  std::vector<std::uint8_t> words;
};

template <class T>
Case make_case(std::string data, std::string tree, Type type, floe::tables::ColumnType public_type, const std::vector<T>& values) {
  Case made{std::move(data), std::move(tree), type, public_type, std::vector<std::uint8_t>(values.size() * sizeof(T))};
  std::memcpy(made.words.data(), values.data(), made.words.size());
  return made;
}

template <class T, class Value>
std::vector<T> column(std::uint64_t count, Value value) {
  std::vector<T> words(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = static_cast<T>(value(i));
  return words;
}

std::vector<Case> cases(std::uint64_t count) {
  using Public = floe::tables::ColumnType;
  Random random(1);
  std::vector<Case> all;
  const auto noise = [&](unsigned bits) { return [&random, bits](std::uint64_t) { return random.next() >> (64 - bits); }; };
  all.push_back(make_case("5 bits", "afl", Type::u8, Public::u8, column<std::uint8_t>(count, noise(5))));
  all.push_back(make_case("9 bits", "afl", Type::u16, Public::u16, column<std::uint16_t>(count, noise(9))));
  all.push_back(make_case("17 bits", "afl", Type::u32, Public::u32, column<std::uint32_t>(count, noise(17))));
  all.push_back(make_case("32 bits", "afl", Type::u32, Public::u32, column<std::uint32_t>(count, noise(32))));
  all.push_back(make_case("20 bits", "afl", Type::u64, Public::u64, column<std::uint64_t>(count, noise(20))));
  const auto steps = column<std::uint32_t>(count, noise(20));
  all.push_back(make_case("outliers", "afl", Type::i32, Public::i32, column<std::int32_t>(count, [&](std::uint64_t i) {
                            return steps[i] % 100 == 0 ? 1 << 24 : static_cast<int>(steps[i] & 1023);
                          })));
  std::uint64_t time = 1'700'000'000'000;
  const auto times = column<std::int64_t>(count, [&](std::uint64_t i) { return time += 1000 + steps[i] % 64; });
  all.push_back(make_case("times", "delta,afl", Type::i64, Public::i64, times));
  all.push_back(make_case("times", "delta(2,1),afl", Type::i64, Public::i64, times));
  all.push_back(make_case("times", "scale,afl", Type::i64, Public::i64, times));
  std::int32_t walk = 0;
  all.push_back(make_case("walk", "delta,afl", Type::i32, Public::i32, column<std::int32_t>(count, [&](std::uint64_t i) {
                            return walk += static_cast<std::int32_t>(steps[i] % 1001) - 500;
                          })));
  const auto cents = column<double>(count, [&](std::uint64_t i) { return (steps[i] % 100000) / 100.0; });
  all.push_back(make_case("cents", "decimal(2,4),afl,afl,raw", Type::f64, Public::f64, cents));
  all.push_back(make_case("cents", "decimal(2,4),delta,afl,afl,raw", Type::f64, Public::f64, cents));
  all.push_back(make_case("cents", "decimal(2,4),afl,afl,raw", Type::f32, Public::f32,
                          column<float>(count, [&](std::uint64_t i) { return (steps[i] % 100000) / 100.0; })));
  all.push_back(make_case("cents", "ordered,afl", Type::f64, Public::f64, cents));
  all.push_back(make_case("cents", "raw", Type::f64, Public::f64, cents));
  all.push_back(make_case("equal", "constant", Type::f64, Public::f64, std::vector<double>(count, 1.5)));
  const auto words_of = [&](std::uint64_t kinds) {
    return column<std::int32_t>(count,
                                [&steps, kinds](std::uint64_t i) { return static_cast<std::int32_t>((steps[i] % kinds) * 7919 * 7919); });
  };
  all.push_back(make_case("3 words", "dict,raw,afl,raw", Type::i32, Public::i32, words_of(3)));
  all.push_back(make_case("200 words", "dict,raw,afl,raw", Type::i32, Public::i32, words_of(200)));
  all.push_back(make_case("20000 words", "dict,raw,afl,raw", Type::i32, Public::i32, words_of(20000)));
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
  all.push_back(make_case("runs of 5", "rle,afl,afl", Type::i32, Public::i32, runs_of(5)));
  all.push_back(make_case("runs of 50", "rle,afl,afl", Type::i32, Public::i32, runs_of(50)));
  all.push_back(make_case("runs of 1000", "rle,afl,afl", Type::i32, Public::i32, runs_of(1000)));
  const auto rare = column<std::int32_t>(count, [&](std::uint64_t i) { return steps[i] % 50 == 0 ? static_cast<int>(steps[i]) : 7; });
  all.push_back(make_case("2 % others", "freq,afl,afl", Type::i32, Public::i32, rare));
  all.push_back(make_case("2 % others", "split,afl,afl,afl", Type::i32, Public::i32, rare));
  all.push_back(make_case("times", "stride_split(2),delta,afl,delta,afl", Type::i64, Public::i64, times));
  all.push_back(make_case("times", "delta(1,3),afl", Type::i64, Public::i64, times));
  all.push_back(make_case("Pattern A", "", Type::i32, Public::i32, floe::test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1'000'000)));
  all.push_back(
      make_case("Pattern B", "", Type::i32, Public::i32, floe::test::pattern_b<std::int32_t>(count, 0, count / 4, 3, 10'000'000, random)));
  all.push_back(make_case("Time", "", Type::i64, Public::i64, floe::test::time_column(count, 100'000, 10, random)));
  return all;
}

struct Settings {
  std::uint64_t bytes = std::uint64_t{256} << 20;
  int runs = 9;
  std::string only;
};

/// Copies of the data in device memory, and what is made of them.
struct EncodeCase {
  DeviceBuffer words, out, directory, result;
  floe::cuda::ColumnEncode call;
  std::uint64_t segment_count;

  EncodeCase(const Case& what, std::uint32_t segment_words, std::uint64_t bytes)
      : words(bytes),
        out(floe::cuda::encoded_column_bound(bytes / floe::series::bytes_of(what.type), segment_words,
                                             static_cast<std::uint32_t>(floe::series::bytes_of(what.type)))),
        directory((bytes / segment_words + 1) * sizeof(floe::cuda::SegmentEntry)),
        result(sizeof(floe::cuda::ItemResult)) {
    const std::uint64_t width = floe::series::bytes_of(what.type), count = bytes / width;
    for (std::uint64_t at = 0; at < bytes; at += what.words.size())
      check(cudaMemcpy(words.data + at, what.words.data(), std::min<std::uint64_t>(what.words.size(), bytes - at), cudaMemcpyHostToDevice));
    segment_count = (count + segment_words - 1) / segment_words;
    call.words = words.data;
    call.word_count = count;
    call.segment_words = segment_words;
    call.type = what.public_type;
    call.out = out.data;
    call.out_bytes = out.bytes;
    call.segments = reinterpret_cast<floe::cuda::SegmentEntry*>(directory.data);
    call.result = reinterpret_cast<floe::cuda::ItemResult*>(result.data);
  }
  [[nodiscard]] floe::cuda::ItemResult outcome() const {
    floe::cuda::ItemResult outcome;
    check(cudaMemcpy(&outcome, result.data, sizeof outcome, cudaMemcpyDeviceToHost));
    return outcome;
  }
};

void print(const Case& what, const std::string& tree, std::uint32_t segment_words, const char* kind, const EncodeCase& made,
           const Times& times, double copy_rate, const char* verdict) {
  const auto bytes = static_cast<double>(made.words.bytes);
  std::printf("\"%s\",\"%s\",%s,%u,%llu,%.4f,%s,%.6f,%.6f,%.1f,%.3f,%s\n", what.data.c_str(), tree.c_str(),
              std::string(name_of(what.type)).c_str(), segment_words, static_cast<unsigned long long>(made.words.bytes),
              static_cast<double>(made.outcome().bytes) / bytes, kind, times.median, times.fastest, bytes / times.median * 1e-9,
              bytes / times.median / copy_rate, verdict);
  std::fflush(stdout);
}

void run_case(const Case& what, std::uint32_t segment_words, const Settings& settings, double copy_rate) {
  EncodeCase made(what, segment_words, settings.bytes);
  const std::uint64_t width = floe::series::bytes_of(what.type);
  floe::series::Scratch scratch;
  const floe::series::ColumnView all{what.type, what.words.data(), what.words.size() / width};
  const floe::series::Plan plan = what.tree.empty()
                                      ? plan_windows(windows_of(all, floe::series::planning_window_words, floe::series::planning_windows),
                                                     all.count, floe::series_cuda::encode_objective(), 5, scratch)
                                      : floe::series::plan_from_text(what.tree, what.type).value();
  const std::string text = text_of(plan);
  const std::string_view tree = text;
  const DeviceBuffer workspace(floe::cuda::encode_workspace_size({&made.call, 1}, {&tree, 1}).value());
  const Times times = measure(settings.runs, [&] {
    floe::cuda::encode_columns_async({&made.call, 1}, {&tree, 1}, {workspace.data, workspace.bytes}, nullptr).or_throw();
  });
  // The first segments as the CPU makes them.
  bool is_same = made.outcome().code == 0;
  std::vector<floe::cuda::SegmentEntry> entries(std::min<std::uint64_t>(made.segment_count, 3));
  check(cudaMemcpy(entries.data(), made.directory.data, entries.size() * sizeof(entries[0]), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < entries.size() && is_same && (i + 1) * segment_words * width <= what.words.size(); ++i) {
    const auto bytes = floe::series::ColumnEncoder(plan).encode({what.type, what.words.data() + i * segment_words * width, segment_words});
    std::vector<std::uint8_t> ours(entries[i].bytes);
    check(cudaMemcpy(ours.data(), made.out.data + entries[i].offset, ours.size(), cudaMemcpyDeviceToHost));
    is_same = ours == bytes;
  }
  print(what, text, segment_words, "encode", made, times, copy_rate, is_same ? "same" : "DIFFERENT");
}

/// The optimizer on data of which nothing is known: windows, plans, encoding.
void run_planned(const Case& what, std::uint32_t segment_words, const Settings& settings, double copy_rate) {
  EncodeCase made(what, segment_words, settings.bytes);
  for (const std::uint64_t portion_bytes : {settings.bytes, settings.bytes / 4, settings.bytes / 16}) {
    auto encoder = floe::cuda::PlannedEncoder::create(what.public_type, made.call.word_count, segment_words,
                                                      portion_bytes / floe::series::bytes_of(what.type))
                       .value();
    for (const bool forgets : {true, false}) {
      const Times times = measure_waiting(settings.runs, [&] {
        if (forgets) encoder.forget();
        encoder.encode(made.call, nullptr).or_throw();
      });
      const std::string kind =
          std::to_string(settings.bytes / portion_bytes) + (forgets ? " portions planned" : " portions of a known kind");
      print(what, encoder.trees().back(), segment_words, kind.c_str(), made, times, copy_rate, "");
    }
  }
}

void run(const Settings& settings) {
  const DeviceBuffer from(settings.bytes), to(settings.bytes);
  check(cudaMemset(from.data, 1, from.bytes));
  const Times copy = measure(settings.runs, [&] { check(cudaMemcpyAsync(to.data, from.data, to.bytes, cudaMemcpyDeviceToDevice)); });
  const double copy_rate = static_cast<double>(to.bytes) / copy.median;
  std::printf("data,tree,type,segment_words,bytes,stored,direction,seconds,fastest,GB/s,of_copy,check\n");
  std::printf("copy,,,,%llu,1,copy,%.6f,%.6f,%.1f,1,\n", static_cast<unsigned long long>(to.bytes), copy.median, copy.fastest,
              copy_rate * 1e-9);
  const std::vector<Case> all = cases(std::uint64_t{1} << 20);
  for (const Case& what : all) {
    if (!settings.only.empty() && what.tree != settings.only) continue;
    for (const std::uint32_t segment_words : {1u << 14, 1u << 16, 1u << 18}) run_case(what, segment_words, settings, copy_rate);
    if (what.tree.empty()) run_planned(what, 1u << 16, settings, copy_rate);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  Settings settings;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = arguments[i];
    if (option == "--bytes") settings.bytes = std::strtoull(arguments[i + 1], nullptr, 10);
    if (option == "--runs") settings.runs = std::atoi(arguments[i + 1]);
    if (option == "--only") settings.only = arguments[i + 1];
  }
  run(settings);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "series_encode: %s\n", error.what());
  return 1;
}
