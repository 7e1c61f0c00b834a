// Makes a dictionary with a block. The different words are sorted and numbered; then each word is looked up.
#pragma once

#include "gpu/encode/encode_distinct.hpp"
#include "gpu/entropy/quick_range.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Each of as many entries as there may be stands for a word at least.
FLOE_HD constexpr std::uint64_t max_dict_exceptions(std::uint64_t words, std::uint64_t max_entries) {
  return words > max_entries ? words - max_entries : 0;
}

/// Numbers in shared memory, as tiles begin with the counts of digits; or where they are if they are too
/// many.
template <class Number, class Block>
FLOE_DEVICE const Number* bring_near(Block& block, const Number* numbers, std::uint32_t count) {
  EncodeMemory& memory = block.memory();
  const std::uint32_t behind = block.warp_count() * sizeof(DigitCounts);
  if (count * std::uint64_t{sizeof(Number)} + behind > memory.tile_bytes) return numbers;
  auto* const near = reinterpret_cast<Number*>(memory.tiles[0] + behind);
  for_each_loaded(
      block, 0, count, [&](std::uint32_t i) { return numbers[i]; },
      [&](std::uint32_t i, Number number) { near[i] = number; });
  block.sync();
  return near;
}

/// Called by all threads, as is the next.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void sort_by_value(Block& block, DType type, const DistinctWords& distinct,
                                    SortedNumbers& order) {
  const W* const words = bring_near(block, reinterpret_cast<const W*>(distinct.words), distinct.order.count);
  const W flip = flip_of<W>(type);
  sort_numbers<W>(block, order, [&](std::uint32_t n) { return static_cast<W>(words[n] ^ flip); });
}
/// More frequent words first; of those that are as frequent, earlier ones first, or as they are.
template <class Block>
FLOE_DEVICE_CALL void sort_by_frequency(Block& block, const DistinctWords& distinct, bool by_position,
                                        SortedNumbers& order) {
  if (by_position) {
    sort_numbers<std::uint64_t>(block, order, [&](std::uint32_t n) {
      return std::uint64_t{~distinct.counts[n]} << 32 | distinct.firsts[n];
    });
  } else {
    const std::uint32_t* const counts = bring_near(block, distinct.counts, distinct.order.count);
    sort_numbers<std::uint32_t>(block, order, [&](std::uint32_t n) { return ~counts[n]; });
  }
}

/// How often all the words occur that are left. Called by all threads.
template <class Block>
FLOE_DEVICE std::uint32_t words_of_entries(Block& block, const DistinctWords& distinct) {
  EncodeMemory& memory = block.memory();
  memory.counts[0] = 0;
  block.sync();
  std::uint32_t words = 0;
  for (std::uint32_t n = block.rank(); n < distinct.order.count; n += block.size())
    words += distinct.counts[distinct.order.numbers[n]];
  atomic_add(&memory.counts[0], words);
  block.sync();
  return memory.counts[0];
}

/// Sorts the different words, and leaves out those that are no entries. Returns how many words these cover.
template <core::Word W, class Block>
FLOE_DEVICE std::uint32_t choose_entries(Block& block, const EncodeStream& stream, std::uint32_t order,
                                         std::uint32_t max_entries, DistinctWords& distinct) {
  using Rules = trees::DictRules;
  const bool is_cut = max_entries < distinct.order.count;
  SortedNumbers sorted = distinct.order;
  if (order == Rules::by_frequency_then_value) sort_by_value<W>(block, stream.type, distinct, sorted);
  if (order != Rules::by_value || is_cut)
    sort_by_frequency(block, distinct, order != Rules::by_frequency_then_value, sorted);
  if (is_cut) sorted.count = max_entries;
  if (order == Rules::by_value) sort_by_value<W>(block, stream.type, distinct, sorted);
  distinct.order = sorted;
  return is_cut ? words_of_entries(block, distinct) : stream.count;
}

/// What a dictionary came to.
struct DictResult {
  std::uint32_t entries = 0, exceptions = 0;
  bool fits = false;
};

/// Codes of numbers, which may lie where the numbers do. Four at a time, as they are short.
template <class Number, class Block>
FLOE_DEVICE void put_codes(Block& block, const Number* number_of, std::uint32_t count,
                           const std::uint16_t* code_of, std::uint8_t* codes) {
  const std::uint32_t fours = sizeof(Number) == 2 ? count / 4 : 0, done = 4 * fours;
  if (fours > 0) {
    for_each_number(block, reinterpret_cast<const std::uint64_t*>(number_of), fours,
                    [&](std::uint32_t i, std::uint64_t four) {
                      std::uint64_t made = 0;
                      FLOE_UNROLL
                      for (unsigned k = 0; k < 4; ++k)
                        made |= std::uint64_t{code_of[four >> 16 * k & 0xFFFF]} << 16 * k;
                      store_word(codes, i, made);
                    });
  }
  if (done == count) return;
  for_each_number(block, number_of + done, count - done, [&](std::uint32_t i, std::uint32_t number) {
    store_word(codes, std::uint64_t{done} + i, code_of[number]);
  });
}

/// The words of a dictionary, and the codes of a stream, which may lie where the numbers of its words do.
/// `far_codes`: memory for the codes of numbers that tiles do not hold.
template <core::Word W, class Number, class Block>
FLOE_DEVICE void write_dict(Block& block, const EncodeStream& stream, const DistinctWords& distinct,
                            std::uint16_t* far_codes, const Number* number_of, std::uint8_t* words,
                            std::uint8_t* codes) {
  EncodeMemory& memory = block.memory();
  std::uint16_t* const code_of =
      2 * distinct.end <= memory.tile_bytes ? reinterpret_cast<std::uint16_t*>(memory.tiles[0]) : far_codes;
  const std::uint32_t entries = distinct.order.count;
  for (std::uint32_t n = block.rank(); n < distinct.end; n += block.size())
    code_of[n] = static_cast<std::uint16_t>(entries);
  block.sync();
  constexpr unsigned batch = 8;
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first < entries; first += batch * block.size()) {
    std::uint32_t n[batch], number[batch];
    load_ahead(block, distinct.order.numbers, first, entries, n);
    W word[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) word[k] = load_aligned<W>(distinct.words + n[k] * sizeof(W));
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) number[k] = distinct.has_slots ? distinct.numbers[n[k]] : n[k];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t code = first + k * block.size();
      if (code >= entries) continue;
      store_word(words, code, word[k]);
      code_of[number[k]] = static_cast<std::uint16_t>(code);
    }
  }
  block.sync();
  put_codes(block, number_of, stream.count, code_of, codes);
  block.sync();
}

/// The words of a dictionary, the codes of a stream, and what has none. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DictResult make_dict(Block& block, const EncodeStream& stream, std::uint32_t order,
                                      std::uint32_t max_entries, const DictMemory& room, std::uint8_t* words,
                                      std::uint8_t* codes, std::uint8_t* exceptions) {
  auto* const slot_of = reinterpret_cast<std::uint16_t*>(codes);
  DistinctWords distinct = find_distinct_words<W>(block, stream, room, slot_of);
  if (!distinct.fits) return {};
  using Rules = trees::DictRules;
  // Words that are in the order of their values are seldom left out.
  if (order != Rules::by_value || distinct.order.count > max_entries) {
    const bool has_firsts = order != Rules::by_frequency_then_value;
    if (distinct.has_slots) {
      tally_words(block, slot_of, stream.count, has_firsts, distinct);
    } else {
      tally_words(block, room.number_of, stream.count, has_firsts, distinct);
    }
  }
  DictResult result;
  result.fits = true;
  result.exceptions = stream.count - choose_entries<W>(block, stream, order, max_entries, distinct);
  result.entries = distinct.order.count;
  if (distinct.has_slots) {
    write_dict<W>(block, stream, distinct, room.code_of, slot_of, words, codes);
  } else {
    write_dict<W>(block, stream, distinct, room.code_of, room.number_of, words, codes);
  }
  if (result.exceptions > 0) {
    select_words(
        block, stream.count,
        [&](std::uint32_t i) {
          return load_aligned<std::uint16_t>(codes + 2 * std::uint64_t{i}) == result.entries;
        },
        [&](std::uint32_t i, std::uint32_t n, bool is_exception) {
          if (is_exception) store_word(exceptions, n, stream_word<W>(stream, i));
        });
  }
  return result;
}

/// The range of a segment's words, which are all in a dictionary. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE void find_range_of_entries(Block& block, DType type, const std::uint8_t* words,
                                       std::uint32_t count) {
  QuickRange<W> range(type);
  for (std::uint32_t i = block.rank(); i < count; i += block.size())
    range.add(load_aligned<W>(words + i * sizeof(W)));
  publish_range(block, block.memory().bases[0], range);
}

}  // namespace floe::gpu
