// Runs of words of the same bit width with AVX-512 VBMI: tables that say, for every width, which byte goes
// where.
//
// A vector of eight lanes of 64 bits holds numbers of `bits` bits: one word per lane, or two, four or eight
// narrower words side by side. Packed, lane l begins at bit l * bits. Packing gathers the bytes that begin in
// a lane with one multishift and one byte permutation, and the first bits of each lane, which complete the
// last byte of the lane before, with another pair. Unpacking is one byte permutation and one shift.
#pragma once

#include <array>
#include <cstdint>

namespace floe::cpu::avx512 {

inline constexpr unsigned lane_count = 8;
using Controls = std::array<std::uint8_t, 64>;

/// Numbers this wide go byte by byte only if no byte holds bits of three lanes (from 8 bits on), and no byte
/// that begins in a lane needs bits past its end.
constexpr bool fits_bytes(unsigned bits) {
  return bits >= 8 && bits != 59 && bits != 61 && bits != 62 && bits != 63;
}

struct alignas(64) PackControls {
  Controls begin_shift, begin_byte;  ///< Bytes that begin in a lane: multishift, then permutation.
  Controls end_shift, end_byte;      ///< Bytes that end in a lane.
  std::uint64_t begin_mask, end_mask;
};

struct alignas(64) UnpackControls {
  Controls byte;   ///< The eight bytes that hold a lane's number.
  Controls shift;  ///< Multishift that brings the number to bit 0; for narrower words, each to its position.
};

constexpr PackControls pack_controls(unsigned bits) {
  PackControls c{};
  for (unsigned lane = 0; lane < lane_count; ++lane) {
    const unsigned begin = bits * lane, first = (8 - begin % 8) % 8;
    for (unsigned j = 0; j < 8; ++j) {
      const unsigned bit = first + 8 * j;
      c.begin_shift[8 * lane + j] = static_cast<std::uint8_t>(bit % 64);
      const unsigned byte = (begin + bit) / 8;
      if (bit < bits && byte < 64) {
        c.begin_byte[byte] = static_cast<std::uint8_t>(8 * lane + j);
        c.begin_mask |= std::uint64_t{1} << byte;
      }
    }
    if (first != 0) {
      c.end_shift[8 * lane] = static_cast<std::uint8_t>((56 + first) % 64);
      c.end_byte[begin / 8] = static_cast<std::uint8_t>(8 * lane);
      c.end_mask |= std::uint64_t{1} << (begin / 8);
    }
  }
  return c;
}

template <unsigned words_per_lane>
constexpr UnpackControls unpack_controls(unsigned bits) {
  constexpr unsigned word_bytes = 8 / words_per_lane;
  UnpackControls c{};
  for (unsigned lane = 0; lane < lane_count; ++lane) {
    const unsigned begin = bits * lane;
    for (unsigned j = 0; j < 8; ++j) {
      const unsigned byte = begin / 8 + j;
      c.byte[8 * lane + j] = static_cast<std::uint8_t>(byte < 64 ? byte : 63);
      const unsigned bit = begin % 8 + j / word_bytes * (bits / words_per_lane) + 8 * (j % word_bytes);
      c.shift[8 * lane + j] = static_cast<std::uint8_t>(bit % 64);
    }
  }
  return c;
}

/// Indexed by the bits of a lane; those that do not fit bytes are not used.
inline constexpr std::array<PackControls, 65> pack_table = [] {
  std::array<PackControls, 65> all{};
  for (unsigned bits = 8; bits <= 64; ++bits) all[bits] = pack_controls(bits);
  return all;
}();

template <unsigned words_per_lane>
inline constexpr std::array<UnpackControls, 65> unpack_table = [] {
  std::array<UnpackControls, 65> all{};
  for (unsigned bits = 8; bits <= 64; ++bits) all[bits] = unpack_controls<words_per_lane>(bits);
  return all;
}();

/// Numbers of 59 to 63 bits go by 64-bit lanes of the packed side, or of the unpacked side, each made of two
/// lanes of the other: (first >> right) | (second << left).
struct alignas(64) CrossControls {
  std::array<std::uint64_t, lane_count> first, second, right, left;
};

inline constexpr unsigned smallest_crossing_bits = 59;

inline constexpr std::array<CrossControls, 5> cross_pack_table = [] {
  std::array<CrossControls, 5> all{};
  for (unsigned bits = smallest_crossing_bits; bits < 64; ++bits) {
    CrossControls& c = all[bits - smallest_crossing_bits];
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      c.first[lane] = 64 * lane / bits;
      c.second[lane] =
          (c.first[lane] + 1) % lane_count;  // past the last number only in bits that are not stored
      c.right[lane] = 64 * lane % bits;
      c.left[lane] = bits - c.right[lane];
    }
  }
  return all;
}();

inline constexpr std::array<CrossControls, 5> cross_unpack_table = [] {
  std::array<CrossControls, 5> all{};
  for (unsigned bits = smallest_crossing_bits; bits < 64; ++bits) {
    CrossControls& c = all[bits - smallest_crossing_bits];
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      c.first[lane] = bits * lane / 64;
      c.second[lane] = (c.first[lane] + 1) % lane_count;
      c.right[lane] = bits * lane % 64;
      c.left[lane] = 64 - c.right[lane];
    }
  }
  return all;
}();

/// For numbers below 8 bits: eight bytes of `bits` useful bits each become `bits` bytes. Index of byte i of
/// the packed bytes of eight such groups.
alignas(64) inline constexpr std::array<Controls, 8> group_bytes_packed = [] {
  std::array<Controls, 8> all{};
  for (unsigned bits = 1; bits < 8; ++bits) {
    for (unsigned i = 0; i < 8 * bits; ++i) all[bits][i] = static_cast<std::uint8_t>(i / bits * 8 + i % bits);
  }
  return all;
}();

inline constexpr std::array<UnpackControls, 8> group_bytes_unpacked = [] {
  std::array<UnpackControls, 8> all{};
  for (unsigned bits = 1; bits < 8; ++bits) {
    for (unsigned i = 0; i < 64; ++i) {
      all[bits].byte[i] = static_cast<std::uint8_t>(i / 8 * bits + i % 8 % bits);
      all[bits].shift[i] = static_cast<std::uint8_t>(i % 8 * bits);
    }
  }
  return all;
}();

}  // namespace floe::cpu::avx512
