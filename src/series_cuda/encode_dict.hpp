// How does a team make a dictionary? A hash table in its scratch finds where each word occurs first, and how often; table and entries lie
// in shared memory if they fit; then each word is looked up.
#pragma once

#include "core/splitmix.hpp"
#include "series_cuda/encode_streams.hpp"

namespace floe::series_cuda {

inline constexpr std::uint32_t most_distinct_words = 4 * 65535;  ///< As in series/encodings/dict.cpp.
inline constexpr std::uint32_t free_slot = 0xFFFFFFFF;
inline constexpr std::uint32_t first_table_slots = 4096;

/// Slots of the largest hash table that a stream may need: a power of two.
FLOE_HD constexpr std::uint32_t most_table_slots(std::uint64_t count) {
  const std::uint64_t distinct = count < most_distinct_words + 1 ? count : most_distinct_words + 1;
  std::uint32_t slots = first_table_slots;
  while (slots < 2 * distinct) slots *= 2;
  return slots;
}

/// An entry as it is sorted: by `major`, then by `minor`.
struct DictEntry {
  std::uint64_t minor;
  std::uint32_t major;
  std::uint32_t slot;
};
static_assert(sizeof(DictEntry) == 16);

/// Memory of a dictionary besides its streams.
struct DictMemory {
  std::uint32_t *firsts, *counts;  ///< Per slot: the first word's place, and how many there are; then the code.
  std::uint32_t* slot_of;          ///< Per word.
  DictEntry* entries;

  static constexpr std::uint64_t bytes(std::uint64_t count) {
    return std::uint64_t{most_table_slots(count)} * (8 + sizeof(DictEntry) / 2) + 4 * count + 64;
  }
  FLOE_DEVICE DictMemory(EncodeScratch scratch, std::uint32_t count) {
    const std::uint64_t slots = most_table_slots(count);
    firsts = reinterpret_cast<std::uint32_t*>(scratch.take(4 * slots));
    counts = reinterpret_cast<std::uint32_t*>(scratch.take(4 * slots));
    entries = reinterpret_cast<DictEntry*>(scratch.take(sizeof(DictEntry) / 2 * slots));
    slot_of = reinterpret_cast<std::uint32_t*>(scratch.take(4 * std::uint64_t{count}));
  }
};

/// Finds the slots of all words in a table of `slots`. Returns how many different ones there are, or more than fit.
template <core::Word W, class Team>
FLOE_DEVICE std::uint32_t fill_table(Team& team, const EncodeStream& stream, const DictMemory& dict, std::uint32_t slots) {
  EncodeMemory& memory = team.memory();
  for (std::uint32_t i = team.rank(); i < slots; i += team.size()) {
    dict.firsts[i] = free_slot;
    dict.counts[i] = 0;
  }
  if (team.rank() == 0) memory.counts[0] = 0;
  team.sync();
  const unsigned shift = 65 - core::bit_length(slots);
  const std::uint32_t most = slots / 2;
  for_each_word<W>(team, stream, 0, stream.count, [&](std::uint32_t i, W word) {
    if (read_shared_word(&memory.counts[0]) > most) return;  // there will be a larger table
    auto slot = static_cast<std::uint32_t>(word * core::splitmix_step >> shift);
    while (true) {
      std::uint32_t first = read_shared_word(&dict.firsts[slot]);
      if (first == free_slot) {
        first = atomic_swap(&dict.firsts[slot], free_slot, i);
        if (first == free_slot) {
          atomic_add(&memory.counts[0], 1);
          break;
        }
      }
      if (stream_word<W>(stream, first) == word) {
        if (i < first) atomic_least(&dict.firsts[slot], i);
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
    atomic_add(&dict.counts[slot], 1);
    dict.slot_of[i] = slot;
  });
  team.sync();
  return memory.counts[0];
}

FLOE_DEVICE bool comes_before(const DictEntry& a, const DictEntry& b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }

/// Sorts entries by a bitonic network. The room for them is a power of two.
template <class Team>
FLOE_DEVICE void sort_entries(Team& team, DictEntry* entries, std::uint32_t count) {
  EncodeMemory& memory = team.memory();
  std::uint32_t room = 2;
  while (room < count) room *= 2;
  DictEntry* sorted = entries;
  // The other half of the tiles may hold a hash table.
  const bool fits = room * sizeof(DictEntry) <= sizeof(memory.tiles) / 2;
  if (fits) {
    sorted = reinterpret_cast<DictEntry*>(memory.tiles[most_encode_warps / 2]);
    for (std::uint32_t i = team.rank(); i < count; i += team.size()) sorted[i] = entries[i];
  }
  for (std::uint32_t i = count + team.rank(); i < room; i += team.size()) sorted[i] = {~std::uint64_t{0}, 0xFFFFFFFF, free_slot};
  team.sync();
  for (std::uint32_t size = 2; size <= room; size *= 2) {
    for (std::uint32_t distance = size / 2; distance > 0; distance /= 2) {
      for (std::uint32_t pair = team.rank(); pair < room / 2; pair += team.size()) {
        const std::uint32_t a = 2 * pair - (pair & (distance - 1)), b = a + distance;
        const DictEntry low = sorted[a], high = sorted[b];
        if (comes_before(high, low) == ((a & size) == 0)) {
          sorted[a] = high;
          sorted[b] = low;
        }
      }
      team.sync();
    }
  }
  if (fits) {
    for (std::uint32_t i = team.rank(); i < count; i += team.size()) entries[i] = sorted[i];
    team.sync();
  }
}

/// What a dictionary came to.
struct DictResult {
  std::uint32_t entries = 0, exceptions = 0;
  bool fits = false;
};

/// How entries are sorted: the first parameter.
enum DictOrder : std::uint32_t { dict_by_frequency = 0, dict_by_value = 1, dict_by_frequency_then_value = 2 };

/// The words of a dictionary, the codes of a stream, and what is not in the dictionary. Called by all threads.
template <core::Word W, class Team>
FLOE_DEVICE_CALL DictResult make_dict(Team& team, const EncodeStream& stream, std::uint32_t order, std::uint32_t most_entries,
                                      const DictMemory& room, std::uint8_t* words, std::uint8_t* codes, std::uint8_t* exceptions) {
  EncodeMemory& memory = team.memory();
  const std::uint32_t most_slots = most_table_slots(stream.count);
  // The first table lies in shared memory.
  DictMemory dict = room;
  dict.firsts = reinterpret_cast<std::uint32_t*>(memory.tiles[0]);
  dict.counts = dict.firsts + first_table_slots;
  static_assert(8 * first_table_slots <= sizeof(memory.tiles) / 2);
  std::uint32_t slots = first_table_slots, distinct = fill_table<W>(team, stream, dict, slots);
  while (distinct > slots / 2 && slots < most_slots) {
    team.sync();
    dict = room;
    slots = 8 * slots < most_slots ? 8 * slots : most_slots;
    distinct = fill_table<W>(team, stream, dict, slots);
  }
  DictResult result;
  if (distinct > most_distinct_words) return result;
  result.fits = true;

  const W flip = flip_of<W>(stream.type);
  const auto value_of = [&](std::uint32_t slot) { return std::uint64_t{static_cast<W>(stream_word<W>(stream, dict.firsts[slot]) ^ flip)}; };
  select_words(
      team, slots, [&](std::uint32_t slot) { return dict.firsts[slot] != free_slot; },
      [&](std::uint32_t slot, std::uint32_t n, bool is_used) {
        if (is_used)
          dict.entries[n] = {order == dict_by_frequency_then_value ? value_of(slot) : dict.firsts[slot], ~dict.counts[slot], slot};
      });
  result.entries = distinct < most_entries ? distinct : most_entries;
  if (order != dict_by_value || result.entries < distinct) sort_entries(team, dict.entries, distinct);
  // Counts become codes: first those of what is left out, because sorting may need the memory of these entries.
  if (team.rank() == 0) memory.counts[0] = 0;
  team.sync();
  std::uint32_t covered = 0;
  for (std::uint32_t i = team.rank(); i < distinct; i += team.size()) {
    std::uint32_t& count = dict.counts[dict.entries[i].slot];
    if (i < result.entries) {
      covered += count;
    } else {
      count = result.entries;
    }
  }
  atomic_add(&memory.counts[0], covered);
  team.sync();
  result.exceptions = stream.count - memory.counts[0];
  if (order == dict_by_value) {
    for (std::uint32_t i = team.rank(); i < result.entries; i += team.size())
      dict.entries[i] = {value_of(dict.entries[i].slot), 0, dict.entries[i].slot};
    team.sync();
    sort_entries(team, dict.entries, result.entries);
  }
  for (std::uint32_t code = team.rank(); code < result.entries; code += team.size()) {
    const std::uint32_t slot = dict.entries[code].slot;
    store_word(words, code, stream_word<W>(stream, dict.firsts[slot]));
    dict.counts[slot] = code;
  }
  team.sync();
  FLOE_UNROLL_BY(4)
  for (std::uint32_t i = team.rank(); i < stream.count; i += team.size())
    store_word(codes, i, static_cast<std::uint16_t>(dict.counts[dict.slot_of[i]]));
  team.sync();
  if (result.exceptions > 0) {
    select_words(
        team, stream.count,
        [&](std::uint32_t i) { return cuda::load_aligned<std::uint16_t>(codes + 2 * std::uint64_t{i}) == result.entries; },
        [&](std::uint32_t i, std::uint32_t n, bool is_exception) {
          if (is_exception) store_word(exceptions, n, stream_word<W>(stream, i));
        });
  }
  return result;
}

}  // namespace floe::series_cuda
