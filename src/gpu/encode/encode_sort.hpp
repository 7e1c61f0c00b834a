// Sorts with a block, by eight bits of keys at a time, from the lowest on, where keys differ in them.
#pragma once

#include "gpu/encode/encode_memory.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint32_t digit_values = 1u << digit_bits;
/// Of a warp: one per digit, in shared memory.
using DigitCounts = std::uint32_t[digit_values];

/// Numbers that are sorted, and room for as many.
struct SortedNumbers {
  std::uint32_t *numbers, *spare;
  std::uint32_t count;
};

/// Rows of 32 numbers that a warp reads at a time.
inline constexpr unsigned rows_read = 4;

/// Calls work(number, is there) for the rows of a warp, by all its lanes: as many rows as other warps have.
template <class Block, class Work>
FLOE_DEVICE void for_rows_of_warp(Block& block, const std::uint32_t* numbers, std::uint32_t count,
                                  const Work& work) {
  const std::uint32_t rows = (count + warp_lanes - 1) / warp_lanes,
                      share = (rows + block.warp_count() - 1) / block.warp_count();
  const std::uint32_t begin = block.warp_index() * share * warp_lanes;
  const std::uint32_t end = begin + share * warp_lanes < count ? begin + share * warp_lanes : count;
  std::uint32_t next[rows_read];
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
    std::uint32_t here[rows_read];
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k) here[k] = next[k];
    load(first + rows_read * warp_lanes);
    FLOE_UNROLL
    for (unsigned k = 0; k < rows_read; ++k)
      work(here[k], first + k * warp_lanes + block.warp().lane() < end);
  }
}

/// Turns counts of digits into the positions of the first numbers with them.
template <class Block>
FLOE_DEVICE void scan_digits(Block& block, DigitCounts* counts) {
  const std::uint32_t share = digit_values / block.size(), begin = block.rank() * share;
  std::uint32_t own = 0;
  for (std::uint32_t digit = begin; digit < begin + share; ++digit) {
    for (unsigned w = 0; w < block.warp_count(); ++w) own += counts[w][digit];
  }
  auto before = static_cast<std::uint32_t>(block_scan(block, block.memory().bases[0], own).before);
  for (std::uint32_t digit = begin; digit < begin + share; ++digit) {
    for (unsigned w = 0; w < block.warp_count(); ++w) {
      const std::uint32_t here = counts[w][digit];
      counts[w][digit] = before;
      before += here;
    }
  }
  block.sync();
}

/// One pass: numbers with equal digits keep their order.
template <class Block, class DigitOf>
FLOE_DEVICE void sort_by_digit(Block& block, SortedNumbers& sorted, DigitCounts* counts,
                               const DigitOf& digit_of) {
  auto& warp = block.warp();
  std::uint32_t *const numbers = sorted.numbers, *const spare = sorted.spare;
  const std::uint32_t count = sorted.count;
  std::uint32_t* const own = counts[block.warp_index()];
  for (std::uint32_t digit = warp.lane(); digit < digit_values; digit += warp_lanes) own[digit] = 0;
  warp.sync();
  for_rows_of_warp(block, numbers, count, [&](std::uint32_t number, bool is_there) {
    if (is_there) atomic_add(own + digit_of(number), 1);
  });
  block.sync();
  scan_digits(block, counts);
  for_rows_of_warp(block, numbers, count, [&](std::uint32_t number, bool is_there) {
    const std::uint32_t digit = is_there ? digit_of(number) : 0;
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
  sorted.numbers = spare;
  sorted.spare = numbers;
}

/// The bits in which keys differ, to all threads.
template <core::Word Key, class Block, class KeyOf>
FLOE_DEVICE Key differing_bits(Block& block, const SortedNumbers& sorted, const KeyOf& key_of) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const Key key = key_of(sorted.numbers[0]);
  std::uint64_t bits = 0;
  for_rows_of_warp(block, sorted.numbers, sorted.count, [&](std::uint32_t number, bool is_there) {
    bits |= is_there ? static_cast<Key>(key_of(number) ^ key) : Key{0};
  });
  const std::uint32_t low = warp.reduce_or(low_half(bits)), high = warp.reduce_or(high_half(bits));
  if (warp.lane() == 0) memory.bases[1][block.warp_index()] = std::uint64_t{high} << 32 | low;
  block.sync();
  bits = 0;
  for (unsigned w = 0; w < block.warp_count(); ++w) bits |= memory.bases[1][w];
  block.sync();
  return static_cast<Key>(bits);
}

/// Sorts numbers by key_of(number). Called by all threads, after a barrier. Tiles begin with counts of digits
/// meanwhile.
template <core::Word Key, class Block, class KeyOf>
FLOE_DEVICE void sort_numbers(Block& block, SortedNumbers& sorted, const KeyOf& key_of) {
  auto* const counts = reinterpret_cast<DigitCounts*>(block.memory().tiles[0]);
  const Key differing = differing_bits<Key>(block, sorted, key_of);
  FLOE_NO_UNROLL
  for (unsigned shift = 0; shift < core::word_bits<Key>; shift += digit_bits) {
    if ((differing >> shift & (digit_values - 1)) == 0) continue;
    sort_by_digit(block, sorted, counts, [&](std::uint32_t number) {
      return static_cast<std::uint32_t>(key_of(number) >> shift & (digit_values - 1));
    });
  }
}

}  // namespace floe::gpu
