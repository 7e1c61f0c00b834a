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

#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "core/memory_budget.hpp"
#include "core/splitmix.hpp"
#include "core/word.hpp"
#include "encodings/rules.hpp"
#include "encodings/scratch.hpp"
#include "encodings/source.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

inline constexpr std::size_t max_dict_entries = 65535;  // codes are u16, and one is needed for exceptions
/// A decoder holds the entries: 8 MiB at most. No segment of a table is longer.
inline constexpr std::size_t max_unique_entries = UniqueRules::max_entries;

/// The different words of a stream in the order of their first occurrence. Equal are words with equal bits.
template <core::Word W>
class DistinctWords {
 public:
  /// Throws std::bad_alloc, like all of these. No more than max_unique_entries.
  DistinctWords(std::size_t max_count, Scratch& scratch) : largest_(max_count), scratch_(scratch) {}

  /// Writes the position of each word to `positions`. False if there are too many.
  bool find(std::span<const W> words, std::uint32_t* positions) {
    values_ = scratch_.take(std::min(words.size(), largest_ + words_at_once) * sizeof(W));
    grow(first_slots_for(words.size()));
    std::array<std::uint64_t, words_at_once> hashes;
    bool some_are_new = false;
    for (std::size_t i = 0; i < words.size(); i += words_at_once) {
      const auto some = words.subspan(i, std::min(words_at_once, words.size() - i));
      while (is_full(count_ + some.size())) grow(4 * (mask_ + 1));
      // Slots are asked for before any is needed: a large table is not waited for word by word.
      const Slots slots{reinterpret_cast<std::uint32_t*>(table_.data()), known(), mask_, shift_};
      for (std::size_t k = 0; k < some.size(); ++k) {
        hashes[k] = some[k] * core::splitmix_step;
        __builtin_prefetch(slots.slots + (hashes[k] >> slots.shift));
      }
      // Which words are new can be foreseen where nearly none or most are.
      const std::size_t count = some_are_new ? find_some<true>(slots, some, hashes.data(), positions + i)
                                             : find_some<false>(slots, some, hashes.data(), positions + i);
      if (count > largest_) return false;
      some_are_new = count - count_ >= min_new && count - count_ <= max_new;
      count_ = count;
    }
    return true;
  }
  [[nodiscard]] std::span<const W> values() const { return {known(), count_}; }

 private:
  static constexpr std::size_t words_at_once = 64, min_new = 8, max_new = 40, min_slots = 1024,
                               max_first_slots = 1 << 18;
  /// A slot has the position of a word below, and some bits of its hash, of which one is set, above: so a
  /// table for many words is small. 0 is an empty slot.
  static constexpr unsigned position_bits = 20;
  static constexpr std::uint32_t used = std::uint32_t{1} << position_bits, position_mask = used - 1;
  static_assert(max_unique_entries <= used);

  static std::uint32_t mark_of(std::uint64_t hash) {
    return (static_cast<std::uint32_t>(hash >> 12) & ~position_mask) | used;
  }
  /// The table, as a copy that registers hold.
  struct Slots {
    std::uint32_t* slots;
    W* known;
    std::size_t mask;
    unsigned shift;

    /// There must be room for another word behind the `count` known ones.
    std::uint32_t position_of(W word, std::uint64_t hash, std::size_t& count) const {
      return position_from(static_cast<std::size_t>(hash >> shift), word, mark_of(hash), count);
    }
    /// The same without a branch on whether the word is new: both cases write what is there afterwards.
    std::uint32_t position_of_any(W word, std::uint64_t hash, std::size_t& count) const {
      const auto at = static_cast<std::size_t>(hash >> shift);
      const std::uint32_t slot = slots[at], mark = mark_of(hash);
      const std::size_t position = slot == 0 ? count : slot & position_mask;
      known[count] = word;
      if (known[position] != word) return position_from((at + 1) & mask, word, mark, count);
      slots[at] = mark | static_cast<std::uint32_t>(position);
      count += slot == 0 ? 1 : 0;
      return static_cast<std::uint32_t>(position);
    }
    std::uint32_t position_from(std::size_t at, W word, std::uint32_t mark, std::size_t& count) const {
      for (; slots[at] != 0; at = (at + 1) & mask) {
        const std::uint32_t position = slots[at] ^ mark;  // if the mark is the same
        if (position < used && known[position] == word) return position;
      }
      slots[at] = mark | static_cast<std::uint32_t>(count);
      known[count] = word;
      return static_cast<std::uint32_t>(count++);
    }
  };

  /// The positions of some words. Returns how many are known then.
  template <bool any_is_new>
  std::size_t find_some(const Slots& slots, std::span<const W> words, const std::uint64_t* hashes,
                        std::uint32_t* positions) const {
    std::size_t count = count_;
    for (std::size_t k = 0; k < words.size(); ++k) {
      positions[k] = any_is_new ? slots.position_of_any(words[k], hashes[k], count)
                                : slots.position_of(words[k], hashes[k], count);
    }
    return count;
  }
  [[nodiscard]] W* known() const { return reinterpret_cast<W*>(values_.data()); }
  /// Clearing slots that stay empty takes less time than filling smaller tables first.
  static std::size_t first_slots_for(std::size_t words) {
    constexpr unsigned few_bits = 16;
    if (core::word_bits<W> <= few_bits) words = std::min(words, std::size_t{1} << core::word_bits<W>);
    std::size_t slots = min_slots;
    while (slots < max_first_slots && 2 * slots <= words) slots *= 4;
    return slots;
  }
  /// A large table may be half full, a small one less, so that most words are where they are looked for
  /// first.
  [[nodiscard]] bool is_full(std::size_t count) const {
    constexpr std::size_t large = std::size_t{1} << 18;
    return count * (mask_ + 1 < large ? 4 : 2) > mask_;
  }
  void grow(std::size_t count) {
    table_ = {};
    table_ = scratch_.take(count * sizeof(std::uint32_t));
    std::memset(table_.data(), 0, count * sizeof(std::uint32_t));
    mask_ = count - 1;
    shift_ = 64 - static_cast<unsigned>(std::bit_width(mask_));
    auto* const slots = reinterpret_cast<std::uint32_t*>(table_.data());
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t hash = known()[i] * core::splitmix_step;
      auto at = static_cast<std::size_t>(hash >> shift_);
      while (slots[at] != 0) at = (at + 1) & mask_;
      slots[at] = mark_of(hash) | static_cast<std::uint32_t>(i);
    }
  }

  std::size_t largest_;
  Scratch& scratch_;
  Block values_, table_;
  std::size_t count_ = 0, mask_ = 0;
  unsigned shift_ = 0;
};

/// How often each of `count` positions occurs. Throws std::bad_alloc.
std::vector<std::uint32_t> count_positions(std::span<const std::uint32_t> positions, std::size_t count);

/// A key to sort by, and a position.
struct SortKey {
  std::uint32_t key, position;
};
/// Room for so many keys. Throws std::bad_alloc.
inline std::span<SortKey> keys_in(core::Buffer& memory, std::size_t count) {
  return {reinterpret_cast<SortKey*>(memory.reserve(count * sizeof(SortKey)).data()), count};
}
/// Sorts by groups of bits, the lowest first. Equal keys keep their order. Throws std::bad_alloc.
void sort_by_digits(std::span<SortKey> keys);

/// A number to sort by, and a position.
struct NumberedPosition {
  std::uint64_t number;
  std::uint32_t position;
};
/// Sorts a few of them. Equal numbers keep their order. Throws std::bad_alloc.
void sort_few(std::span<NumberedPosition> few);

/// Sorts positions by `number_of` each, which is a word; equal ones keep their order. Throws std::bad_alloc.
template <core::Word W, class NumberOf>
void sort_positions(std::span<std::uint32_t> positions, const NumberOf& number_of) {
  constexpr std::size_t min_for_digits = 256;
  if (positions.size() < min_for_digits) {
    std::array<NumberedPosition, min_for_digits> few;
    for (std::size_t i = 0; i < positions.size(); ++i) few[i] = {number_of(positions[i]), positions[i]};
    sort_few(std::span(few).first(positions.size()));
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = few[i].position;
    return;
  }
  W min = number_of(positions[0]), max = min;
  for (const std::uint32_t position : positions) {
    const W number = number_of(position);
    min = std::min(min, number);
    max = std::max(max, number);
  }
  // By the highest bits that differ; then those that are still equal.
  constexpr unsigned key_bits = core::word_bits<std::uint32_t>;
  const unsigned bits = core::bit_length(static_cast<W>(max - min)),
                 shift = bits > key_bits ? bits - key_bits : 0;
  core::Buffer memory;
  const std::span<SortKey> keys = keys_in(memory, positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    keys[i] = {static_cast<std::uint32_t>(static_cast<W>(number_of(positions[i]) - min) >> shift),
               positions[i]};
  sort_by_digits(keys);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = keys[i].position;
  if (shift == 0) return;
  for (std::size_t first = 0, end; first < keys.size(); first = end) {
    for (end = first + 1; end < keys.size() && keys[end].key == keys[first].key;) ++end;
    if (end > first + 1) sort_positions<W>(positions.subspan(first, end - first), number_of);
  }
}

/// The `count` words of a child, with room for another one. Nothing if its bytes contradict the format.
/// Throws std::bad_alloc.
template <core::Word W>
std::vector<W> read_entries(Source& entries, std::uint64_t count) {
  core::MemoryBudget::take((count + 1) * sizeof(W));
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
  Code min = 0, max = 0;
  kernels().of<Code>().range(codes, count, Code{0}, min, max);
  if (max >= end) return false;
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
