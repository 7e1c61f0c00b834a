// Sorts with a block, by eight bits of keys at a time, from the lowest on, where keys differ in them.
#pragma once

#include "gpu/encode/encode_memory.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint32_t digit_values = 1u << digit_bits;
/// Of a warp: one per digit, in shared memory.
using DigitCounts = std::uint32_t[digit_values];

/// Numbers that are sorted, and room for as many; and for as many with parts of their keys above them.
struct SortedNumbers {
  std::uint32_t *numbers, *spare;
  std::uint64_t* packed[2];
  std::uint32_t count;
};

/// Rows of 32 numbers that a warp reads at a time.
inline constexpr unsigned rows_read = 8;

/// Calls work(number, load(number), is there) for the rows of a warp, by all its lanes: as many rows as other
/// warps have. What is loaded of several rows is on its way at the same time.
template <class Number, class Block, class Load, class Work>
FLOE_DEVICE void for_rows_of_warp(Block& block, const Number* numbers, std::uint32_t count,
                                  const Load& load_of, const Work& work) {
  const std::uint32_t rows = (count + warp_lanes - 1) / warp_lanes,
                      share = (rows + block.warp_count() - 1) / block.warp_count();
  const std::uint32_t begin = block.warp_index() * share * warp_lanes;
  const std::uint32_t end = begin + share * warp_lanes < count ? begin + share * warp_lanes : count;
  Number next[rows_read];
  const auto load = [&](std::uint32_t first) {
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k) {
      const std::uint32_t i = first + k * warp_lanes + block.warp().lane();
      next[k] = numbers[i < end ? i : count - 1];
    }
  };
  load(begin);
  FLOE_NO_UNROLL
  for (std::uint32_t first = begin; first < end; first += rows_read * warp_lanes) {
    Number here[rows_read];
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k) here[k] = next[k];
    load(first + rows_read * warp_lanes);
    decltype(load_of(0)) loaded[rows_read];
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k) loaded[k] = load_of(here[k]);
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k)
      work(here[k], loaded[k], first + k * warp_lanes + block.warp().lane() < end);
  }
}

/// Turns counts of digits into the positions of the first numbers with them.
template <class Block>
FLOE_DEVICE void scan_digits(Block& block, DigitCounts* counts) {
  const std::uint32_t share = (digit_values + block.size() - 1) / block.size(), first = block.rank() * share,
                      begin = first < digit_values ? first : digit_values,
                      end = begin + share < digit_values ? begin + share : digit_values;
  std::uint32_t own = 0;
  for (std::uint32_t digit = begin; digit < end; ++digit) {
    for (unsigned w = 0; w < block.warp_count(); ++w) own += counts[w][digit];
  }
  auto before = static_cast<std::uint32_t>(block_scan(block, block.memory().bases[0], own).before);
  for (std::uint32_t digit = begin; digit < end; ++digit) {
    for (unsigned w = 0; w < block.warp_count(); ++w) {
      const std::uint32_t here = counts[w][digit];
      counts[w][digit] = before;
      before += here;
    }
  }
  block.sync();
}

/// One pass, to `spare`: numbers with equal digits keep their order.
template <class Number, class Block, class DigitOf>
FLOE_DEVICE void sort_by_digit(Block& block, const Number* numbers, Number* spare, std::uint32_t count,
                               DigitCounts* counts, const DigitOf& digit_of) {
  auto& warp = block.warp();
  std::uint32_t* const own = counts[block.warp_index()];
  for (std::uint32_t digit = warp.lane(); digit < digit_values; digit += warp_lanes) own[digit] = 0;
  warp.sync();
  for_rows_of_warp(block, numbers, count, digit_of, [&](Number, std::uint32_t digit, bool is_there) {
    if (is_there) atomic_add(own + digit, 1);
  });
  block.sync();
  scan_digits(block, counts);
  for_rows_of_warp(block, numbers, count, digit_of, [&](Number number, std::uint32_t digit, bool is_there) {
    std::uint32_t same = warp.ballot(is_there);
    FLOE_UNROLL
    for (unsigned bit = 0; bit < digit_bits; ++bit) {
      const std::uint32_t ones = warp.ballot((digit >> bit & 1) != 0);
      same &= (digit >> bit & 1) != 0 ? ones : ~ones;
    }
    const std::uint32_t before = count_before(warp, same);
    if (is_there) spare[own[digit] + before] = number;
    warp.sync();
    if (is_there && before == 0) own[digit] += count_bits(same);
    warp.sync();
  });
  block.sync();
}

/// The bits in which keys differ, to all threads.
template <core::Word Key, class Block, class KeyOf>
FLOE_DEVICE Key differing_bits(Block& block, const SortedNumbers& sorted, const KeyOf& key_of) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const Key key = key_of(sorted.numbers[0]);
  std::uint64_t bits = 0;
  for_rows_of_warp(block, sorted.numbers, sorted.count, key_of, [&](std::uint32_t, Key other, bool is_there) {
    bits |= is_there ? static_cast<Key>(other ^ key) : Key{0};
  });
  const std::uint32_t low = warp.reduce_or(low_half(bits)), high = warp.reduce_or(high_half(bits));
  if (warp.lane() == 0) memory.bases[1][block.warp_index()] = std::uint64_t{high} << 32 | low;
  block.sync();
  bits = 0;
  for (unsigned w = 0; w < block.warp_count(); ++w) bits |= memory.bases[1][w];
  block.sync();
  return static_cast<Key>(bits);
}

/// Calls sort(shift) for the digits in which keys differ.
template <core::Word Key, class Sort>
FLOE_DEVICE void for_digits(Key differing, const Sort& sort) {
  FLOE_NO_UNROLL
  for (unsigned shift = 0; shift < core::word_bits<Key>; shift += digit_bits)
    if ((differing >> shift & (digit_values - 1)) != 0) sort(shift);
}

/// Sorts packed numbers that have been sorted by all but the lowest bits of their keys: few neighbours differ
/// in these alone. False to all threads if they are too many; then in any order. Called by all threads; ends
/// with a barrier.
template <class Block, class KeyOf>
FLOE_DEVICE bool sort_neighbours(Block& block, std::uint64_t* packed, std::uint32_t count,
                                 const KeyOf& key_of) {
  constexpr std::uint32_t max_run = 16;
  bool is_sorted = true;
  const auto is_same = [](std::uint64_t a, std::uint64_t b) { return high_half(a) == high_half(b); };
  constexpr unsigned batch = 4;
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first + 1 < count; first += batch * block.size()) {
    unsigned begins = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * block.size(), at = i + 1 < count ? i : 0;
      const std::uint64_t before = packed[at > 0 ? at - 1 : 0], own = packed[at], next = packed[at + 1];
      if (i == at && is_same(own, next) && (at == 0 || !is_same(before, own))) begins |= 1u << k;
    }
    FLOE_NO_UNROLL
    for (unsigned k = 0; begins >> k != 0; ++k) {  // which this thread alone changes
      if ((begins >> k & 1) == 0) continue;
      const std::uint32_t begin = first + k * block.size();
      const std::uint64_t same = packed[begin];
      FLOE_NO_UNROLL
      for (std::uint32_t end = begin + 1; end < count; ++end) {
        const std::uint64_t own = packed[end];
        if (!is_same(own, same)) break;
        if (end - begin >= max_run) {
          is_sorted = false;
          break;
        }
        const auto key = key_of(low_half(own));
        std::uint32_t to = end;
        for (; to > begin && key_of(low_half(packed[to - 1])) > key; --to) packed[to] = packed[to - 1];
        packed[to] = own;
      }
    }
  }
  return !block.any(!is_sorted);
}

/// Whether of 32 numbers only few have a key with the same highest bits as another one, to all threads.
template <class Block, class KeyOf>
FLOE_DEVICE bool are_told_apart(Block& block, const SortedNumbers& sorted, unsigned shift,
                                const KeyOf& key_of) {
  auto& warp = block.warp();
  const std::uint32_t i = static_cast<std::uint32_t>(std::uint64_t{sorted.count} * warp.lane() / warp_lanes);
  const auto own = static_cast<std::uint32_t>(key_of(sorted.numbers[i]) >> shift);
  bool is_same = false;
  for (unsigned distance = 1; distance < warp_lanes; ++distance)
    is_same |= warp.shuffle(own, warp.lane() ^ distance) == own;
  return count_bits(warp.ballot(is_same)) <= 2;
}

/// Sorts numbers by key_of(number). Called by all threads, after a barrier. Tiles begin with counts of digits
/// meanwhile. Where 32 bits of keys tell all but a few apart, these go with their numbers.
template <core::Word Key, class Block, class KeyOf>
FLOE_DEVICE void sort_numbers(Block& block, SortedNumbers& sorted, const KeyOf& key_of) {
  constexpr unsigned packed_bits = 32, min_numbers = 256;
  auto* const counts = reinterpret_cast<DigitCounts*>(block.memory().tiles[0]);
  const std::uint32_t count = sorted.count;
  const Key differing = differing_bits<Key>(block, sorted, key_of);
  const unsigned bits = core::bit_length(differing), shift = bits > packed_bits ? bits - packed_bits : 0;
  if (shift == 0 || (count >= min_numbers && are_told_apart(block, sorted, shift, key_of))) {
    std::uint64_t *from = sorted.packed[0], *to = sorted.packed[1];
    for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
      const std::uint32_t number = sorted.numbers[i];
      from[i] = std::uint64_t{static_cast<std::uint32_t>(key_of(number) >> shift)} << 32 | number;
    }
    block.sync();
    for_digits(static_cast<std::uint32_t>(differing >> shift), [&](unsigned digit) {
      sort_by_digit(block, from, to, count, counts,
                    [&](std::uint64_t packed) { return high_half(packed) >> digit & (digit_values - 1); });
      std::uint64_t* const before = from;
      from = to;
      to = before;
    });
    const bool is_sorted = shift == 0 || sort_neighbours(block, from, count, key_of);
    for (std::uint32_t i = block.rank(); i < count; i += block.size()) sorted.numbers[i] = low_half(from[i]);
    block.sync();
    if (is_sorted) return;
  }
  for_digits(differing, [&](unsigned digit) {
    sort_by_digit(block, sorted.numbers, sorted.spare, count, counts, [&](std::uint32_t number) {
      return static_cast<std::uint32_t>(key_of(number) >> digit & (digit_values - 1));
    });
    std::uint32_t* const before = sorted.numbers;
    sorted.numbers = sorted.spare;
    sorted.spare = before;
  });
}

}  // namespace floe::gpu
