// For encodings with a dictionary: the different words of a stream, found by hashing, and entries that come
// back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/splitmix.hpp"
#include "core/word.hpp"
#include "encodings/source.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

inline constexpr std::size_t max_dict_entries = 65535;  // codes are u16, and one is needed for exceptions
/// A decoder holds the entries: 8 MiB at most. No segment of a table is longer.
inline constexpr std::size_t max_unique_entries = std::size_t{1} << 20;

/// The different words of a stream in the order of their first occurrence, with their counts. Equal are words
/// with equal bits.
template <core::Word W>
class DistinctWords {
 public:
  explicit DistinctWords(std::size_t most) : largest_(most) {}

  /// Writes the place of each word to `places`. False if there are too many. Throws std::bad_alloc.
  bool count(std::span<const W> words, std::uint32_t* places) {
    grow(1024);
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::size_t slot = slot_of(words[i]);
      while (slots_[slot] != 0 && values[slots_[slot] - 1] != words[i]) slot = (slot + 1) & mask_;
      if (slots_[slot] == 0) {
        if (values.size() == largest_) return false;
        values.push_back(words[i]);
        counts.push_back(0);
        slots_[slot] = static_cast<std::uint32_t>(values.size());
        if (values.size() * 2 > mask_) {
          ++counts.back();
          places[i] = static_cast<std::uint32_t>(values.size() - 1);
          grow(4 * (mask_ + 1));
          continue;
        }
      }
      ++counts[slots_[slot] - 1];
      places[i] = slots_[slot] - 1;
    }
    return true;
  }

  std::vector<W> values;
  std::vector<std::uint32_t> counts;

 private:
  [[nodiscard]] std::size_t slot_of(W word) const {
    return static_cast<std::size_t>(word * core::splitmix_step >> shift_);
  }
  void grow(std::size_t slots) {
    slots_.assign(slots, 0);
    mask_ = slots - 1;
    shift_ = 64 - static_cast<unsigned>(std::bit_width(mask_));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::size_t slot = slot_of(values[i]);
      while (slots_[slot] != 0) slot = (slot + 1) & mask_;
      slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::size_t largest_;
  std::vector<std::uint32_t> slots_;  // place + 1, or 0
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
};

/// A number to sort by, and the place of a word in DistinctWords.
template <core::Word W>
struct SortableEntry {
  W number;
  std::uint32_t place;
};

/// Sorts by bytes, the lowest first, where comparing would take longer; bytes that all entries share cost one
/// pass. Entries with the same number keep their order.
template <core::Word W>
void sort_entries(std::vector<SortableEntry<W>>& entries) {
  constexpr std::size_t min_for_bytes = 256;
  if (entries.size() < min_for_bytes) {
    std::stable_sort(
        entries.begin(), entries.end(),
        [](const SortableEntry<W>& a, const SortableEntry<W>& b) { return a.number < b.number; });
    return;
  }
  std::array<std::array<std::uint32_t, 256>, sizeof(W)> counts{};
  for (const SortableEntry<W>& entry : entries) {
    for (std::size_t byte = 0; byte < sizeof(W); ++byte) ++counts[byte][entry.number >> (8 * byte) & 0xFF];
  }
  std::vector<SortableEntry<W>> sorted(entries.size());
  for (std::size_t byte = 0; byte < sizeof(W); ++byte) {
    std::array<std::uint32_t, 256>& places = counts[byte];
    if (std::find(places.begin(), places.end(), entries.size()) != places.end()) continue;
    std::uint32_t before = 0;
    for (std::uint32_t& place : places) before += std::exchange(place, before);
    for (const SortableEntry<W>& entry : entries) sorted[places[entry.number >> (8 * byte) & 0xFF]++] = entry;
    entries.swap(sorted);
  }
}

/// The `count` words of a child, with room for another one. Nothing if its bytes contradict the format.
/// Throws std::bad_alloc.
template <core::Word W>
std::vector<W> read_entries(Source& entries, std::uint64_t count) {
  std::vector<W> words;
  words.reserve(static_cast<std::size_t>(count) + 1);
  words.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < words.size(); i += piece_words) {
    if (!entries.read(words.data() + i, std::min(piece_words, words.size() - i))) return {};
  }
  return words;
}

/// words[i] = entries[codes[i]]. False, and nothing written, if a code is `end` or more.
template <core::Word W, core::Word Code>
bool look_up(const W* entries, std::uint64_t end, const Code* codes, std::size_t count, W* words) {
  if (count == 0) return true;
  Code least = 0, most = 0;
  kernels().of<Code>().range(codes, count, Code{0}, least, most);
  if (most >= end) return false;
  constexpr std::size_t step = sizeof(std::uint64_t) / sizeof(Code);  // codes of one load
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    std::uint64_t some;
    std::memcpy(&some, codes + i, sizeof some);
    for (std::size_t k = 0; k < step; ++k)
      words[i + k] = entries[static_cast<Code>(some >> (k * core::word_bits<Code>))];
  }
  for (; i < count; ++i) words[i] = entries[codes[i]];
  return true;
}

}  // namespace floe::trees
