// Counting and sorting the entries of dictionaries.
#include "encodings/dictionary.hpp"

#include <numeric>

namespace floe::trees {

std::vector<std::uint32_t> count_positions(std::span<const std::uint32_t> positions, std::size_t count) {
  // Few positions follow themselves often: two counts of each in turn, so that none waits for its own last
  // change.
  constexpr std::size_t few = 4096;
  const std::size_t turns = count < few ? 2 : 1;
  std::vector<std::uint32_t> counts(turns * count);
  for (std::size_t i = 0; i < positions.size(); ++i) ++counts[turns * positions[i] + (i & (turns - 1))];
  if (turns == 1) return counts;
  for (std::size_t position = 0; position < count; ++position)
    counts[position] = counts[2 * position] + counts[2 * position + 1];
  counts.resize(count);
  return counts;
}

void sort_few(std::span<NumberedPosition> few) {
  std::stable_sort(few.begin(), few.end(),
                   [](const NumberedPosition& a, const NumberedPosition& b) { return a.number < b.number; });
}

void sort_by_digits(std::span<SortKey> keys) {
  constexpr std::size_t few = 4096;
  const unsigned max_digit_bits = keys.size() < few ? 8 : 11;
  std::uint32_t any = 0;
  for (const SortKey& key : keys) any |= key.key;
  const unsigned bits = core::bit_length(any), passes = (bits + max_digit_bits - 1) / max_digit_bits;
  if (passes == 0) return;
  const unsigned digit_bits = (bits + passes - 1) / passes;
  const std::uint32_t mask = (std::uint32_t{1} << digit_bits) - 1;
  std::vector<std::uint32_t> counts(std::size_t{passes} << digit_bits);
  for (const SortKey& key : keys) {
    for (unsigned pass = 0; pass < passes; ++pass)
      ++counts[(std::size_t{pass} << digit_bits) + (key.key >> (pass * digit_bits) & mask)];
  }
  core::Buffer memory;
  std::span<SortKey> from = keys, to = keys_in(memory, keys.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    const auto digit_of = [&](const SortKey& key) { return key.key >> (pass * digit_bits) & mask; };
    const std::span positions =
        std::span(counts).subspan(std::size_t{pass} << digit_bits, std::size_t{mask} + 1);
    if (positions[digit_of(from[0])] == keys.size()) continue;
    std::exclusive_scan(positions.begin(), positions.end(), positions.begin(), 0U);
    for (const SortKey& key : from) to[positions[digit_of(key)]++] = key;
    std::swap(from, to);
  }
  if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
}

}  // namespace floe::trees
