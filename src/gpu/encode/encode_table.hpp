// Finds equal words of a stream. Those that a hash table has in the same slot, in shared memory or in the
// scratch. Every lane looks for eight words at a time, so that no word waits for the one before.
#pragma once

#include "core/splitmix.hpp"
#include "gpu/encode/encode_select.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// What slots hold: numbers that atomic operations take.
template <core::Word W>
using SlotKey = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;

/// Slots are looked at in groups, in the order of their numbers from the one on in which a word's hash says
/// that it may be. A word lies in the first slot that was free when it came, and slots never become free
/// again: so it lies there once, whoever else looks for it. Free slots hold the stream's first word. That
/// word itself has a slot in the last group, where no other is looked for.
template <core::Word W, unsigned size_of_group>
struct WordTable {
  using Key = SlotKey<W>;
  static constexpr unsigned group = size_of_group;

  Key* keys;
  std::uint32_t slots;  ///< A multiple of 1024.
  std::uint32_t max;    ///< Different words that are put into it, but for those that warps have in hand.
  std::uint32_t max_rounds;
  std::uint64_t multiplier;

  [[nodiscard]] FLOE_DEVICE std::uint32_t end() const { return slots - group; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t slot_of_first() const { return slots - 1; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t wrapped(std::uint32_t slot) const {
    return slot == end() ? 0 : slot;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t home(W word) const {
    const std::uint64_t hash = word * multiplier >> 32;
    return group * static_cast<std::uint32_t>(hash * (slots / group - 1) >> 32);
  }
};

/// Words that a lane looks for at a time: bit k of `pending` says that slot[k] is not yet that of word[k].
inline constexpr unsigned sought_words = 8;
template <core::Word W>
struct SoughtWords {
  W word[sought_words];
  std::uint32_t slot[sought_words];
  unsigned pending = 0;
};

/// 16 bytes of keys that others may change meanwhile. They do not stay in the L1 cache.
template <class Key>
FLOE_DEVICE void load_group(const Key* from, Key (&keys)[16 / sizeof(Key)]) {
#if defined(__CUDA_ARCH__)
  const uint4 bytes = __ldcg(reinterpret_cast<const uint4*>(from));
  std::memcpy(keys, &bytes, sizeof bytes);
#else
  for (Key& key : keys) key = std::atomic_ref(const_cast<Key&>(*from++)).load(std::memory_order_relaxed);
#endif
}

/// Looks at the groups in which words may be: they are there, or the next group is to be looked at, or they
/// may take a slot that is free. Returns the bits of the latter.
template <core::Word W, class Table>
FLOE_DEVICE unsigned look_for_words(const Table& table, W free, SoughtWords<W>& sought) {
  using Key = typename Table::Key;
  constexpr unsigned group = Table::group;
  Key keys[sought_words][group] = {};
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((sought.pending >> k & 1) == 0) continue;
    if constexpr (group == 1) {
      keys[k][0] = table.keys[sought.slot[k]];
    } else {
      load_group(table.keys + sought.slot[k] / group * group, keys[k]);
    }
  }
  unsigned may_take = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((sought.pending >> k & 1) == 0) continue;
    const unsigned from = sought.slot[k] % group;
    unsigned at = group;
    bool is_there = false;
    FLOE_UNROLL
    for (unsigned j = group; j-- > 0;) {
      const bool is_word = keys[k][j] == Key{sought.word[k]};
      if (j < from || (!is_word && keys[k][j] != Key{free})) continue;
      at = j;
      is_there = is_word;
    }
    sought.slot[k] = table.wrapped(sought.slot[k] - from + at);
    if (is_there) {
      sought.pending &= ~(1u << k);
    } else if (at < group) {
      may_take |= 1u << k;
    }
  }
  return may_take;
}

/// Takes free slots for words. Returns how many it got.
template <core::Word W, class Table>
FLOE_DEVICE std::uint32_t take_slots(const Table& table, W free, unsigned may_take, SoughtWords<W>& sought) {
  using Key = typename Table::Key;
  Key* address[sought_words];
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) address[k] = in_register(table.keys + sought.slot[k]);
  Key seen[sought_words] = {};
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((may_take >> k & 1) != 0) seen[k] = atomic_swap(address[k], Key{free}, Key{sought.word[k]});
  }
  std::uint32_t taken = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < sought_words; ++k) {
    if ((may_take >> k & 1) == 0) continue;
    if (seen[k] == Key{free} || seen[k] == Key{sought.word[k]}) {
      sought.pending &= ~(1u << k);
      taken += seen[k] == Key{free} ? 1 : 0;
    } else {
      sought.slot[k] = table.wrapped(sought.slot[k] + 1);
    }
  }
  return taken;
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

struct TableOutcome {
  std::uint32_t distinct;  ///< More than the table's `max` if they are too many.
  bool is_crowded;         ///< Some word was not found in as many rounds as may be.
};

/// Puts the words of a stream into a table, and calls note(i, slot) for each word. Called by all threads. If
/// there are too many different words, or the table is crowded, it stops early, and not all words are noted.
/// Takes copies of what it reads in every round, which stores might otherwise have changed.
template <core::Word W, class Block, class Table, class Note>
FLOE_DEVICE TableOutcome fill_table(Block& block, const EncodeStream stream, const Table table,
                                    const Note& note) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const W free = stream_word<W>(stream, 0);
  for (std::uint32_t slot = block.rank(); slot < table.slots; slot += block.size()) table.keys[slot] = free;
  memory.counts[0] = 1;
  memory.counts[1] = 0;
  block.sync();
  W next[sought_words];
  load_ahead(block, reinterpret_cast<const W*>(stream.words), block.rank(), stream.count, next);
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first - warp.lane() < stream.count;
       first += sought_words * block.size()) {
    const bool is_over =
        read_shared_word(&memory.counts[0]) > table.max || read_shared_word(&memory.counts[1]) != 0;
    if (warp.ballot(is_over) != 0) break;
    SoughtWords<W> sought;
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) sought.word[k] = next[k];
    load_ahead(block, reinterpret_cast<const W*>(stream.words), first + sought_words * block.size(),
               stream.count, next);
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) {
      const bool is_first = sought.word[k] == free;
      sought.slot[k] = is_first ? table.slot_of_first() : table.home(sought.word[k]);
      if (!is_first) sought.pending |= 1u << k;
    }
    std::uint32_t taken = 0, round = 0;
    FLOE_NO_UNROLL
    for (; warp.ballot(sought.pending != 0) != 0 && round < table.max_rounds; ++round) {
      const unsigned may_take = look_for_words<W>(table, free, sought);
      if (may_take != 0) taken += take_slots<W>(table, free, may_take, sought);
    }
    taken = warp.reduce_add(taken);
    const std::uint32_t left = warp.ballot(sought.pending != 0);
    if (warp.lane() == 0) {
      if (taken > 0) atomic_add(&memory.counts[0], taken);
      if (left != 0) atomic_add(&memory.counts[1], 1);
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < sought_words; ++k) {
      const std::uint32_t i = first + k * block.size();
      if (i < stream.count) note(i, sought.slot[k]);
    }
  }
  block.sync();
  const TableOutcome outcome{memory.counts[0], memory.counts[1] != 0};
  block.sync();
  return outcome;
}

/// Of 32 slots, which ones are taken, and how many before them.
struct alignas(8) TakenSlots {
  std::uint32_t bits, before;
};
FLOE_DEVICE std::uint32_t number_of_slot(const TakenSlots* taken, std::uint32_t slot) {
  const auto row = load_aligned<TakenSlots>(reinterpret_cast<const std::uint8_t*>(taken + slot / 32));
  return row.before + count_bits(row.bits & ((1u << slot % 32) - 1));
}

/// Numbers the slots that are taken, in their order.
template <core::Word W, class Block, class Table>
FLOE_DEVICE void number_slots(Block& block, const Table& table, W free, TakenSlots* taken) {
  auto& warp = block.warp();
  constexpr unsigned batch = 8;
  const std::uint32_t rows = table.slots / 32;
  FLOE_NO_UNROLL
  for (std::uint32_t row = batch * block.warp_index(); row < rows; row += batch * block.warp_count()) {
    typename Table::Key keys[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) keys[k] = table.keys[32 * (row + k) + warp.lane()];
    std::uint32_t own = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const bool is_first = 32 * (row + k) + warp.lane() == table.slot_of_first();
      const std::uint32_t bits = warp.ballot(is_first || keys[k] != typename Table::Key{free});
      if (warp.lane() == k) own = bits;
    }
    if (warp.lane() < batch) taken[row + warp.lane()].bits = own;
  }
  block.sync();
  const std::uint32_t share = (rows + block.size() - 1) / block.size(), begin = block.rank() * share;
  const std::uint32_t end = begin + share < rows ? begin + share : rows;
  std::uint32_t own = 0;
  for (std::uint32_t row = begin; row < end; ++row) own += count_bits(taken[row].bits);
  auto before = static_cast<std::uint32_t>(block_scan(block, block.memory().bases[0], own).before);
  for (std::uint32_t row = begin; row < end; ++row) {
    taken[row].before = before;
    before += count_bits(taken[row].bits);
  }
  block.sync();
}

}  // namespace floe::gpu
