// How fast does each encoding, and does a chosen tree, encode and decode columns of a time series?
#include <benchmark/benchmark.h>

#include "pipeline/column_codec.hpp"
#include "tests/series/generators.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t words = 1 << 17;

template <class T>
void encode(benchmark::State& state, DType type, const std::vector<T>& column, const std::string& tree) {
  auto encoder = tree.empty() ? std::make_unique<ColumnEncoder>()
                              : std::make_unique<ColumnEncoder>(plan_from_text(tree, type).value());
  std::size_t bytes = 0;
  for (auto _ : state) bytes = encoder->encode({type, column.data(), column.size()}).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * column.size() * sizeof(T)));
  state.counters["ratio"] = static_cast<double>(column.size() * sizeof(T)) / static_cast<double>(bytes);
}

template <class T>
void decode(benchmark::State& state, DType type, const std::vector<T>& column, const std::string& tree) {
  auto encoder = tree.empty() ? std::make_unique<ColumnEncoder>()
                              : std::make_unique<ColumnEncoder>(plan_from_text(tree, type).value());
  const std::vector<std::uint8_t> bytes = encoder->encode({type, column.data(), column.size()});
  std::vector<T> out(column.size());
  for (auto _ : state) {
    if (!decode_column(bytes, type, out.size(), out.data()).ok()) state.SkipWithError("does not decode");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * column.size() * sizeof(T)));
}

template <class T>
void add(const std::string& name, DType type, const std::vector<T>& column, const std::string& tree) {
  const std::string full = name + "/" + (tree.empty() ? "planned" : tree);
  benchmark::RegisterBenchmark(("encode/" + full).c_str(),
                               [=](benchmark::State& state) { encode(state, type, column, tree); });
  benchmark::RegisterBenchmark(("decode/" + full).c_str(),
                               [=](benchmark::State& state) { decode(state, type, column, tree); });
}

const bool registered = [] {
  const auto numbers = test::random_numbers(words, 10, 10000, test::Random(1));
  for (const char* tree : {"raw", "bitpack", "entropy", "delta,bitpack", "int_mult,bitpack",
                           "split,bitpack,bitpack,bitpack", "split(1),bitpack,bitpack,bitpack",
                           "sparse,bitpack,bitpack", "rle,bitpack,bitpack", "dict,bitpack,bitpack,bitpack",
                           "unique,bitpack,bitpack", "stride_split,bitpack,bitpack", "codec(1)"}) {
    add("random i32", DType::i32, numbers, tree);
  }
  const auto prices = test::decimals<double>(words, 3, test::Random(2));
  for (const char* tree : {"decimal(3,4),bitpack,bitpack,raw", "sortable,bitpack", "codec(5)", "codec(2)"})
    add("decimals f64", DType::f64, prices, tree);
  // More different words than the cache next to the core has room for.
  std::vector<std::int64_t> identifiers(words);
  test::Random random(5);
  for (std::int64_t& value : identifiers)
    value = static_cast<std::int64_t>(core::splitmix(random.below(words)));
  for (const char* tree : {"dict,raw,bitpack,raw", "unique,raw,bitpack"})
    add("identifiers i64", DType::i64, identifiers, tree);
  add("times i64", DType::i64, test::time_column(words, 1400000000, 5, test::Random(3)), "");
  add("pattern A i32", DType::i32, test::pattern_a<std::int32_t>(words, 0, 100, 5, 1, 1000000), "");
  add("pattern B i32", DType::i32,
      test::pattern_b<std::int32_t>(words, 0, words, 3, 10000000, test::Random(4)), "");
  add("decimals f64", DType::f64, prices, "");
  return true;
}();

}  // namespace
}  // namespace floe::trees
