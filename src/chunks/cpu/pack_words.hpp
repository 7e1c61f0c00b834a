// Runs of words with the same bit width, to packed bytes and back. Eight words of w bits fill w bytes
// exactly, so every run that starts at a byte goes in blocks of eight words, with all shifts known when the
// program is compiled.
#pragma once

#include <array>
#include <utility>

#include "chunks/cpu/bit_io.hpp"

namespace floe::cpu {

inline constexpr std::size_t words_per_block = 8;

/// `bits` ones at the bottom of every `lane_bits` bits.
template <unsigned lane_bits, unsigned bits>
inline constexpr std::uint64_t ones_in_lanes =
    ~std::uint64_t{0} / core::low_mask<std::uint64_t>(lane_bits) * core::low_mask<std::uint64_t>(bits);

/// Closes the gaps between numbers of `bits` bits that lie in lanes of `lane_bits` bits.
template <unsigned lane_bits, unsigned bits>
inline std::uint64_t join_lanes(std::uint64_t lanes) {
  if constexpr (lane_bits == 64) {
    return lanes;
  } else {
    constexpr std::uint64_t even = ones_in_lanes<2 * lane_bits, lane_bits>;
    return join_lanes<2 * lane_bits, 2 * bits>((lanes & even) | ((lanes & ~even) >> (lane_bits - bits)));
  }
}

/// The inverse of join_lanes.
template <unsigned lane_bits, unsigned bits>
inline std::uint64_t split_lanes(std::uint64_t joined) {
  if constexpr (lane_bits == 64) {
    return joined;
  } else {
    constexpr std::uint64_t even = ones_in_lanes<2 * lane_bits, bits>;
    const std::uint64_t pairs = split_lanes<2 * lane_bits, 2 * bits>(joined);
    return (pairs & even) | ((pairs & (even << bits)) << (lane_bits - bits));
  }
}

/// Puts `bits` bits at bit `first_bit` of a number of several words.
template <unsigned first_bit, unsigned bits, std::size_t n>
inline void place(std::array<std::uint64_t, n>& packed, std::uint64_t value) {
  if constexpr (bits > 0) packed[first_bit / 64] |= value << (first_bit % 64);
  if constexpr (first_bit % 64 + bits > 64) packed[first_bit / 64 + 1] |= value >> (64 - first_bit % 64);
}

/// Eight words make sizeof(W) 64-bit loads; each load holds `joined_bits` bits once its gaps are closed.
template <core::Word W, unsigned width>
struct Block {
  static constexpr unsigned joined_bits = width * words_per_block / sizeof(W);
  using Loads = std::make_index_sequence<sizeof(W)>;

  static void pack(const std::uint8_t* __restrict words, std::size_t blocks, std::uint8_t* __restrict out) {
    for (std::size_t b = 0; b < blocks; ++b, words += words_per_block * sizeof(W), out += width) {
      std::array<std::uint64_t, (width + 7) / 8> packed{};
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        (place<k * joined_bits, joined_bits>(
             packed, join_lanes<core::word_bits<W>, width>(core::load<std::uint64_t>(words + 8 * k))),
         ...);
      }
      (Loads{});
      for (std::size_t i = 0; i < packed.size(); ++i) core::store(out + 8 * i, packed[i]);
    }
  }

  static void unpack(const std::uint8_t* __restrict in, std::size_t blocks, std::uint8_t* __restrict words) {
    for (std::size_t b = 0; b < blocks; ++b, words += words_per_block * sizeof(W), in += width) {
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        (core::store(words + 8 * k,
                     split_lanes<core::word_bits<W>, width>(read_bits(in, k * joined_bits, joined_bits))),
         ...);
      }
      (Loads{});
    }
  }
};

using BlockFunction = void (*)(const std::uint8_t* from, std::size_t blocks, std::uint8_t* to);

template <core::Word W>
inline constexpr auto pack_blocks = []<unsigned... width>(std::integer_sequence<unsigned, width...>) {
  return std::array<BlockFunction, sizeof...(width)>{&Block<W, width>::pack...};
}
(std::make_integer_sequence<unsigned, core::word_bits<W> + 1>{});

template <core::Word W>
inline constexpr auto unpack_blocks = []<unsigned... width>(std::integer_sequence<unsigned, width...>) {
  return std::array<BlockFunction, sizeof...(width)>{&Block<W, width>::unpack...};
}
(std::make_integer_sequence<unsigned, core::word_bits<W> + 1>{});

/// Packs `count` words, all below 2^width, from a bit position on. May write 8 bytes past the last bit; bits
/// after it in its byte become zero.
template <core::Word W>
void pack_words(const std::uint8_t* words, std::size_t count, unsigned width, std::uint8_t* stream,
                std::size_t first_bit) {
  std::size_t i = 0;
  if (first_bit % 8 == 0) {
    const std::size_t blocks = count / words_per_block;
    pack_blocks<W>[width](words, blocks, stream + first_bit / 8);
    i = blocks * words_per_block;
  }
  if (i == count) return;
  BitWriter writer(stream, first_bit + i * width);
  for (; i < count; ++i) writer.put(core::load<W>(words + i * sizeof(W)), width);
  writer.finish();
}

/// The inverse of pack_words. May read 9 bytes past the last bit.
template <core::Word W>
void unpack_words(const std::uint8_t* stream, std::size_t first_bit, std::size_t count, unsigned width,
                  std::uint8_t* words) {
  std::size_t i = 0;
  if (first_bit % 8 == 0) {
    const std::size_t blocks = count / words_per_block;
    unpack_blocks<W>[width](stream + first_bit / 8, blocks, words);
    i = blocks * words_per_block;
  }
  for (; i < count; ++i)
    core::store(words + i * sizeof(W), static_cast<W>(read_bits(stream, first_bit + i * width, width)));
}

}  // namespace floe::cpu
