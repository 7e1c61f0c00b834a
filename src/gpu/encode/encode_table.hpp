// A hash table of the different words of a stream, in the shared memory of a block. Words for which it has no
// room have no slot. Every lane looks for eight words at a time, so that no word waits for the one before.
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
  std::uint32_t *counts, *firsts;  ///< How often words of slots occur, and where first, or null.
  std::uint32_t slots;             ///< A multiple of 2, more than those of two windows.
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

/// Words that a lane looks for at a time: bit k of `pending` says that slot[k] is not yet that of word[k].
inline constexpr unsigned sought_words = 8;
inline constexpr std::uint32_t no_slot = 0xFFFF;
template <core::Word W>
struct SoughtWords {
  W word[sought_words];
  std::uint32_t slot[sought_words];
  unsigned pending = 0;
};

/// Looks at the pairs in which words may be: they are there, or have no place, or the next pair is to be
/// looked at, or they may take a slot that is free. Returns the bits of the latter.
template <core::Word W>
FLOE_DEVICE unsigned look_for_words(const WordTable<W>& table, W free, SoughtWords<W>& sought) {
  using Key = SlotKey<W>;
  KeyPair<Key> pair[sought_words] = {};
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((sought.pending >> k & 1) == 0) continue;
    pair[k] = load_aligned<KeyPair<Key>>(
        reinterpret_cast<const std::uint8_t*>(table.keys + (sought.slot[k] & ~1u)));
  }
  unsigned may_take = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((sought.pending >> k & 1) == 0) continue;
    const Key word = sought.word[k];
    const bool at_second = sought.slot[k] % 2 != 0;
    const auto may_lie = [&](Key key) { return key == word || key == Key{free}; };
    if (!at_second && may_lie(pair[k].key[0])) {
      if (pair[k].key[0] != word) may_take |= 1u << k;
    } else if (may_lie(pair[k].key[1])) {
      sought.slot[k] |= 1;
      if (pair[k].key[1] != word) may_take |= 1u << k;
    } else {
      sought.slot[k] = (sought.slot[k] | 1) + 1;
      if (sought.slot[k] != table.home(sought.word[k]) + WordTable<W>::window_slots) continue;
      sought.slot[k] = no_slot;
    }
    if ((may_take >> k & 1) == 0) sought.pending &= ~(1u << k);
  }
  return may_take;
}

/// Takes free slots for words. Another one may have been faster: then the next slot is to be looked at.
template <core::Word W>
FLOE_DEVICE void take_slots(const WordTable<W>& table, W free, unsigned may_take, SoughtWords<W>& sought) {
  using Key = SlotKey<W>;
  Key seen[sought_words] = {};
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((may_take >> k & 1) != 0)
      seen[k] = atomic_swap(table.keys + sought.slot[k], Key{free}, Key{sought.word[k]});
  }
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((may_take >> k & 1) != 0 && (seen[k] == Key{free} || seen[k] == Key{sought.word[k]}))
      sought.pending &= ~(1u << k);
  }
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

/// The number of a word that no table took.
inline constexpr std::uint32_t no_number = 0xFFFFFFFF;

/// Fills a table with the words of a stream that have no number yet, or with all of them, and notes the slot
/// of each of these. Returns whether all have one. Called by all threads. Takes copies of what it reads in
/// every round, which stores might otherwise have changed.
template <core::Word W, bool takes_all, class Block>
FLOE_DEVICE bool fill_table(Block& block, const EncodeStream stream, const WordTable<W> table,
                            const std::uint32_t* numbers, std::uint16_t* slot_of) {
  const W* const words = reinterpret_cast<const W*>(stream.words);
  const W free = words[0];
  for (std::uint32_t slot = block.rank(); slot < table.slots; slot += block.size()) {
    table.keys[slot] = free;
    if (table.counts != nullptr) table.counts[slot] = 0;
    if (table.firsts != nullptr) table.firsts[slot] = 0xFFFFFFFF;
  }
  block.sync();
  W next[sought_words];
  std::uint32_t number[sought_words];
  const auto load = [&](std::uint32_t first) {
    load_ahead(block, words, first, stream.count, next);
    if constexpr (!takes_all) load_ahead(block, numbers, first, stream.count, number);
  };
  bool has_room = true;
  load(block.rank());
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first - block.warp().lane() < stream.count;
       first += sought_words * block.size()) {
    SoughtWords<W> sought;
    unsigned open = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) {
      sought.word[k] = next[k];
      if (first + k * block.size() < stream.count && (takes_all || number[k] == no_number)) open |= 1u << k;
    }
    load(first + sought_words * block.size());
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) {
      const bool is_first = sought.word[k] == free;
      sought.slot[k] = is_first ? table.slot_of_first() : table.home(sought.word[k]);
      if (!is_first) sought.pending |= open & 1u << k;
    }
    FLOE_NO_UNROLL
    while (block.warp().ballot(sought.pending != 0) != 0) {
      const unsigned may_take = look_for_words<W>(table, free, sought);
      if (may_take != 0) take_slots<W>(table, free, may_take, sought);
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) {
      if ((open >> k & 1) == 0) continue;
      const std::uint32_t i = first + k * block.size(), slot = sought.slot[k];
      slot_of[i] = static_cast<std::uint16_t>(slot);
      has_room = has_room && slot != no_slot;
      if (table.counts == nullptr || slot == no_slot) continue;
      atomic_add(table.counts + slot, 1);
      if (table.firsts != nullptr && i < read_shared_word(table.firsts + slot))
        atomic_min(table.firsts + slot, i);
    }
  }
  return !block.any(!has_room);
}

}  // namespace floe::gpu
