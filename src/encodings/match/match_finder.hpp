// Finds words that stood before: chains of the places whose words have the same hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "encodings/scratch.hpp"

namespace floe::trees {

/// Words of the shortest match that is looked for at any distance.
template <core::Word W>
inline constexpr std::uint32_t hashed_words = sizeof(W) == 8 ? 1 : 4 / sizeof(W);

/// Matches reach no further.
inline constexpr std::uint32_t max_match_distance = std::uint32_t{1} << 24;

/// How many words from `a` and `b` on are equal, at most `limit`. Precondition: as many can be read at both.
template <core::Word W>
std::uint32_t equal_words(const W* a, const W* b, std::uint32_t limit) {
  constexpr std::uint32_t at_once = 8 / sizeof(W);
  std::uint32_t length = 0;
  for (; length + at_once <= limit; length += at_once) {
    const auto difference = core::load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(a + length)) ^
                            core::load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(b + length));
    if (difference != 0)
      return length + static_cast<std::uint32_t>(std::countr_zero(difference)) / core::word_bits<W>;
  }
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

/// Of the words from there on.
template <core::Word W>
std::size_t hash_at(const W* words, std::uint32_t at, unsigned bits) {
  using Key = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;
  const std::uint64_t key = core::load<Key>(reinterpret_cast<const std::uint8_t*>(words + at));
  return static_cast<std::size_t>(key * core::splitmix_step >> (64 - bits));
}

template <core::Word W>
class MatchFinder {
 public:
  MatchFinder(std::span<const W> words, Scratch& scratch)
      : words_(words.data()),
        count_(static_cast<std::uint32_t>(words.size())),
        hash_bits_(std::clamp(static_cast<unsigned>(std::bit_width(words.size())) - 1, 8U, 18U)),
        heads_(scratch.take(sizeof(std::uint32_t) << hash_bits_)),
        chain_words_(std::min(std::bit_ceil(count_), max_match_distance)),
        chain_(scratch.take(sizeof(std::uint32_t) * std::size_t{chain_words_})) {
    std::memset(heads_.data(), 0, sizeof(std::uint32_t) << hash_bits_);
  }

  /// Whether there are enough words from there on.
  [[nodiscard]] bool has_hash(std::uint32_t at) const { return count_ - at >= hashed_words<W>; }

  /// Calls `found(length, distance)` for matches at `at`, which was entered, that are longer than
  /// `longer_than` and than those before, nearer ones first. `found` returns whether to go on.
  template <class Found>
  void find(std::uint32_t at, std::uint32_t attempts, std::uint32_t longer_than, const Found& found) {
    std::uint32_t candidate = chain_at(at), best = longer_than;
    const std::uint32_t limit = count_ - at;
    for (; candidate != 0 && attempts > 0; --attempts) {
      const std::uint32_t from = candidate - 1;
      if (at - from >= chain_words_ || best >= limit) return;
      if (words_[from + best] == words_[at + best]) {
        const std::uint32_t length = equal_words(words_ + from, words_ + at, limit);
        if (length > best) {
          best = length;
          if (!found(length, at - from)) return;
        }
      }
      candidate = chain_at(from);
    }
  }

  /// Each place once, in order. Precondition: has_hash(at).
  void enter(std::uint32_t at) {
    std::uint32_t& head = reinterpret_cast<std::uint32_t*>(heads_.data())[hash_at(words_, at, hash_bits_)];
    chain_at(at) = head;  // plus 1, or 0
    head = at + 1;
  }

 private:
  std::uint32_t& chain_at(std::uint32_t at) {
    return reinterpret_cast<std::uint32_t*>(chain_.data())[at & (chain_words_ - 1)];
  }

  const W* words_;
  std::uint32_t count_;
  unsigned hash_bits_;
  Block heads_;
  std::uint32_t chain_words_;
  Block chain_;
};

}  // namespace floe::trees
