// Finds words that stood before, among the positions whose words have the same hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

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

/// Positions with the same hash, in chains.
class HashChains {
 public:
  template <class HashAt, class KeyAt>
  HashChains(std::uint32_t count, unsigned hash_bits, const HashAt&, const KeyAt&, Scratch& scratch)
      : heads_(scratch.take(sizeof(std::uint32_t) << hash_bits)),
        chain_words_(std::min(std::bit_ceil(count), max_match_distance)),
        chain_(scratch.take(sizeof(std::uint32_t) * std::size_t{chain_words_})) {
    std::memset(heads_.data(), 0, sizeof(std::uint32_t) << hash_bits);
  }
  /// Each position once, in order.
  void enter(std::uint32_t at, std::size_t hash) {
    std::uint32_t& head = reinterpret_cast<std::uint32_t*>(heads_.data())[hash];
    before(at) = head;
    head = at + 1;
  }
  /// Calls `look(from)` for up to `attempts` positions before one that was entered, the nearest first, as
  /// long as that says to go on.
  template <class Look>
  void for_positions_before(std::uint32_t at, std::uint32_t attempts, const Look& look) {
    for (std::uint32_t candidate = before(at); candidate != 0 && attempts > 0; --attempts) {
      const std::uint32_t from = candidate - 1;
      if (at - from >= chain_words_ || !look(from)) return;
      candidate = before(from);
    }
  }

 private:
  /// The position before it with the same hash, plus 1, or 0; of positions that are no more than a chain
  /// back.
  std::uint32_t& before(std::uint32_t at) {
    return reinterpret_cast<std::uint32_t*>(chain_.data())[at & (chain_words_ - 1)];
  }

  Block heads_;
  std::uint32_t chain_words_;
  Block chain_;
};

/// Four of the bytes that have to be equal for a match; of words of eight bytes, a hash.
template <core::Word W>
std::uint32_t key_at(const W* words, std::uint32_t at) {
  if constexpr (sizeof(W) == 8) return static_cast<std::uint32_t>(words[at] * core::splitmix_step);
  return core::load<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(words + at));
}

/// The same, sorted by hashes, which takes longer. No position has to be read to know the next one, and keys
/// stand beside positions, so that many are looked at in less time.
class SortedPositions {
 public:
  template <class HashAt, class KeyAt>
  SortedPositions(std::uint32_t count, unsigned hash_bits, const HashAt& hash_at, const KeyAt& key_at,
                  Scratch& scratch)
      : count_(count),
        order_(scratch.take(sizeof(Place) * std::size_t{count})),
        index_(scratch.take(sizeof(std::uint32_t) * std::size_t{count})) {
    const Block ends_block = scratch.take(sizeof(std::uint32_t) << hash_bits);
    const std::span ends(reinterpret_cast<std::uint32_t*>(ends_block.data()), std::size_t{1} << hash_bits);
    std::fill(ends.begin(), ends.end(), 0U);
    for (std::uint32_t at = 0; at < count; ++at) {
      const std::size_t hash = hash_at(at);
      index()[at] = static_cast<std::uint32_t>(hash);
      ++ends[hash];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends) sum = std::exchange(end, sum) + sum;
    for (std::uint32_t at = 0; at < count; ++at) {
      std::uint32_t& end = ends[index()[at]];
      index()[at] = end;
      order()[end++] = {at, key_at(at)};
    }
    // `ends` are in order: the first position of each hash is where that before it ends.
    for (std::uint32_t first = 0; const std::uint32_t end : ends) {
      if (end > first) order()[first].position |= is_first;
      first = end;
    }
  }
  /// Calls `look(from)` for those of up to `attempts` positions before one that have its key, the nearest
  /// first, as long as that says to go on.
  template <class Look>
  void for_positions_before(std::uint32_t at, std::uint32_t attempts, const Look& look) const {
    const Place* place = order() + index()[at];
    const std::uint32_t key = place->key;
    for (; (place->position & is_first) == 0 && attempts > 0; --attempts) {
      --place;
      const std::uint32_t from = place->position & ~is_first;
      if (at - from >= max_match_distance) return;
      if (place->key == key && !look(from)) return;
    }
  }
  /// What is read first for a position that is looked at soon.
  void prefetch(std::uint32_t at) const {
    if (at < count_) __builtin_prefetch(order() + index()[at]);
  }

 private:
  struct Place {
    std::uint32_t position, key;
  };
  static constexpr std::uint32_t is_first = std::uint32_t{1} << 31;  ///< Positions have 30 bits.

  [[nodiscard]] Place* order() const { return reinterpret_cast<Place*>(order_.data()); }
  [[nodiscard]] std::uint32_t* index() const { return reinterpret_cast<std::uint32_t*>(index_.data()); }

  std::uint32_t count_;
  Block order_, index_;
};

template <core::Word W, class Positions>
class MatchFinder {
 public:
  static constexpr bool are_sorted = std::is_same_v<Positions, SortedPositions>;

  MatchFinder(std::span<const W> words, Scratch& scratch)
      : words_(words.data()),
        count_(static_cast<std::uint32_t>(words.size())),
        hash_bits_(std::clamp(static_cast<unsigned>(std::bit_width(words.size())) - 1, 8U, 18U)),
        positions_(
            count_with(hashed_words<W>), hash_bits_,
            [this](std::uint32_t at) { return hash_at(words_, at, hash_bits_); },
            [this](std::uint32_t at) { return key_at(words_, at); }, scratch) {
    if constexpr (sizeof(W) > 1) {
      positions_of_long_.emplace(
          count_with(long_words), hash_bits_,
          [this](std::uint32_t at) { return long_hash_at(words_, at, hash_bits_); },
          [this](std::uint32_t at) { return key_at(words_, at); }, scratch);
    }
  }

  /// Whether there are enough words from there on.
  [[nodiscard]] bool has_hash(std::uint32_t at) const { return count_ - at >= hashed_words<W>; }

  /// Calls `found(length, distance)` for matches at `at`, which was entered, that are longer than
  /// `longer_than` and than those before, nearer ones first, but for some that are long. `found` returns
  /// whether to go on.
  template <class Found>
  void find(std::uint32_t at, std::uint32_t attempts, std::uint32_t longer_than, const Found& found) {
    if constexpr (are_sorted) {
      positions_.prefetch(at + looked_ahead);
      if constexpr (sizeof(W) > 1) positions_of_long_->prefetch(at + looked_ahead);
    }
    std::uint32_t best = longer_than;
    if (!find_in(positions_, at, attempts, best, found) || !has_long_hash(at)) return;
    find_in(*positions_of_long_, at, long_attempts, best, found);
  }

  /// Each position once, in order. Precondition: has_hash(at).
  void enter(std::uint32_t at) {
    if constexpr (!are_sorted) {
      positions_.enter(at, hash_at(words_, at, hash_bits_));
      if (has_long_hash(at)) positions_of_long_->enter(at, long_hash_at(words_, at, hash_bits_));
    }
  }

 private:
  static constexpr std::uint32_t long_attempts = 8;
  static constexpr std::uint32_t looked_ahead = 8;  ///< Positions are mostly looked at in their order.

  /// How many positions have so many words from there on.
  [[nodiscard]] std::uint32_t count_with(std::uint32_t words) const {
    return are_sorted ? count_ - std::min(count_, words - 1) : count_;
  }

  [[nodiscard]] bool has_long_hash(std::uint32_t at) const {
    return sizeof(W) > 1 && count_ - at >= long_words;
  }

  /// False if there is no need to go on.
  template <class Found>
  bool find_in(Positions& positions, std::uint32_t at, std::uint32_t attempts, std::uint32_t& best,
               const Found& found) {
    const std::uint32_t limit = count_ - at;
    bool goes_on = true;
    positions.for_positions_before(at, attempts, [&](std::uint32_t from) {
      if (best >= limit) return goes_on = false;
      if (words_[from + best] != words_[at + best]) return true;
      const std::uint32_t length = equal_words(words_ + from, words_ + at, limit);
      if (length <= best) return true;
      best = length;
      return goes_on = found(length, at - from);
    });
    return goes_on;
  }

  const W* words_;
  std::uint32_t count_;
  unsigned hash_bits_;
  Positions positions_;
  std::optional<Positions> positions_of_long_;
};

}  // namespace floe::trees
