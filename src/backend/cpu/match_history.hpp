// MatchHistory over a segment: words are parted by the upper bits of their keys, and each part is sorted by key in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <memory>
#include <span>

#include "core/bits.hpp"
#include "stages/match_history.hpp"

namespace floe::cpu {

/// The key of each word in turn, from the hashes of the three words before it.
class RunningKey {
 public:
  [[nodiscard]] std::uint32_t key() const { return latest_ ^ before_ ^ oldest_; }
  void advance(std::uint64_t word) {
    oldest_ = before_;
    before_ = latest_;
    latest_ = stages::MatchHistory::hash(word);
  }

 private:
  static_assert(stages::MatchHistory::context_words == 3);
  std::uint32_t latest_ = 0, before_ = 0, oldest_ = 0;
};

/// Words of a part lie together, in their original order.
struct HistoryRecord {
  std::uint64_t word;
  std::uint32_t key;
  std::uint32_t index;
};

/// Which words lie together: those whose keys have the same upper bits. Some thousand words are sorted in the cache; writing to more
/// than 2048 places in turn would cost more than a larger part does.
class HistoryParts {
 public:
  explicit HistoryParts(std::span<const std::uint64_t> words) : bits_(std::min(11u, core::bit_length(words.size() / 4096))), begins_{} {
    RunningKey running;
    for (const std::uint64_t word : words) {
      ++begins_[part_of(running.key()) + 1];
      running.advance(word);
    }
    for (std::size_t p = 0; p < count(); ++p) {
      largest_ = std::max<std::size_t>(largest_, begins_[p + 1]);
      begins_[p + 1] += begins_[p];
    }
  }
  [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::size_t part_of(std::uint32_t key) const { return static_cast<std::size_t>(std::uint64_t{key} << bits_ >> 32); }
  [[nodiscard]] std::uint32_t begin_of(std::size_t part) const { return begins_[part]; }
  [[nodiscard]] std::size_t largest() const { return largest_; }
  [[nodiscard]] unsigned undecided_key_bits() const { return 32 - bits_; }

  /// Calls visit(i, position, key) for every word i. The first word of a part gets its begin as position, the next one the next.
  template <class Visit>
  void for_each_word(std::span<const std::uint64_t> words, const Visit& visit) const {
    std::array<std::uint32_t, max_parts + 1> next = begins_;
    RunningKey running;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t word = words[i];
      visit(i, next[part_of(running.key())]++, running.key());
      running.advance(word);
    }
  }

 private:
  static constexpr std::size_t max_parts = 2048;
  unsigned bits_;
  std::size_t largest_ = 0;
  std::array<std::uint32_t, max_parts + 1> begins_;
};

/// Sorts positions of one part by key, stably: a radix sort from the lowest digit up.
class HistorySorter {
 public:
  HistorySorter(std::size_t largest_part, unsigned key_bits)
      : sorted_(std::make_unique_for_overwrite<std::uint64_t[]>(largest_part)),
        spare_(std::make_unique_for_overwrite<std::uint64_t[]>(largest_part)),
        passes_((key_bits + max_digit_bits - 1) / max_digit_bits),
        digit_bits_((key_bits + passes_ - 1) / passes_) {}

  /// Afterwards entry t is the position (lower half) and the key (upper half) of the record that comes t-th.
  std::span<const std::uint64_t> sort(std::span<const HistoryRecord> part) {
    for (std::size_t i = 0; i < part.size(); ++i) sorted_[i] = std::uint64_t{part[i].key} << 32 | i;
    for (unsigned pass = 0; pass < passes_; ++pass) sort_by_digit(part.size(), 32 + pass * digit_bits_);
    return {sorted_.get(), part.size()};
  }

 private:
  static constexpr unsigned max_digit_bits = 11;

  void sort_by_digit(std::size_t count, unsigned shift) {
    const auto digit_of = [&](std::uint64_t entry) { return entry >> shift & core::low_mask<std::uint64_t>(digit_bits_); };
    std::array<std::uint32_t, (1u << max_digit_bits) + 1> next{};
    for (std::size_t i = 0; i < count; ++i) ++next[digit_of(sorted_[i]) + 1];
    if (count > 0 && next[digit_of(sorted_[0]) + 1] == count) return;  // as in constant data
    for (std::size_t digit = 1; digit < next.size(); ++digit) next[digit] += next[digit - 1];
    for (std::size_t i = 0; i < count; ++i) spare_[next[digit_of(sorted_[i])]++] = sorted_[i];
    sorted_.swap(spare_);
  }

  std::unique_ptr<std::uint64_t[]> sorted_, spare_;
  unsigned passes_, digit_bits_;
};

/// The distance from the record that comes t-th to its match, 0 if there is none.
inline std::uint32_t match_distance(std::span<const HistoryRecord> part, std::span<const std::uint64_t> sorted, std::size_t t) {
  const HistoryRecord& record = part[static_cast<std::uint32_t>(sorted[t])];
  for (std::size_t back = 1; back <= std::min<std::size_t>(t, stages::MatchHistory::candidates); ++back) {
    const HistoryRecord& candidate = part[static_cast<std::uint32_t>(sorted[t - back])];
    if (candidate.key != record.key) return 0;
    if (candidate.word == record.word) return record.index - candidate.index;
  }
  return 0;
}

/// n words to 2n words: values, then distances. Of fewer than 2^32 words. The records wait in the output; besides, half the size of the
/// input is allocated and 16 bytes per word of the largest part, which is all of them for constant data. Throws std::bad_alloc.
inline void encode_history(std::span<const std::uint64_t> words, std::span<std::uint64_t> values_and_distances) {
  const std::size_t n = words.size();
  assert(n <= std::numeric_limits<std::uint32_t>::max() && values_and_distances.size() == 2 * n);
  const HistoryParts parts(words);
  HistorySorter sorter(parts.largest(), parts.undecided_key_bits());
  const auto distances = std::make_unique_for_overwrite<std::uint32_t[]>(n);

  static_assert(sizeof(HistoryRecord) == 2 * sizeof(std::uint64_t) && alignof(HistoryRecord) <= alignof(std::uint64_t));
  auto* const records = reinterpret_cast<HistoryRecord*>(values_and_distances.data());
  parts.for_each_word(words, [&](std::size_t i, std::size_t position, std::uint32_t key) {
    __builtin_prefetch(records + std::min(position + 8, n - 1), 1);  // so many streams are more than the processor foresees by itself
    records[position] = {words[i], key, static_cast<std::uint32_t>(i)};
  });
  for (std::size_t p = 0; p < parts.count(); ++p) {
    const std::size_t begin = parts.begin_of(p), end = parts.begin_of(p + 1);
    const std::span<const HistoryRecord> part(records + begin, records + end);
    const std::span<const std::uint64_t> sorted = sorter.sort(part);
    for (std::size_t t = 0; t < sorted.size(); ++t) {
      distances[begin + static_cast<std::uint32_t>(sorted[t])] = match_distance(part, sorted, t);
    }
  }
  parts.for_each_word(words, [&](std::size_t i, std::size_t position, std::uint32_t) {
    const std::uint32_t distance = distances[position];
    values_and_distances[i] = distance == 0 ? words[i] : 0;
    values_and_distances[n + i] = distance;
  });
}

/// 2n words back to n words. False if a distance leads before the first word.
inline bool decode_history(std::span<const std::uint64_t> values_and_distances, std::span<std::uint64_t> words) {
  const std::size_t n = words.size();
  assert(values_and_distances.size() == 2 * n);
  const std::uint64_t* const values = values_and_distances.data();
  const std::uint64_t* const distances = values + n;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t distance = distances[i];
    if (distance > i) return false;
    words[i] = distance == 0 ? values[i] : words[i - distance];
  }
  return true;
}

}  // namespace floe::cpu
