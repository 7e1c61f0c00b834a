// The different words of a stream, how often each occurs, and where first: by a table in shared memory. What
// it does not take is listed by parts, for each of which there is a table. Where every fourth round of words
// says that it would take few, all words are.
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
  std::uint32_t* listed;     ///< Positions of words, part by part.
  std::uint16_t* code_of;    ///< Of numbers.

  static constexpr std::uint32_t max_words(std::uint64_t count) {
    return static_cast<std::uint32_t>(count < max_distinct_words ? count : max_distinct_words);
  }
  static constexpr std::uint64_t bytes(std::uint64_t count) {
    return max_words(count) * std::uint64_t{3 * 8 + 5 * 4 + 2} + 8 * count + 11 * 16;
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
    for (std::uint64_t*& packed : distinct.order.packed)
      packed = reinterpret_cast<std::uint64_t*>(scratch.take(8 * words));
    number_of = take(count);
    listed = take(count);
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

/// Calls work(position, slot) for those of a list from `first` on.
template <class Block, class Work>
FLOE_DEVICE void for_each_listed(Block& block, const std::uint32_t* list, const std::uint16_t* slots,
                                 std::uint32_t first, std::uint32_t end, const Work& work) {
  constexpr unsigned batch = 8;
  FLOE_NO_UNROLL
  for (std::uint32_t own = first + block.rank(); own < end; own += batch * block.size()) {
    std::uint32_t at[batch];
    std::uint16_t slot[batch];
    load_ahead(block, list, own, end, at);
    load_ahead(block, slots, own, end, slot);
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      if (own + k * block.size() < end) work(at[k], slot[k]);
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

/// Words of a stream that have no number, listed by parts: in each so few that a table takes them. The hash
/// of a word says its part.
struct WordParts {
  static constexpr std::uint32_t max_parts = 64;
  std::uint64_t multiplier;
  std::uint32_t count;

  template <core::Word W>
  [[nodiscard]] FLOE_DEVICE std::uint32_t part_of(W word) const {
    return static_cast<std::uint32_t>((word * multiplier >> 32) * count >> 32);
  }
};

/// Lists the words without a number, or, if none has one, all: memory.counts says where each part ends.
/// `slots`: of a table. Called by all threads; ends with a barrier.
template <core::Word W, class Block>
FLOE_DEVICE_CALL WordParts list_parts(Block& block, const EncodeStream stream, const std::uint32_t* number_of,
                                      bool lists_all, std::uint32_t slots, std::uint32_t round,
                                      std::uint32_t* listed) {
  EncodeMemory& memory = block.memory();
  std::uint32_t left = 0;
  if (!lists_all) {
    for_each_number(block, number_of, stream.count,
                    [&](std::uint32_t, std::uint32_t number) { left += number == no_number ? 1 : 0; });
    left = static_cast<std::uint32_t>(block_scan(block, memory.bases[0], left).total);
  } else {
    left = stream.count;
  }
  const std::uint32_t part_words = slots / 8 * 5, parts = (left + part_words - 1) / part_words;
  const WordParts made{table_multiplier(~round), parts < WordParts::max_parts ? parts : WordParts::max_parts};
  for (std::uint32_t part = block.rank(); part < WordParts::max_parts; part += block.size())
    memory.counts[part] = 0;
  block.sync();
  const auto for_left = [&](const auto& work) {
    constexpr unsigned batch = 8;
    FLOE_NO_UNROLL
    for (std::uint32_t first = block.rank(); first < stream.count; first += batch * block.size()) {
      W word[batch];
      std::uint32_t number[batch];
      load_ahead(block, reinterpret_cast<const W*>(stream.words), first, stream.count, word);
      if (!lists_all) load_ahead(block, number_of, first, stream.count, number);
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k) {
        const std::uint32_t i = first + k * block.size();
        if (i < stream.count && (lists_all || number[k] == no_number)) work(i, made.part_of(word[k]));
      }
    }
    block.sync();
  };
  for_left([&](std::uint32_t, std::uint32_t part) { atomic_add(&memory.counts[part], 1); });
  if (block.rank() == 0) {
    std::uint32_t before = 0;
    for (std::uint32_t part = 0; part < made.count; ++part) {
      const std::uint32_t here = memory.counts[part];
      memory.counts[part] = before;
      before += here;
    }
  }
  block.sync();
  for_left([&](std::uint32_t i, std::uint32_t part) { listed[atomic_add(&memory.counts[part], 1)] = i; });
  return made;
}

/// Whether a table that was filled with every fourth round of a stream is too small for its words by far.
/// Called by all threads; ends with a barrier.
template <core::Word W, class Block>
FLOE_DEVICE bool is_crowded(Block& block, const WordTable<W>& table, W free, std::uint32_t count) {
  std::uint32_t taken = 0;
  for (std::uint32_t slot = block.rank(); slot < table.slots; slot += block.size())
    taken += table.keys[slot] != SlotKey<W>{free} ? 1 : 0;
  const std::uint32_t looked_at = count / 4, half = looked_at / 2, most = table.slots / 4 * 3;
  return block_scan(block, block.memory().bases[0], taken).total > (half < most ? half : most);
}

/// `slot_of`: room for a slot per word. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DistinctWords find_distinct_words(Block& block, const EncodeStream& stream,
                                                   const DictMemory& room, std::uint16_t* slot_of) {
  DistinctWords distinct = room.distinct;
  const W free = stream_word<W>(stream, 0);
  std::uint32_t* const number_of = room.number_of;
  WordTable<W> table = new_table<W>(block, stream.count, 0);
  clear_table(block, table, free);
  const bool is_long = stream.count >= 8 * table_batch * block.size() && table.slots < stream.count / 2;
  bool has_number = true, is_done = true;  // the first word has one, in this table; all have
  TableWords which{0, stream.count, nullptr, is_long ? TableWords::fourth : TableWords::all};
  FLOE_NO_UNROLL
  while (true) {
    is_done = fill_table<W, false>(block, stream, table, which, slot_of) && is_done;
    if (which.rounds != TableWords::fourth) break;
    which.rounds = TableWords::others;
    has_number = !is_crowded(block, table, free, stream.count);
    if (!has_number) break;
  }
  if (!has_number) is_done = false;
  if (has_number) {
    distinct.has_slots = is_done;
    add_words<W>(block, table, free, true, distinct);
    if (distinct.has_slots) {
      distinct.end = table.slots;
      distinct.fits = true;
      return distinct;
    }
    for_each_number(block, slot_of, stream.count, [&](std::uint32_t i, std::uint16_t slot) {
      number_of[i] = slot == no_slot ? no_number : static_cast<std::uint32_t>(table.keys[slot]);
    });
    block.sync();
  }
  distinct.has_slots = false;
  for (std::uint32_t round = 1; !is_done; ++round) {
    table = new_table<W>(block, stream.count, round);
    const WordParts parts =
        list_parts<W>(block, stream, number_of, !has_number, table.slots, round, room.listed);
    std::uint32_t end = 0;
    is_done = true;
    for (std::uint32_t part = 0; part < parts.count; ++part) {
      const std::uint32_t begin = end;
      end = block.memory().counts[part];
      if (begin == end) continue;
      clear_table(block, table, free);
      const TableWords words{begin, end, room.listed};
      is_done = fill_table<W, true>(block, stream, table, words, slot_of) && is_done;
      add_words<W>(block, table, free, !has_number && parts.part_of(free) == part, distinct);
      if (distinct.order.count > max_distinct_words) return distinct;
      for_each_listed(block, room.listed, slot_of, begin, end, [&](std::uint32_t i, std::uint16_t slot) {
        number_of[i] = slot == no_slot ? no_number : static_cast<std::uint32_t>(table.keys[slot]);
      });
      block.sync();
    }
    has_number = true;
  }
  distinct.end = distinct.order.count;
  distinct.fits = true;
  return distinct;
}

}  // namespace floe::gpu
