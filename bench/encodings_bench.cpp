// How fast does each encoding, and does a chosen tree, encode and decode columns of a time series?
#include <benchmark/benchmark.h>

#include <bit>
#include <cstring>
#include <optional>

#include "chunks/leaf_decoder.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "tests/series/generators.hpp"
#include "tests/support/streams_by_cpu.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t count = 1 << 17;

using Bytes = std::vector<std::uint8_t>;

/// The stream of some words: with a tree, or planned if there is none.
class Coder {
 public:
  Coder(const ColumnView& words, const std::string& tree) : words_(words) {
    if (!tree.empty()) coder_.emplace(plan_from_text(tree, words.type).value());
  }
  pipeline::StreamJob encode() {
    pipeline::StreamJob job{.coder = coder_ ? &*coder_ : nullptr, .words = words_};
    encoder_.encode({&job, 1}).or_throw();
    return job;
  }

 private:
  ColumnView words_;
  std::optional<pipeline::StreamCoder> coder_;
  Options options_;
  core::Workers this_thread_{1, nullptr};
  pipeline::GroupEncoder encoder_{this_thread_, options_};
};

/// Lines of CSV must have the same counters.
void count_bytes(benchmark::State& state, std::size_t bytes, std::size_t encoded_bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
  state.counters["ratio"] = static_cast<double>(bytes) / static_cast<double>(encoded_bytes);
}

void encode(benchmark::State& state, const ColumnView& words, const std::string& tree) {
  Coder coder(words, tree);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = coder.encode().bytes.size();
  count_bytes(state, words.bytes(), bytes);
}

void decode(benchmark::State& state, const ColumnView& words, const std::string& tree) {
  const pipeline::StreamJob encoded = Coder(words, tree).encode();
  const Bytes& bytes = encoded.bytes;
  std::vector<std::uint64_t> out(words.bytes() / sizeof(std::uint64_t) + 1);
  const StreamToDecode stream{.bytes = std::as_bytes(std::span(bytes)),
                              .type = words.type,
                              .count = words.count,
                              .digest = encoded.digest,
                              .words = out.data()};
  const bool is_codec = chunks::leaf_of_front(bytes, size_of(words.type)).has_value();
  for (auto _ : state) {
    if (!(is_codec ? test::decode_by_cpu(stream)
                   : decode_stream(bytes, words.type, words.count, out.data()).ok()))
      state.SkipWithError("does not decode");
  }
  count_bytes(state, words.bytes(), bytes.size());
}

template <class T>
void add(const std::string& name, DType type, const std::vector<T>& column, const std::string& tree) {
  const std::string full = name + "/" + (tree.empty() ? "planned" : tree);
  benchmark::RegisterBenchmark(("encode/" + full).c_str(), [=](benchmark::State& state) {
    encode(state, {type, column.data(), column.size()}, tree);
  });
  benchmark::RegisterBenchmark(("decode/" + full).c_str(), [=](benchmark::State& state) {
    decode(state, {type, column.data(), column.size()}, tree);
  });
}

/// Differences of either sign whose lengths are spread around a mean, as those of measured floats are.
template <class T>
std::vector<T> residuals(unsigned mean_length) {
  std::vector<T> all(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i);
    const auto spread = static_cast<unsigned>(std::popcount(random >> 48));  // 8 in the mean
    const std::uint64_t offset =
        core::splitmix(random) & core::low_mask<std::uint64_t>(mean_length + spread - 8);
    all[i] = static_cast<T>(core::unzigzag(offset));
  }
  return all;
}

void copy(benchmark::State& state) {
  const std::vector<std::uint64_t> from(count / 2, 1);
  std::vector<std::uint64_t> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(std::uint64_t));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  const std::size_t bytes = from.size() * sizeof(std::uint64_t);
  count_bytes(state, bytes, bytes);
}

const bool registered = [] {
  benchmark::RegisterBenchmark("memcpy", copy);
  add("residuals i32", DType::i32, residuals<std::int32_t>(18), "entropy");
  add("residuals i64", DType::i64, residuals<std::int64_t>(42), "entropy");
  const auto numbers = test::random_numbers(count, 10, 10000, test::Random(1));
  for (const char* tree : {"raw", "bitpack", "entropy", "delta,bitpack", "int_mult,bitpack",
                           "split,bitpack,bitpack,bitpack", "split(1),bitpack,bitpack,bitpack",
                           "sparse,bitpack,bitpack", "rle,bitpack,bitpack", "dict,bitpack,bitpack,bitpack",
                           "unique,bitpack,bitpack", "stride_split,bitpack,bitpack", "spspeed"}) {
    add("random i32", DType::i32, numbers, tree);
  }
  const auto prices = test::decimals<double>(count, 3, test::Random(2));
  for (const char* tree : {"decimal(3,4),bitpack,bitpack,raw", "sortable,bitpack", "dpspeed", "dpratio"})
    add("decimals f64", DType::f64, prices, tree);
  // More different words than the cache next to the core has room for.
  std::vector<std::int64_t> identifiers(count);
  test::Random random(5);
  for (std::int64_t& value : identifiers)
    value = static_cast<std::int64_t>(core::splitmix(random.below(count)));
  for (const char* tree : {"dict,raw,bitpack,raw", "unique,raw,bitpack"})
    add("identifiers i64", DType::i64, identifiers, tree);
  add("times i64", DType::i64, test::time_column(count, 1400000000, 5, test::Random(3)), "");
  add("pattern A i32", DType::i32, test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1000000), "");
  add("pattern B i32", DType::i32,
      test::pattern_b<std::int32_t>(count, 0, count, 3, 10000000, test::Random(4)), "");
  add("decimals f64", DType::f64, prices, "");
  return true;
}();

}  // namespace
}  // namespace floe::trees
