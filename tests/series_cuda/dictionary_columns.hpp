// Columns that are hard to make dictionaries of: words that crowd hash tables, too many words for one, or two
// words.
#pragma once

#include "core/splitmix.hpp"
#include "gpu/encode/encode_table.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {

/// `count` words: all different, or some of `distinct`, which are multiples of `step`, or random if that is
/// 0; then `alike` of them have the same upper half.
struct DictionaryCase {
  DType type;
  std::uint64_t count, distinct, step, alike = 1;

  [[nodiscard]] Column column() const {
    Column column(type, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t word = distinct == count ? i : core::splitmix(i) % distinct;
      const std::uint64_t random =
          (core::splitmix(word / alike) & ~std::uint64_t{0xFFFFFFFF}) | (core::splitmix(word) & 0xFFFFFFFF);
      column.set(i, step == 0 ? random : word * step + 12345);
    }
    return column;
  }
};

/// The number whose multiples have hashes side by side, if words are multiplied by `multiplier` to hash them.
constexpr std::uint64_t crowding_step(std::uint64_t multiplier) {
  std::uint64_t inverse = multiplier;
  for (unsigned i = 0; i < 6; ++i) inverse *= 2 - multiplier * inverse;
  return inverse;
}

/// The first two crowd the first table, and the second one.
inline constexpr DictionaryCase dictionary_cases[] = {
    {DType::u64, 5000, 900, crowding_step(gpu::table_multiplier(0))},
    {DType::i64, 9000, 4500, crowding_step(gpu::table_multiplier(1))},
    {DType::u32, 40000, 40000, 7919},
    {DType::u16, 70000, 65536, 1},
    {DType::i8, 3000, 256, 1},
    {DType::f64, 40000, 30000, 0},
    {DType::i32, 20000, 15000, 0},
    {DType::u64, 20000, 6000, 0, 3},
    {DType::f64, 9000, 6000, 0, 40},
    {DType::u64, 100, 2, 0}};
inline constexpr const char* dictionary_trees[] = {"dict,raw,raw,raw", "dict(1,3000),raw,raw,raw",
                                                   "dict(2,65535),raw,raw,raw"};

}  // namespace floe::test
