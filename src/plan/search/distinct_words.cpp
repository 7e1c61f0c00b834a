#include "plan/search/distinct_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

/// So many words of a sample have to occur twice, or the estimate says little.
constexpr std::uint64_t min_pairs = 16;

}  // namespace

/// Words that occur once and twice say how many do not occur in the sample (Chao, "Nonparametric estimation
/// of the number of classes in a population", 1984). Equal neighbours count once: runs are no repetitions.
std::uint64_t estimate_distinct_words(const ColumnView& sample, Scratch& scratch) {
  const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(2 * sample.count));
  const auto shift = static_cast<unsigned>(64 - std::countr_zero(slots));
  const Block block = scratch.take(slots * sizeof(std::uint32_t));
  auto* const table =
      reinterpret_cast<std::uint32_t*>(block.data());  // a tag of 30 bits, and a count up to 3
  std::memset(table, 0, slots * sizeof(std::uint32_t));
  std::array<std::uint64_t, 4> words_with{};  // so many occurrences
  with_word(size_of(sample.type), [&]<class W>(W) {
    W before = static_cast<W>(~sample.words<W>()[0]);
    for (const W word : sample.words<W>()) {
      if (word == before) continue;
      before = word;
      const std::uint64_t hash = word * core::splitmix_step;
      const std::uint32_t tag = (static_cast<std::uint32_t>(hash >> 8) | 4U) & ~3U;
      auto slot = static_cast<std::size_t>(hash >> shift);
      while (table[slot] != 0 && (table[slot] & ~3U) != tag) slot = (slot + 1) & (slots - 1);
      const std::uint32_t count = table[slot] & 3U;
      table[slot] = tag | std::min(count + 1, 3U);
      --words_with[count];
      ++words_with[std::min(count + 1, 3U)];
    }
  });
  const std::uint64_t once = words_with[1], twice = words_with[2], often = words_with[3];
  if (twice + often < min_pairs) return 0;
  return once + twice + often + once * once / (2 * std::max<std::uint64_t>(twice, 1));
}

}  // namespace floe::trees
