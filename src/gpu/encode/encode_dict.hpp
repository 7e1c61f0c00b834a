// Makes a dictionary with a block. The different words are sorted and numbered; then each word is looked up.
#pragma once

#include "gpu/encode/encode_distinct.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Sorts items by their words, or by frequency.
template <class Block>
FLOE_DEVICE_CALL void sort_items(Block& block, const EncodeStream& stream, SortedNumbers& items,
                                 DigitCounts& counts, bool by_value, unsigned first_bit) {
  if (by_value) {
    const std::uint8_t* const words = stream.words;
    const unsigned bits = 8 * word_bytes(stream.type);
    const std::uint64_t flip = is_signed(stream.type) ? std::uint64_t{1} << (bits - 1) : 0;
    sort_numbers(block, items, counts, [&](std::uint64_t item) {
      return load_bits(words, std::uint64_t{DictItem::first(item)} * bits, bits) ^ flip;
    });
  } else {
    sort_numbers(block, items, counts, [&](std::uint64_t item) { return item >> first_bit; });
  }
}

/// How many words of the stream have these items. Called by all threads.
template <class Block>
FLOE_DEVICE std::uint32_t words_of_items(Block& block, const SortedNumbers& items) {
  EncodeMemory& memory = block.memory();
  memory.counts[0] = 0;
  block.sync();
  std::uint32_t words = 0;
  for (std::uint32_t n = block.rank(); n < items.count; n += block.size())
    words += DictItem::count(items.numbers[n]);
  atomic_add(&memory.counts[0], words);
  block.sync();
  return memory.counts[0];
}

/// Sorts the different words, and leaves out those that are no entries. Returns how many words these cover.
template <class Block>
FLOE_DEVICE std::uint32_t choose_entries(Block& block, const EncodeStream& stream, std::uint32_t order,
                                         std::uint32_t max_entries, SortedNumbers& items,
                                         DigitCounts& counts) {
  const bool is_cut = max_entries < items.count;
  if (order == trees::DictRules::by_frequency_then_value) sort_items(block, stream, items, counts, true, 0);
  if (order != trees::DictRules::by_value || is_cut)
    sort_items(block, stream, items, counts, false,
               order == trees::DictRules::by_frequency_then_value ? 32 : 0);
  std::uint32_t covered = stream.count;
  if (is_cut) {
    items.count = max_entries;
    covered = words_of_items(block, items);
  }
  if (order == trees::DictRules::by_value) sort_items(block, stream, items, counts, true, 0);
  return covered;
}

/// What a dictionary came to.
struct DictResult {
  std::uint32_t entries = 0, exceptions = 0;
  bool fits = false;
};

/// The words of a dictionary, and the codes of a stream, which may lie where the numbers of its words do.
template <core::Word W, class Number, class Block>
FLOE_DEVICE void write_dict(Block& block, const EncodeStream stream, const DistinctWords& distinct,
                            const Number* numbers_of, std::uint8_t* words, std::uint8_t* codes) {
  std::uint16_t* const code_of = distinct.codes;
  const std::uint32_t entries = distinct.items.count;
  for (std::uint32_t n = block.rank(); n < distinct.numbers; n += block.size())
    code_of[n] = static_cast<std::uint16_t>(entries);
  block.sync();
  constexpr unsigned batch = 8;
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first < entries; first += batch * block.size()) {
    std::uint64_t items[batch];
    load_ahead(block, distinct.items.numbers, first, entries, items);
    W word[batch];
    Number number[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) word[k] = stream_word<W>(stream, DictItem::first(items[k]));
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) number[k] = numbers_of[DictItem::first(items[k])];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t code = first + k * block.size();
      if (code >= entries) continue;
      store_word(words, code, word[k]);
      code_of[number[k]] = static_cast<std::uint16_t>(code);
    }
  }
  block.sync();
  for_each_number(block, numbers_of, stream.count,
                  [&](std::uint32_t i, std::uint32_t number) { store_word(codes, i, code_of[number]); });
  block.sync();
}

/// The words of a dictionary, the codes of a stream, and what has none. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL DictResult make_dict(Block& block, const EncodeStream& stream, std::uint32_t order,
                                      std::uint32_t max_entries, const DictMemory& room, std::uint8_t* words,
                                      std::uint8_t* codes, std::uint8_t* exceptions) {
  auto* const few_numbers = reinterpret_cast<std::uint16_t*>(codes);
  DistinctWords distinct = find_few_words<W>(block, stream, few_numbers);
  const bool is_few = distinct.fits;
  if (!is_few) distinct = find_many_words<W>(block, stream, room);
  if (!distinct.fits) return {};
  DictResult result;
  result.fits = true;
  result.exceptions = stream.count - choose_entries(block, stream, order, max_entries, distinct.items,
                                                    *reinterpret_cast<DigitCounts*>(distinct.digit_counts));
  result.entries = distinct.items.count;
  if (is_few) {
    write_dict<W>(block, stream, distinct, few_numbers, words, codes);
  } else {
    write_dict<W>(block, stream, distinct, room.numbers_of, words, codes);
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

}  // namespace floe::gpu
