#include "plan/search/distinct_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "core/fixed_log.hpp"
#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

/// So many words of a sample have to occur twice, or the estimate says little.
constexpr std::uint64_t min_pairs = 16;

}  // namespace

/// Words that occur once and twice say how many do not occur in the sample (Chao, "Nonparametric estimation
/// of the number of classes in a population", 1984). Equal neighbours count once: runs are no repetitions.
DistinctCount estimate_distinct_words(const ColumnView& sample, Scratch& scratch) {
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
  if (twice + often < min_pairs) return {};
  return {once + twice + often + once * once / (2 * std::max<std::uint64_t>(twice, 1)), false};
}

namespace {

/// Words for each slot. Slots that few different words leave empty say enough, and fit into the first cache.
constexpr std::uint64_t words_per_slot = 8, min_slots = 1024;

/// -log(1 - used / slots) * slots.
std::uint64_t count_of(std::uint64_t used, std::uint64_t slots) {
  if (2 * used > slots) {
    constexpr std::uint64_t log_of_2 = 11630;  // in 1/2^14, as logarithms to base 2 are in 1/2^8
    return (slots * (core::fixed_log2(slots) - core::fixed_log2(slots - used)) * log_of_2) >> 22;
  }
  // x + x^2 / 2 + x^3 / 3 + ...
  constexpr unsigned fraction_bits = 24;
  const std::uint64_t x = (used << fraction_bits) / slots;
  std::uint64_t sum = 0, power = x;
  for (std::uint64_t i = 1; power > 0; ++i) {
    sum += power / i;
    power = power * x >> fraction_bits;
  }
  return sum * slots >> fraction_bits;
}

}  // namespace

/// Each word marks a slot. How many stay empty says how many different words marked the others (Whang et al.,
/// "A linear-time probabilistic counting algorithm for database applications", 1990).
DistinctCount count_distinct_words(const ColumnView& stream, Scratch& scratch) {
  const auto slots =
      static_cast<std::size_t>(std::bit_ceil(std::max(stream.count / words_per_slot, min_slots)));
  const auto shift = static_cast<unsigned>(64 - std::countr_zero(slots));
  const Block block = scratch.take(slots);
  std::uint8_t* const marks = block.data();
  std::memset(marks, 0, slots);
  with_word(size_of(stream.type), [&]<class W>(W) {
    for (const W word : stream.words<W>()) marks[word * core::splitmix_step >> shift] = 1;
  });
  const auto used = static_cast<std::uint64_t>(std::accumulate(marks, marks + slots, std::uint32_t{0}));
  return {used == slots ? stream.count : std::min(stream.count, count_of(used, slots)), true};
}

}  // namespace floe::trees
