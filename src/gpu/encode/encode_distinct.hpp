// The different words of a stream, how often each occurs, and where first, by a hash table.
#pragma once

#include "gpu/encode/encode_sort.hpp"
#include "gpu/encode/encode_table.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t max_distinct_words = trees::DictRules::max_distinct_words;
/// Slots of tables: of the one in shared memory, of the one that is tried next.
inline constexpr std::uint32_t small_table_slots = 4096, medium_table_slots = 32768;
/// Different words that the former takes. As many as a block looks at in its first round, if nearly all of
/// them differ, are more: then it tries nothing else with that table.
inline constexpr std::uint32_t max_small_words = small_table_slots / 16 * 7;

/// Slots of the largest hash table that a stream may need: a power of two.
FLOE_HD constexpr std::uint32_t max_table_slots(std::uint64_t count) {
  const std::uint64_t distinct = count < max_distinct_words + 1 ? count : max_distinct_words + 1;
  std::uint32_t slots = small_table_slots;
  while (slots < 2 * distinct) slots *= 2;
  return slots;
}

/// Memory of a dictionary besides its streams.
struct DictMemory {
  std::uint8_t* keys;    ///< Of a table's slots; then the different words, twice.
  TakenSlots* taken;     ///< Of those slots.
  std::uint16_t* codes;  ///< Per different word.
  std::uint32_t*
      numbers_of;  ///< Per word of the stream: which of the different ones it is, if they are not few.

  static constexpr std::uint64_t bytes(std::uint64_t count) {
    return std::uint64_t{max_table_slots(count)} * (8 + 1) +
           std::uint64_t{max_table_slots(count)} / 32 * sizeof(TakenSlots) + 4 * count + 64;
  }
  FLOE_DEVICE DictMemory(EncodeScratch scratch, std::uint32_t count) {
    const std::uint64_t slots = max_table_slots(count);
    keys = scratch.take(8 * slots);
    taken = reinterpret_cast<TakenSlots*>(scratch.take(slots / 32 * sizeof(TakenSlots)));
    codes = reinterpret_cast<std::uint16_t*>(scratch.take(slots));
    numbers_of = reinterpret_cast<std::uint32_t*>(scratch.take(4 * std::uint64_t{count}));
  }
};

/// One of the different words, in the order of frequency: more frequent ones first, then earlier ones.
struct DictItem {
  FLOE_DEVICE static std::uint64_t make(std::uint32_t count, std::uint32_t first) {
    return std::uint64_t{~count} << 32 | first;
  }
  FLOE_DEVICE static std::uint32_t count(std::uint64_t item) {
    return ~static_cast<std::uint32_t>(item >> 32);
  }
  FLOE_DEVICE static std::uint32_t first(std::uint64_t item) { return static_cast<std::uint32_t>(item); }
};

/// The different words of a stream, numbered in any order.
struct DistinctWords {
  SortedNumbers items;
  std::uint32_t numbers;  ///< More than the largest number.
  std::uint32_t* digit_counts;
  std::uint16_t* codes;  ///< Room for one per number.
  bool fits;
};

/// How often each of the words with numbers from `from` on occurs, and where first, in shared memory.
struct WordTallies {
  std::uint32_t *counts, *firsts;
  std::uint32_t size;

  template <class Block>
  FLOE_DEVICE void clear(Block& block) const {
    for (std::uint32_t n = block.rank(); n < size; n += block.size()) {
      counts[n] = 0;
      firsts[n] = 0xFFFFFFFF;
    }
  }
  FLOE_DEVICE void add(std::uint32_t number, std::uint32_t i) const {
    atomic_add(counts + number, 1);
    if (i < read_shared_word(firsts + number)) atomic_min(firsts + number, i);
  }
};

/// The memory of shared tiles, for a dictionary whose words are few. Items lie where keys and counts were.
struct SmallDictLayout {
  static constexpr std::uint32_t keys = 0, counts = 8 * small_table_slots,
                                 firsts = counts + 4 * small_table_slots;
  static constexpr std::uint32_t items = 0, spare = 8 * max_small_words, digit_counts = firsts,
                                 codes = digit_counts + sizeof(DigitCounts);
  static_assert(firsts + 4 * small_table_slots <= sizeof(EncodeMemory::tiles));
  static_assert(items + 8 * max_small_words <= counts && spare + 8 * max_small_words <= digit_counts);
  static_assert(codes + 2 * small_table_slots <= sizeof(EncodeMemory::tiles));
};

/// With a table in shared memory: words are numbered by their slots, if there are few different ones.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DistinctWords find_few_words(Block& block, const EncodeStream& stream,
                                              std::uint16_t* numbers_of) {
  using Layout = SmallDictLayout;
  using Key = SlotKey<W>;
  std::uint8_t* const tiles = block.memory().tiles[0];
  const WordTable<W, 1> table{reinterpret_cast<Key*>(tiles + Layout::keys), small_table_slots,
                              max_small_words, 64, core::splitmix_step};
  const WordTallies tallies{reinterpret_cast<std::uint32_t*>(tiles + Layout::counts),
                            reinterpret_cast<std::uint32_t*>(tiles + Layout::firsts), small_table_slots};
  tallies.clear(block);
  const TableOutcome outcome = fill_table<W>(block, stream, table, [&](std::uint32_t i, std::uint32_t slot) {
    numbers_of[i] = static_cast<std::uint16_t>(slot);
    tallies.add(slot, i);
  });
  DistinctWords words{};
  if (outcome.is_crowded || outcome.distinct > table.max) return words;
  words.items = {reinterpret_cast<std::uint64_t*>(tiles + Layout::items),
                 reinterpret_cast<std::uint64_t*>(tiles + Layout::spare), outcome.distinct};
  select_words(
      block, small_table_slots, [&](std::uint32_t slot) { return tallies.counts[slot] > 0; },
      [&](std::uint32_t slot, std::uint32_t n, bool is_used) {
        if (is_used) words.items.numbers[n] = DictItem::make(tallies.counts[slot], tallies.firsts[slot]);
      });
  words.numbers = small_table_slots;
  words.digit_counts = reinterpret_cast<std::uint32_t*>(tiles + Layout::digit_counts);
  words.codes = reinterpret_cast<std::uint16_t*>(tiles + Layout::codes);
  words.fits = true;
  return words;
}

/// Calls work(i, number) for the numbers of all words, with those of the next round on their way.
template <class Number, class Block, class Work>
FLOE_DEVICE void for_each_number(Block& block, const Number* numbers_of, std::uint32_t count,
                                 const Work& work) {
  constexpr unsigned batch = 8;
  Number next[batch];
  load_ahead(block, numbers_of, block.rank(), count, next);
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first < count; first += batch * block.size()) {
    Number here[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) here[k] = next[k];
    load_ahead(block, numbers_of, first + batch * block.size(), count, next);
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * block.size();
      if (i < count) work(i, here[k]);
    }
  }
}

/// Counts words whose numbers are those of slots, part by part in shared memory, and makes items of them.
template <class Block>
FLOE_DEVICE_CALL void count_many_words(Block& block, const TakenSlots* taken, std::uint32_t* numbers_of,
                                       std::uint32_t count, const SortedNumbers items) {
  EncodeMemory& memory = block.memory();
  constexpr std::uint32_t part = sizeof(memory.tiles) / 8;
  const WordTallies tallies{reinterpret_cast<std::uint32_t*>(memory.tiles[0]),
                            reinterpret_cast<std::uint32_t*>(memory.tiles[0]) + part, part};
  for (std::uint32_t from = 0; from < items.count; from += part) {
    tallies.clear(block);
    block.sync();
    for_each_number(block, numbers_of, count, [&](std::uint32_t i, std::uint32_t number) {
      if (from == 0) {
        number = number_of_slot(taken, number);
        numbers_of[i] = number;
      }
      if (number - from < part) tallies.add(number - from, i);
    });
    block.sync();
    for (std::uint32_t n = block.rank(); n < part && from + n < items.count; n += block.size())
      items.numbers[from + n] = DictItem::make(tallies.counts[n], tallies.firsts[n]);
    block.sync();
  }
}

/// With tables in the scratch, each with another hash function. The last one takes all words there are.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DistinctWords find_many_words(Block& block, const EncodeStream& stream,
                                               const DictMemory& room) {
  constexpr unsigned tables = 4;
  const std::uint32_t max_slots = max_table_slots(stream.count);
  std::uint32_t* const numbers_of = room.numbers_of;
  WordTable<W, 16 / sizeof(SlotKey<W>)> table{reinterpret_cast<SlotKey<W>*>(room.keys), max_slots,
                                              max_distinct_words, 64, 0};
  DistinctWords words{};
  for (unsigned tried = 0;; ++tried) {
    const bool is_medium = tried == 0 && medium_table_slots < max_slots;
    table.slots = is_medium ? medium_table_slots : max_slots;
    table.max = is_medium ? medium_table_slots / 4 * 3 : max_distinct_words;
    table.multiplier = core::splitmix(tried) | 1;
    if (tried + 1 == tables) table.max_rounds = 0xFFFFFFFF;
    const TableOutcome outcome = fill_table<W>(
        block, stream, table, [&](std::uint32_t i, std::uint32_t slot) { numbers_of[i] = slot; });
    words.items.count = outcome.distinct;
    if (!outcome.is_crowded && outcome.distinct <= table.max) break;
    if (!outcome.is_crowded && !is_medium) return words;
  }
  number_slots<W>(block, table, stream_word<W>(stream, 0), room.taken);
  words.items.numbers = reinterpret_cast<std::uint64_t*>(room.keys);
  words.items.spare = words.items.numbers + words.items.count;
  count_many_words(block, room.taken, room.numbers_of, stream.count, words.items);
  std::uint8_t* const tiles = block.memory().tiles[0];
  words.numbers = words.items.count;
  words.digit_counts = reinterpret_cast<std::uint32_t*>(tiles);
  words.codes =
      2 * words.numbers <= sizeof(EncodeMemory::tiles) ? reinterpret_cast<std::uint16_t*>(tiles) : room.codes;
  words.fits = true;
  return words;
}

}  // namespace floe::gpu
