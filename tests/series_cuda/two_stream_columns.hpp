// Columns of dictionaries, runs and quotients, and trees for them whose two streams a few warps decode.
#pragma once

#include <bit>

#include "core/splitmix.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {

/// A smooth walk of up to `kinds` words that stays where it is `stay` times of 100.
inline Column walk_of_kinds(DType type, std::uint64_t count, std::uint64_t kinds, std::uint64_t stay) {
  Column column(type, count);
  std::uint64_t state = kinds / 2;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i + kinds);
    if (random % 100 >= stay) state = (state + random / 100 % 7 + kinds - 3) % kinds;
    if (random / 700 % 50 == 0) state = random / 7000 % kinds;
    const double value = static_cast<double>(state) * 0.037 - 40;
    if (type == DType::f64) {
      column.set(i, std::bit_cast<std::uint64_t>(value));
    } else if (type == DType::f32) {
      column.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else {
      column.set(i, state * 1237 - 5000);
    }
  }
  return column;
}

/// Multiples of `divisor` of both signs, and a remainder that is the same but for every `rare`-th word.
inline Column almost_multiples(DType type, std::uint64_t count, std::uint64_t divisor, std::uint64_t rare) {
  Column column(type, count);
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i + divisor);
    std::uint64_t word = (100'000 + 3 * i + random % 16) * divisor + divisor / 3;
    if (random / 16 % rare == 0) word += random / 1000 % (divisor / 2);
    word &= top - 1;
    if (random / 64 % 5 == 0) word = is_float(type) ? word | top : ~word;
    column.set(i, bits == 64 ? word : word & (2 * top - 1));
  }
  return column;
}

inline std::vector<std::string> trees_with_dictionaries(DType type) {
  const std::string map = is_float(type) ? "sortable," : "";
  std::vector<std::string> trees;
  for (const std::string& entries :
       {std::string("raw"), map + "entropy", map + "bitpack", map + "delta,entropy", map + "delta(2),entropy",
        map + "delta,bitpack", map + "delta(2),raw"}) {
    for (const char* codes : {"bitpack", "entropy", "delta,entropy", "delta(2),entropy"})
      trees.push_back("dict(1)," + entries + "," + codes + ",raw");
  }
  trees.push_back("dict(2)," + map + "entropy,bitpack,raw");
  return trees;
}
inline std::vector<std::string> run_trees(DType type) {
  const std::string map = is_float(type) ? "sortable," : "";
  std::vector<std::string> trees;
  for (const char* lengths : {"rle,bitpack,", "rle,entropy,"}) {
    for (const char* values : {"entropy", "delta,entropy", "delta(2),entropy", "delta(1,3),entropy"})
      trees.push_back(lengths + map + values);
  }
  return trees;
}
inline std::vector<std::string> quotient_trees(const std::string& divisor) {
  std::vector<std::string> trees;
  for (const char* quotients : {"entropy", "delta,entropy"}) {
    for (const char* remainders : {"bitpack", "constant"})
      trees.push_back("divide(" + divisor + ")," + quotients + "," + remainders);
  }
  return trees;
}

struct StreamsCase {
  std::string tree;
  Column column;
};

/// Columns of `count` words whose streams have that many words, or some fewer.
inline std::vector<StreamsCase> cases_of(DType type, std::uint64_t count) {
  std::vector<StreamsCase> cases;
  for (const std::uint64_t kinds : {3, 700, 6000}) {
    for (const std::string& tree : trees_with_dictionaries(type))
      cases.push_back({tree, walk_of_kinds(type, count, kinds, 0)});
  }
  for (const std::uint64_t stay : {20, 70}) {
    for (const std::string& tree : run_trees(type))
      cases.push_back({tree, walk_of_kinds(type, count, 5000, stay)});
  }
  for (const std::uint64_t rare : {2, 11, 700, 1'000'000}) {
    for (const std::string& tree : quotient_trees("25,2"))
      cases.push_back({tree, almost_multiples(type, count, 100, rare)});
    for (const std::string& tree : quotient_trees("1,9"))
      cases.push_back({tree, almost_multiples(type, count, 512, rare)});
  }
  return cases;
}

}  // namespace floe::test
