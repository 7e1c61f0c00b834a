// How long do pages of various lengths take: encoded with trees that are known, decoded, and one value of
// them?
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "floe/floe.hpp"
#include "tests/support/data.hpp"

namespace floe {
namespace {

using Values = std::vector<std::uint64_t>;

/// Prices in cents as f64, which walk.
Values prices(std::size_t count, std::uint64_t seed) {
  test::Random random(seed);
  Values values(count);
  double cents = 12345;
  for (std::uint64_t& value : values) {
    cents += std::round(random.bell() * 3);
    value = std::bit_cast<std::uint64_t>(cents / 100);
  }
  return values;
}
/// Times in nanoseconds, about a millisecond apart.
Values times(std::size_t count, std::uint64_t seed) {
  test::Random random(seed);
  Values values(count);
  std::uint64_t now = 1'700'000'000'000'000'000;
  for (std::uint64_t& value : values) value = now += 1'000'000 + random.below(20'000);
  return values;
}
/// Readings of a sensor as f64 with all of their digits.
Values readings(std::size_t count, std::uint64_t seed) {
  test::Random random(seed);
  Values values(count);
  double phase = 0;
  for (std::uint64_t& value : values) {
    phase += 0.01;
    value = std::bit_cast<std::uint64_t>(std::sin(phase) + 0.001 * random.bell());
  }
  return values;
}

struct Kind {
  const char* name;
  DType dtype;
  Values (*make)(std::size_t count, std::uint64_t seed);
};
constexpr Kind kinds[] = {
    {"prices", DType::f64, prices}, {"times", DType::i64, times}, {"readings", DType::f64, readings}};

/// An encoder that knows the kind of data, and a page of it.
struct Page {
  Page(const Kind& kind, std::size_t count, Goal goal)
      : encoder(PageEncoder::create(kind.dtype, {.goal = goal}).value()),
        values(kind.make(count, 1)),
        bytes(max_page_size(kind.dtype, count).value()) {
    for (std::uint64_t seed = 2; seed < 6; ++seed) {
      const Values others = kind.make(count, seed);
      encoder.encode(bytes, std::as_bytes(std::span(others))).value();
    }
    size = encode();
  }
  std::size_t encode() { return encoder.encode(bytes, std::as_bytes(std::span(values))).value(); }
  [[nodiscard]] std::span<const std::byte> view() const { return std::span(bytes).first(size); }

  PageEncoder encoder;
  Values values;
  std::vector<std::byte> bytes;
  std::size_t size = 0;
};

void report(benchmark::State& state, const Page& page, std::size_t values) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 8 * values));
  state.counters["ratio"] = 8.0 * static_cast<double>(page.values.size()) / static_cast<double>(page.size);
}

void encode(benchmark::State& state, const Kind& kind, Goal goal) {
  Page page(kind, static_cast<std::size_t>(state.range(0)), goal);
  for (auto _ : state) page.encode();
  report(state, page, page.values.size());
}

void decode(benchmark::State& state, const Kind& kind, Goal goal, bool one_value) {
  const Page page(kind, static_cast<std::size_t>(state.range(0)), goal);
  const std::size_t count = one_value ? 1 : page.values.size();
  Values out(count);
  std::vector<std::byte> scratch(usual_page_scratch);
  for (auto _ : state) {
    decode_page_slice(std::as_writable_bytes(std::span(out)), page.view(),
                      {(page.values.size() - count) / 2, count}, scratch)
        .or_throw();
  }
  report(state, page, count);
}

void copy(benchmark::State& state) {
  const Values from = prices(static_cast<std::size_t>(state.range(0)), 1);
  Values to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), 8 * from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 8 * from.size()));
}

void register_all() {
  const auto lengths = [](benchmark::internal::Benchmark* of) {
    for (const std::int64_t count : {1000, 8192, 100'000}) of->Arg(count);
  };
  lengths(benchmark::RegisterBenchmark("memcpy", copy));
  constexpr std::pair<const char*, Goal> goals[] = {{"speed", Goal::speed}, {"balance", Goal::balance}};
  for (const Kind& kind : kinds) {
    for (const auto& [name, goal] : goals) {
      const std::string prefix = std::string(kind.name) + "/" + name + "/";
      const auto add = [&](const char* what, const auto& body) {
        lengths(benchmark::RegisterBenchmark((prefix + what).c_str(), body));
      };
      add("encode", [&kind, goal = goal](benchmark::State& state) { encode(state, kind, goal); });
      add("decode", [&kind, goal = goal](benchmark::State& state) { decode(state, kind, goal, false); });
      add("one_value", [&kind, goal = goal](benchmark::State& state) { decode(state, kind, goal, true); });
    }
  }
}
const bool registered = (register_all(), true);

}  // namespace
}  // namespace floe
