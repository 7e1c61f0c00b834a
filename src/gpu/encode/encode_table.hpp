// A hash table of the different words of a stream, in the shared memory of a block. Words for which it has no
// room have no slot. Every lane looks at eight pairs of slots at a time, so that no word waits for the one
// before.
#pragma once

#include "core/splitmix.hpp"
#include "gpu/encode/encode_select.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// What slots hold: numbers that atomic operations take.
template <core::Word W>
using SlotKey = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;

/// Two slots, which are looked at at once.
template <class Key>
struct alignas(2 * sizeof(Key)) KeyPair {
  Key key[2];
};

/// A word lies in the first free slot that was found from a pair on that its hash says, if there is one among
/// the next few: slots never become free again, so that a word lies in one place or nowhere, whoever else
/// looks for it. Free slots hold the stream's first word. That word itself has the last slot.
template <core::Word W>
struct WordTable {
  using Key = SlotKey<W>;
  static constexpr std::uint32_t window_slots = 32;

  Key* keys;
  std::uint32_t slots;  ///< A multiple of 2, more than those of two windows.
  std::uint64_t multiplier;

  [[nodiscard]] FLOE_DEVICE std::uint32_t slot_of_first() const { return slots - 1; }
  /// The first slot in which a word may lie.
  [[nodiscard]] FLOE_DEVICE std::uint32_t home(W word) const {
    const std::uint64_t hash = word * multiplier >> 32;
    return 2 * static_cast<std::uint32_t>(hash * ((slots - window_slots - 2) / 2) >> 32);
  }
};

/// Of table `number` of a stream: words that crowd one do not crowd the next.
FLOE_HD constexpr std::uint64_t table_multiplier(std::uint32_t number) {
  return core::splitmix(core::splitmix_step * (number + 1)) | 1;
}

inline constexpr std::uint32_t no_slot = 0xFFFF;

/// Looks at the pair of slots from which on a word may lie, which `slot` is in: the word is there, or takes a
/// slot that is free, or has none, all of which `slot` says then; or false, and the next one is to be looked
/// at. Another one may take a slot at the same time: then it is looked at once more.
template <core::Word W>
FLOE_DEVICE bool look_for_word(const WordTable<W>& table, W free, W word, std::uint32_t& slot) {
  using Key = SlotKey<W>;
  const auto pair = load_aligned<KeyPair<Key>>(reinterpret_cast<const std::uint8_t*>(table.keys + slot));
  const auto may_lie = [&](Key key) { return key == Key{word} || key == Key{free}; };
  const bool is_first = may_lie(pair.key[0]);
  if (!is_first && !may_lie(pair.key[1])) {
    slot += 2;
    const bool is_last = slot == table.home(word) + WordTable<W>::window_slots;
    if (is_last) slot = no_slot;
    return is_last;
  }
  const std::uint32_t found = slot + (is_first ? 0 : 1);
  const Key key = pair.key[is_first ? 0 : 1],
            seen = key == Key{word} ? key : atomic_swap(table.keys + found, Key{free}, Key{word});
  const bool is_found = seen == Key{free} || seen == Key{word};
  if (is_found) slot = found;
  return is_found;
}

/// Loads the words of this lane's next round. What would lie behind the end is the last word.
template <class Block, core::Word W, unsigned count>
FLOE_DEVICE void load_ahead(Block& block, const W* words, std::uint32_t first, std::uint32_t end,
                            W (&next)[count]) {
  FLOE_UNROLL
  for (unsigned k = 0; k < count; ++k) {
    const std::uint32_t i = first + k * block.size();
    next[k] = load_aligned<W>(reinterpret_cast<const std::uint8_t*>(words + (i < end ? i : end - 1)));
  }
}

/// Words of a thread in a round.
inline constexpr unsigned table_batch = 8;

/// The number of a word that no table took.
inline constexpr std::uint32_t no_number = 0xFFFFFFFF;

/// Words of a stream that a table is filled with: those at positions from `first` to `end` of a list, or of
/// the stream; of these every fourth round of a block, or all others.
struct TableWords {
  enum Rounds : std::uint8_t { all, fourth, others };
  std::uint32_t first = 0, end = 0;
  const std::uint32_t* list = nullptr;
  Rounds rounds = all;

  [[nodiscard]] FLOE_DEVICE std::uint32_t first_round() const { return rounds == others ? 1 : 0; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t round_behind(std::uint32_t round) const {
    if (rounds == fourth) return round + 4;
    return rounds == others && round % 4 == 3 ? round + 2 : round + 1;
  }
};

/// Makes all slots of a table free. Ends with a barrier.
template <core::Word W, class Block>
FLOE_DEVICE void clear_table(Block& block, const WordTable<W>& table, W free) {
  for (std::uint32_t slot = block.rank(); slot < table.slots; slot += block.size()) table.keys[slot] = free;
  block.sync();
}

/// Adds words of a stream to a table, and notes the slot of each of them at its position. Returns whether all
/// have one. Called by all threads. Takes copies of what it reads in every round, which stores might
/// otherwise have changed.
template <core::Word W, bool are_listed, class Block>
FLOE_DEVICE bool fill_table(Block& block, const EncodeStream stream, const WordTable<W> table,
                            const TableWords which, std::uint16_t* slot_of) {
  using Key = SlotKey<W>;
  const W* const words = reinterpret_cast<const W*>(stream.words);
  const W free = words[0];
  constexpr unsigned batch = table_batch;
  W next[batch];
  std::uint32_t number[batch];  // of the words behind the next ones, where they are listed
  const auto first_of = [&](std::uint32_t round) {
    return which.first + block.rank() + round * batch * block.size();
  };
  const auto load = [&](std::uint32_t round) {
    if constexpr (are_listed) {
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        next[k] = load_aligned<W>(reinterpret_cast<const std::uint8_t*>(words + number[k]));
      load_ahead(block, which.list, first_of(round + 1), which.end, number);
    } else {
      load_ahead(block, words, first_of(round), which.end, next);
    }
  };
  bool has_room = true;
  std::uint32_t round = which.first_round();
  if constexpr (are_listed) load_ahead(block, which.list, first_of(round), which.end, number);
  load(round);
  FLOE_NO_UNROLL
  for (; first_of(round) - block.warp().lane() < which.end; round = which.round_behind(round)) {
    const std::uint32_t first = first_of(round);
    W word[batch];
    unsigned pending = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      word[k] = next[k];
      if (first + k * block.size() < which.end) pending |= 1u << k;
    }
    load(which.round_behind(round));
    // Most words lie where they may lie first, or take a slot there.
    unsigned found = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const bool is_first = word[k] == free;
      const std::uint32_t home = is_first ? table.slot_of_first() : table.home(word[k]);
      const auto pair =
          load_aligned<KeyPair<Key>>(reinterpret_cast<const std::uint8_t*>(table.keys + (home & ~1u)));
      const Key own{word[k]};
      const bool is_second = pair.key[1] == own;
      bool is_found = is_first || is_second || pair.key[0] == own;
      std::uint32_t slot = home + (!is_first && is_second ? 1 : 0);
      if ((pending >> k & 1) == 0) continue;
      if (!is_found && (pair.key[0] == Key{free} || pair.key[1] == Key{free})) {
        slot = home + (pair.key[0] == Key{free} ? 0 : 1);
        const Key seen = atomic_swap(table.keys + slot, Key{free}, own);
        is_found = seen == Key{free} || seen == own;
      }
      if (!is_found) continue;
      slot_of[first + k * block.size()] = static_cast<std::uint16_t>(slot);
      found |= 1u << k;
    }
    pending &= ~found;
    // The others are looked for one by one.
    W own = 0;
    std::uint32_t slot = 0;
    bool is_new = true;
    FLOE_NO_UNROLL
    while (block.warp().ballot(pending != 0) != 0) {
      if (pending == 0) continue;
      const unsigned k = core::bit_length(pending & (0u - pending)) - 1;
      if (is_new) {
        FLOE_UNROLL
        for (unsigned i = 0; i < batch; ++i) own = i == k ? word[i] : own;
        slot = table.home(own);
      }
      is_new = look_for_word<W>(table, free, own, slot);
      if (!is_new) continue;
      slot_of[first + k * block.size()] = static_cast<std::uint16_t>(slot);
      has_room = has_room && slot != no_slot;
      pending &= pending - 1;
    }
  }
  return !block.any(!has_room);
}

}  // namespace floe::gpu
