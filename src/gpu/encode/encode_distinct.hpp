// The different words of a stream, how often each occurs, and where first: by as many tables in shared
// memory, one after the other, as they need.
#pragma once

#include "gpu/encode/encode_sort.hpp"
#include "gpu/encode/encode_table.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t max_distinct_words = trees::DictRules::max_distinct_words;

/// The different words of a stream, in any order.
struct DistinctWords {
  std::uint8_t* words;
  std::uint32_t *counts, *firsts;  ///< How often each occurs, and where first, if they are tallied.
  std::uint32_t* numbers;          ///< Of each, those that the words of the stream have.
  SortedNumbers order;             ///< Of all of them, as they came.
  std::uint32_t end;               ///< Of numbers.
  bool has_slots;                  ///< The numbers are slots of one table: 16 bits.
  bool fits;
};

/// Memory of a dictionary besides its streams.
struct DictMemory {
  DistinctWords distinct{};
  std::uint32_t* number_of;  ///< Of words of the stream, if those of slots do not suffice.
  std::uint16_t* code_of;    ///< Of numbers.

  static constexpr std::uint32_t max_words(std::uint64_t count) {
    return static_cast<std::uint32_t>(count < max_distinct_words ? count : max_distinct_words);
  }
  static constexpr std::uint64_t bytes(std::uint64_t count) {
    return max_words(count) * std::uint64_t{8 + 5 * 4 + 2} + 4 * count + 8 * 16;
  }
  FLOE_DEVICE DictMemory(EncodeScratch scratch, std::uint32_t count) {
    const std::uint64_t words = max_words(count);
    const auto take = [&](std::uint64_t numbers) {
      return reinterpret_cast<std::uint32_t*>(scratch.take(4 * numbers));
    };
    distinct.words = scratch.take(8 * words);
    distinct.counts = take(words);
    distinct.firsts = take(words);
    distinct.numbers = take(words);
    distinct.order.numbers = take(words);
    distinct.order.spare = take(words);
    number_of = take(count);
    code_of = reinterpret_cast<std::uint16_t*>(scratch.take(2 * words));
  }
};

/// The largest table that the tiles hold, or one that is large enough.
template <core::Word W, class Block>
FLOE_DEVICE WordTable<W> new_table(Block& block, std::uint32_t count, std::uint32_t number) {
  using Key = SlotKey<W>;
  constexpr std::uint32_t max_slots = no_slot - 1, min_slots = 4 * WordTable<W>::window_slots;
  EncodeMemory& memory = block.memory();
  const auto room = static_cast<std::uint32_t>(memory.tile_bytes / sizeof(Key) / 2 * 2);
  WordTable<W> table{};
  table.slots = room < max_slots ? room : max_slots;
  if (count < (table.slots - min_slots) / 2) table.slots = 2 * count + min_slots;
  table.keys = reinterpret_cast<Key*>(memory.tiles[0]);
  table.multiplier = table_multiplier(number);
  return table;
}

/// Adds the words of a table. Those of several tables get numbers in the order in which they are added, which
/// the slots hold then instead of their words.
template <core::Word W, class Block>
FLOE_DEVICE void add_words(Block& block, const WordTable<W>& table, W free, bool has_first,
                           DistinctWords& distinct) {
  const std::uint32_t before = distinct.order.count;
  distinct.order.count += select_words(
      block, table.slots,
      [&](std::uint32_t slot) {
        return table.keys[slot] != SlotKey<W>{free} || (has_first && slot == table.slot_of_first());
      },
      [&](std::uint32_t slot, std::uint32_t n, bool is_taken) {
        const std::uint32_t to = before + n;
        if (!is_taken || to >= max_distinct_words) return;
        store_word(distinct.words, to, static_cast<W>(table.keys[slot]));
        distinct.order.numbers[to] = to;
        distinct.numbers[to] = distinct.has_slots ? slot : to;
        if (!distinct.has_slots) table.keys[slot] = to;
      });
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

/// How often each of the different words occurs, and where first. Their numbers are counted in shared memory,
/// as many at a time as the tiles hold.
template <class Number, class Block>
FLOE_DEVICE void tally_words(Block& block, const Number* number_of, std::uint32_t count, bool has_firsts,
                             const DistinctWords& distinct) {
  EncodeMemory& memory = block.memory();
  const std::uint32_t room = memory.tile_bytes / (has_firsts ? 8 : 4);
  auto *const counts = reinterpret_cast<std::uint32_t*>(memory.tiles[0]), *const firsts = counts + room;
  for (std::uint32_t begin = 0; begin < distinct.end; begin += room) {
    const std::uint32_t here = distinct.end - begin < room ? distinct.end - begin : room;
    for (std::uint32_t i = block.rank(); i < here; i += block.size()) {
      counts[i] = 0;
      if (has_firsts) firsts[i] = 0xFFFFFFFF;
    }
    block.sync();
    for_each_number(block, number_of, count, [&](std::uint32_t i, std::uint32_t number) {
      const std::uint32_t at = number - begin;
      if (at >= here) return;
      atomic_add(counts + at, 1);
      if (has_firsts && i < read_shared_word(firsts + at)) atomic_min(firsts + at, i);
    });
    block.sync();
    for (std::uint32_t n = block.rank(); n < distinct.order.count; n += block.size()) {
      const std::uint32_t at = distinct.numbers[n] - begin;
      if (at >= here) continue;
      distinct.counts[n] = counts[at];
      if (has_firsts) distinct.firsts[n] = firsts[at];
    }
    block.sync();
  }
}

/// `slot_of`: room for a slot per word. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DistinctWords find_distinct_words(Block& block, const EncodeStream& stream,
                                                   const DictMemory& room, std::uint16_t* slot_of) {
  DistinctWords distinct = room.distinct;
  const W free = stream_word<W>(stream, 0);
  std::uint32_t* const number_of = room.number_of;
  for (std::uint32_t number = 0;; ++number) {
    const bool is_first = number == 0;
    const WordTable<W> table = new_table<W>(block, stream.count, number);
    const bool is_last = is_first ? fill_table<W, true>(block, stream, table, number_of, slot_of)
                                  : fill_table<W, false>(block, stream, table, number_of, slot_of);
    distinct.has_slots = is_first && is_last;
    add_words<W>(block, table, free, is_first, distinct);
    if (distinct.order.count > max_distinct_words) return distinct;
    distinct.end = distinct.has_slots ? table.slots : distinct.order.count;
    distinct.fits = true;
    if (distinct.has_slots) return distinct;
    for_each_number(block, slot_of, stream.count, [&](std::uint32_t i, std::uint16_t slot) {
      if (!is_first && number_of[i] != no_number) return;
      number_of[i] = slot == no_slot ? no_number : static_cast<std::uint32_t>(table.keys[slot]);
    });
    block.sync();
    if (is_last) return distinct;
    distinct.fits = false;
  }
}

}  // namespace floe::gpu
