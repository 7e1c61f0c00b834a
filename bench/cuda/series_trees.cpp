// How fast are trees of encodings in the memory of a device? Prints CSV, one line per tree, data and length of segments, with the copy rate
// of the same run: rates are those of the words, which a copy both reads and writes.
//
//   series_trees [--bytes N] [--runs N] [--only TREE] [--segment WORDS]
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "floe/series_cuda.hpp"
#include "series/column_codec.hpp"
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
  void write(const void* from, std::uint64_t count, std::uint64_t offset = 0) const {
    check(cudaMemcpy(data + offset, from, count, cudaMemcpyHostToDevice));
  }
  std::uint8_t* data = nullptr;
  std::uint64_t bytes;
};

/// Median and fastest time of a piece of work on the default stream, in seconds.
struct Times {
  double median = 0, fastest = 0;
};
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
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front()};
}

/// Words to encode, and the tree: "" leaves the choice to the planner; then the tree of the first segment is printed.
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
  const auto walks = column<std::int32_t>(count, [&](std::uint64_t i) { return walk += static_cast<std::int32_t>(steps[i] % 1001) - 500; });
  all.push_back(make_case("walk", "delta,afl", Type::i32, Public::i32, walks));
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
  // The trees of the thesis's section on sizes of packs, with what takes the place of its encodings.
  all.push_back(make_case("walk", "scale,delta,raw", Type::i32, Public::i32, walks));
  all.push_back(make_case("walk", "scale,delta,split,afl,afl,afl", Type::i32, Public::i32, walks));
  all.push_back(
      make_case("cents in runs", "split(2),afl,constant,decimal(2,4),rle,afl,afl,afl,raw", Type::f32, Public::f32,
                column<float>(count, [&](std::uint64_t i) { return steps[i / 64] % 10 == 0 ? 1e30 : (steps[i / 16] % 10000) / 100.0; })));
  all.push_back(make_case("200 words", "dict,scale,delta,raw,delta,afl,raw", Type::i32, Public::i32, words_of(200)));
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
  std::vector<std::uint32_t> segments = {28u << 10, 56u << 10, 1u << 16, 1u << 20};  ///< Lengths of segments.
};

/// Decodes copies of the encoded segments, up to the wanted number of bytes.
void run_case(const Case& what, std::uint32_t segment_words, const Settings& settings, double copy_rate) {
  const std::uint64_t width = floe::series::bytes_of(what.type), words = settings.bytes / width;
  const floe::series::ColumnView all{what.type, what.words.data(), what.words.size() / width};
  floe::series::ColumnEncoder encoder = what.tree.empty()
                                            ? floe::series::ColumnEncoder(floe::series::Preset::gpu)
                                            : floe::series::ColumnEncoder(floe::series::plan_from_text(what.tree, what.type).value());
  std::vector<std::uint8_t> encoded;
  std::vector<floe::cuda::SegmentEntry> some;
  for (std::uint64_t first = 0; first + segment_words <= all.count; first += segment_words) {
    const auto bytes = encoder.encode({what.type, what.words.data() + first * width, segment_words});
    some.push_back({encoded.size(), static_cast<std::uint32_t>(bytes.size()), segment_words});
    encoded.insert(encoded.end(), bytes.begin(), bytes.end());
    encoded.resize((encoded.size() + 15) / 16 * 16);
  }
  const std::span first_segment(encoded.data(), some.front().bytes);
  const floe::series::Plan plan = floe::series::parts_of(first_segment, what.type, segment_words).value().front().plan;
  const std::uint64_t segment_count = std::max<std::uint64_t>(1, words / segment_words),
                      copies = (segment_count + some.size() - 1) / some.size();
  const DeviceBuffer data(copies * encoded.size() + 16), out(segment_count * segment_words * width),
      directory(segment_count * sizeof(floe::cuda::SegmentEntry));
  for (std::uint64_t copy = 0; copy < copies; ++copy) data.write(encoded.data(), encoded.size(), copy * encoded.size());
  std::vector<floe::cuda::SegmentEntry> segments(segment_count);
  std::uint64_t stored = 0;
  for (std::uint64_t i = 0; i < segment_count; ++i) {
    segments[i] = some[i % some.size()];
    segments[i].offset += i / some.size() * encoded.size();
    stored += segments[i].bytes;
  }
  directory.write(segments.data(), directory.bytes);
  const DeviceBuffer workspace(floe::cuda::decode_workspace_size(segment_words, static_cast<std::uint32_t>(width), segment_count).value());
  const DeviceBuffer result(sizeof(floe::cuda::ItemResult));
  floe::cuda::ColumnDecode call;
  call.column = {
      data.data,     data.bytes,      reinterpret_cast<const floe::cuda::SegmentEntry*>(directory.data), segment_count * segment_words,
      segment_words, what.public_type};
  call.out = out.data;
  call.out_bytes = out.bytes;
  call.result = reinterpret_cast<floe::cuda::ItemResult*>(result.data);
  const Times times = measure(settings.runs, [&] {
    floe::cuda::decode_columns_async({&call, 1}, {workspace.data, workspace.bytes}, nullptr).or_throw();
  });
  floe::cuda::ItemResult outcome;
  check(cudaMemcpy(&outcome, result.data, sizeof outcome, cudaMemcpyDeviceToHost));
  std::vector<std::uint8_t> decoded(some.size() * segment_words * width);
  check(cudaMemcpy(decoded.data(), out.data, std::min<std::uint64_t>(decoded.size(), out.bytes), cudaMemcpyDeviceToHost));
  const bool is_same =
      outcome.code == 0 && std::memcmp(decoded.data(), what.words.data(), std::min<std::uint64_t>(decoded.size(), out.bytes)) == 0;
  const double bytes = static_cast<double>(out.bytes);
  std::printf("\"%s\",\"%s\",%s,%u,%llu,%.4f,decode,%.6f,%.6f,%.1f,%.3f,%s\n", what.data.c_str(), text_of(plan).c_str(),
              std::string(name_of(what.type)).c_str(), segment_words, static_cast<unsigned long long>(out.bytes),
              static_cast<double>(stored) / bytes, times.median, times.fastest, bytes / times.median * 1e-9,
              bytes / times.median / copy_rate, is_same ? "same" : "DIFFERENT");
  std::fflush(stdout);
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
    for (const std::uint32_t segment_words : settings.segments) run_case(what, segment_words, settings, copy_rate);
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
    if (option == "--segment") settings.segments = {static_cast<std::uint32_t>(std::strtoul(arguments[i + 1], nullptr, 10))};
  }
  run(settings);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "series_trees: %s\n", error.what());
  return 1;
}
