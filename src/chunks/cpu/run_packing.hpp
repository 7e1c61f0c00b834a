// Runs of words of the same bit width, for instruction sets that shuffle 16 bytes: tables that say, for every
// width, which byte goes where. They serve widths at which a number and the bits before it in its first byte
// fit a lane; wider numbers are made of two loads.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace floe::cpu {

/// Packing works on lanes of 64 bits that hold `bits` bits each. A step is two of them, side by side in 128
/// bits; four steps fill `bits` bytes. The lanes are shifted so that their bits have the right positions in
/// bytes, and then their bytes are moved together; where bytes hold bits of two lanes or of two steps, both
/// are moved there and ORed.
struct alignas(16) PackStep {
  std::array<std::uint64_t, 2> shift{};
  std::array<std::uint8_t, 16> first{},
      second{};                             ///< Bytes of the first and of the second lane; 0x80 gives a zero.
  std::array<std::uint8_t, 16> previous{};  ///< The last, incomplete byte of the step before to byte 0.
};

inline constexpr unsigned pack_steps = 4;
using PackControls = std::array<PackStep, pack_steps>;

constexpr std::uint8_t no_byte = 0x80;

/// First byte of a step.
constexpr unsigned step_byte(unsigned bits, unsigned step) { return 2 * bits * step / 8; }

constexpr PackControls pack_controls(unsigned bits) {
  PackControls controls{};
  for (unsigned step = 0; step < pack_steps; ++step) {
    PackStep& c = controls[step];
    c.first.fill(no_byte);
    c.second.fill(no_byte);
    c.previous.fill(no_byte);
    const unsigned begin = 2 * bits * step % 8;
    for (unsigned lane = 0; lane < 2; ++lane) {
      const unsigned bit = begin + bits * lane;
      c.shift[lane] = bit % 8;
      for (unsigned byte = 0; 8 * byte < bit % 8 + bits; ++byte) {
        (lane == 0 ? c.first : c.second)[bit / 8 + byte] = static_cast<std::uint8_t>(8 * lane + byte);
      }
    }
    if (begin != 0)
      c.previous[0] = static_cast<std::uint8_t>(step_byte(bits, step) - step_byte(bits, step - 1));
  }
  return controls;
}

/// Indexed by the bits of a lane.
inline constexpr unsigned smallest_byte_packed_bits = 8, largest_byte_packed_bits = 56;
inline constexpr std::array<PackControls, largest_byte_packed_bits + 1> pack_table = [] {
  std::array<PackControls, largest_byte_packed_bits + 1> all{};
  for (unsigned bits = smallest_byte_packed_bits; bits <= largest_byte_packed_bits; ++bits)
    all[bits] = pack_controls(bits);
  return all;
}();

/// Unpacking loads 16 bytes per half of a vector, from the byte in which its first word begins, brings the
/// bytes of each word to its position and shifts them.
template <class W>
struct alignas(32) UnpackControls {
  std::array<std::uint8_t, 32> byte{};
  std::array<W, 32 / sizeof(W)> shift{};
};

template <class W>
inline constexpr unsigned words_per_half = 16 / sizeof(W);

/// First byte of a half vector.
template <class W>
constexpr unsigned half_byte(unsigned width, unsigned half) {
  return words_per_half<W> * width * half / 8;
}

/// `vector` counts from one that begins at a byte.
template <class W>
constexpr UnpackControls<W> unpack_controls(unsigned width, unsigned vector) {
  UnpackControls<W> c{};
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned word = 0; word < words_per_half<W>; ++word) {
      const unsigned bit = words_per_half<W> * width * (2 * vector + half) % 8 + width * word;
      const unsigned position = words_per_half<W> * half + word;
      c.shift[position] = bit % 8;
      for (unsigned byte = 0; byte < sizeof(W); ++byte) {
        c.byte[sizeof(W) * position + byte] =
            static_cast<std::uint8_t>(bit / 8 + byte < 16 ? bit / 8 + byte : no_byte);
      }
    }
  }
  return c;
}

/// Eight words fill `width` bytes: one vector of 32-bit words, two of 64-bit words.
template <class W>
inline constexpr unsigned unpack_vectors = sizeof(W) / 4;
template <class W>
inline constexpr unsigned largest_byte_unpacked_width = sizeof(W) == 4 ? 26 : 56;
template <class W>
using UnpackTable =
    std::array<std::array<UnpackControls<W>, unpack_vectors<W>>, largest_byte_unpacked_width<W> + 1>;

template <class W>
inline constexpr UnpackTable<W> unpack_table = [] {
  UnpackTable<W> all{};
  for (unsigned width = 1; width <= largest_byte_unpacked_width<W>; ++width) {
    for (unsigned vector = 0; vector < unpack_vectors<W>; ++vector)
      all[width][vector] = unpack_controls<W>(width, vector);
  }
  return all;
}();

/// Wider words begin in the packed word before their own, or with it, and so are made of both: the number of
/// bits that lie in the former. A half is counted from its first whole byte on.
template <class W>
constexpr unsigned wide_half_byte(unsigned width, unsigned half) {
  return (words_per_half<W> * width * half + 7) / 8;
}

template <class W>
using WideShifts = std::array<std::array<W, 32 / sizeof(W)>, unpack_vectors<W>>;
template <class W>
inline constexpr std::array<WideShifts<W>, 8 * sizeof(W) + 1> wide_shift_table = [] {
  std::array<WideShifts<W>, 8 * sizeof(W) + 1> all{};
  for (unsigned width = largest_byte_unpacked_width<W> + 1; width <= 8 * sizeof(W); ++width) {
    for (unsigned half = 0; half < 2 * unpack_vectors<W>; ++half) {
      const unsigned before = 8 * wide_half_byte<W>(width, half) - words_per_half<W> * width * half;
      for (unsigned word = 0; word < words_per_half<W>; ++word) {
        all[width][half / 2][half % 2 * words_per_half<W> + word] =
            before + static_cast<unsigned>(8 * sizeof(W) - width) * word;
      }
    }
  }
  return all;
}();

/// What is unpacked at once: a word, or those words of 8 or 16 bits of a type L that fill 32 bits.
template <class L>
using UnpackedWord = std::conditional_t<(L::word_bits < 32), std::uint32_t, typename L::Word>;
template <class L>
inline constexpr unsigned words_per_unpacked = 8 * sizeof(UnpackedWord<L>) / L::word_bits;

}  // namespace floe::cpu
