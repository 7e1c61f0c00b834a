// Finds words that stood before: chains of the places whose words have the same hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
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

/// Of so many words from there on: where words are few different ones, one of them says little.
inline constexpr std::uint32_t long_words = 8;
template <core::Word W>
std::size_t long_hash_at(const W* words, std::uint32_t at, unsigned bits) {
  std::uint64_t key = 0;
  for (std::uint32_t i = 0; i < long_words; ++i) key = (key + words[at + i]) * core::splitmix_step;
  return static_cast<std::size_t>(key >> (64 - bits));
}

/// Places with the same hash, in chains.
class HashChains {
 public:
  HashChains(std::uint32_t count, unsigned hash_bits, Scratch& scratch)
      : heads_(scratch.take(sizeof(std::uint32_t) << hash_bits)),
        chain_words_(std::min(std::bit_ceil(count), max_match_distance)),
        chain_(scratch.take(sizeof(std::uint32_t) * std::size_t{chain_words_})) {
    std::memset(heads_.data(), 0, sizeof(std::uint32_t) << hash_bits);
  }
  /// Each place once, in order.
  void enter(std::uint32_t at, std::size_t hash) {
    std::uint32_t& head = reinterpret_cast<std::uint32_t*>(heads_.data())[hash];
    before(at) = head;
    head = at + 1;
  }
  /// The place before it with the same hash, plus 1, or 0; of places that are no more than reach() back.
  std::uint32_t& before(std::uint32_t at) {
    return reinterpret_cast<std::uint32_t*>(chain_.data())[at & (chain_words_ - 1)];
  }
  [[nodiscard]] std::uint32_t reach() const { return chain_words_; }

 private:
  Block heads_;
  std::uint32_t chain_words_;
  Block chain_;
};

template <core::Word W>
class MatchFinder {
 public:
  MatchFinder(std::span<const W> words, Scratch& scratch)
      : words_(words.data()),
        count_(static_cast<std::uint32_t>(words.size())),
        hash_bits_(std::clamp(static_cast<unsigned>(std::bit_width(words.size())) - 1, 8U, 18U)),
        chains_(count_, hash_bits_, scratch) {
    if constexpr (sizeof(W) > 1) long_chains_.emplace(count_, hash_bits_, scratch);
  }

  /// Whether there are enough words from there on.
  [[nodiscard]] bool has_hash(std::uint32_t at) const { return count_ - at >= hashed_words<W>; }

  /// Calls `found(length, distance)` for matches at `at`, which was entered, that are longer than
  /// `longer_than` and than those before, nearer ones first, but for some that are long. `found` returns
  /// whether to go on.
  template <class Found>
  void find(std::uint32_t at, std::uint32_t attempts, std::uint32_t longer_than, const Found& found) {
    std::uint32_t best = longer_than;
    if (!find_in(chains_, at, attempts, best, found) || !has_long_hash(at)) return;
    find_in(*long_chains_, at, long_attempts, best, found);
  }

  /// Each place once, in order. Precondition: has_hash(at).
  void enter(std::uint32_t at) {
    chains_.enter(at, hash_at(words_, at, hash_bits_));
    if (has_long_hash(at)) long_chains_->enter(at, long_hash_at(words_, at, hash_bits_));
  }

 private:
  static constexpr std::uint32_t long_attempts = 8;

  [[nodiscard]] bool has_long_hash(std::uint32_t at) const {
    return sizeof(W) > 1 && count_ - at >= long_words;
  }

  /// False if there is no need to go on.
  template <class Found>
  bool find_in(HashChains& chains, std::uint32_t at, std::uint32_t attempts, std::uint32_t& best,
               const Found& found) {
    const std::uint32_t limit = count_ - at;
    for (std::uint32_t candidate = chains.before(at); candidate != 0 && attempts > 0; --attempts) {
      const std::uint32_t from = candidate - 1;
      if (at - from >= chains.reach()) return true;
      if (best >= limit) return false;
      if (words_[from + best] == words_[at + best]) {
        const std::uint32_t length = equal_words(words_ + from, words_ + at, limit);
        if (length > best) {
          best = length;
          if (!found(length, at - from)) return false;
        }
      }
      candidate = chains.before(from);
    }
    return true;
  }

  const W* words_;
  std::uint32_t count_;
  unsigned hash_bits_;
  HashChains chains_;
  std::optional<HashChains> long_chains_;
};

}  // namespace floe::trees
