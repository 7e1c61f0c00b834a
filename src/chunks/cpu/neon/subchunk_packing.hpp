// Sub-chunks of 32- and 64-bit words with NEON, which every 64-bit Arm has: how their words lie in vectors,
// and packing them with one bit width.
#pragma once

#include <arm_neon.h>

#include <algorithm>
#include <cstring>

#include "chunks/cpu/run_packing.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {

inline constexpr unsigned subchunks = core::subchunks_per_chunk;
inline constexpr std::size_t subchunk_bytes = core::chunk_bytes / subchunks;  // 512: 32 vectors
inline constexpr unsigned vectors = subchunk_bytes / 16;

/// What differs between words of 32 and 64 bits.
template <unsigned bits>
struct Lanes;

template <>
struct Lanes<32> {
  using Word = std::uint32_t;
  using Vector = uint32x4_t;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before = true;
  static constexpr unsigned word_bits = 32, width_field = 6, words_per_vector = 4;
  static constexpr unsigned words_per_lane = 2;  // of 64 bits
  static Vector of_bytes(uint8x16_t bytes) { return vreinterpretq_u32_u8(bytes); }
  static Vector load(const std::uint8_t* from) { return of_bytes(vld1q_u8(from)); }
  static void store(std::uint8_t* to, Vector v) { vst1q_u8(to, vreinterpretq_u8_u32(v)); }
  static Vector zero() { return vdupq_n_u32(0); }
  static Vector set(unsigned word) { return vdupq_n_u32(word); }
  static Vector bit_and(Vector a, Vector b) { return vandq_u32(a, b); }
  static Vector bit_or(Vector a, Vector b) { return vorrq_u32(a, b); }
  static Vector sub(Vector a, Vector b) { return vsubq_u32(a, b); }
  static Vector max(Vector a, Vector b) { return vmaxq_u32(a, b); }
  static std::uint64_t or_of(Vector v) {
    const uint64x2_t halves = vreinterpretq_u64_u32(v);
    return vgetq_lane_u64(halves, 0) | vgetq_lane_u64(halves, 1);
  }
  static std::uint64_t max_of(Vector v) { return vmaxvq_u32(v); }
  static Vector residuals(const std::uint8_t* words, Vector&) {
    return vsubq_u32(load(words), load(words - 4));
  }
  static Vector fold(Vector d) {
    return veorq_u32(vaddq_u32(d, d), vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(d), 31)));
  }
  static Vector unfold(Vector y) {
    return veorq_u32(vshrq_n_u32(y, 1), vsubq_u32(zero(), vandq_u32(y, set(1))));
  }
  static Vector prefix_sums(Vector x, Vector& carry) {
    x = vaddq_u32(x, vextq_u32(zero(), x, 3));
    x = vaddq_u32(x, vextq_u32(zero(), x, 2));
    x = vaddq_u32(x, carry);
    carry = vdupq_laneq_u32(x, 3);
    return x;
  }
  static Vector low_bits(unsigned width) { return vdupq_n_u32(core::low_mask<Word>(width)); }
  /// The lower `width` bits of every word.
  static Vector split(Vector v, unsigned width) { return bit_and(v, low_bits(width)); }
  static Vector shift_left(Vector v, Vector counts) { return vshlq_u32(v, vreinterpretq_s32_u32(counts)); }
  static Vector shift_right(Vector v, Vector counts) {
    return vshlq_u32(v, vnegq_s32(vreinterpretq_s32_u32(counts)));
  }
  /// Multiples of `step`, from `first` times step on.
  static Vector multiples(unsigned step, unsigned first) {
    const Word index[4] = {0, 1, 2, 3};
    return vmulq_u32(vaddq_u32(vld1q_u32(index), set(first)), set(step));
  }
  /// Two words of a lane side by side.
  static uint64x2_t join(Vector words, unsigned width) {
    const uint64x2_t lanes = vreinterpretq_u64_u32(words);
    const uint64x2_t upper = vshlq_u64(vshrq_n_u64(lanes, 32), vdupq_n_s64(width));
    return vorrq_u64(vandq_u64(lanes, vdupq_n_u64(0xFFFFFFFF)), upper);
  }
  /// Sixteen words, all below 256, to bytes.
  static uint8x16_t narrow(const std::uint8_t* words) {
    const uint16x8_t a = vcombine_u16(vmovn_u32(load(words)), vmovn_u32(load(words + 16)));
    const uint16x8_t b = vcombine_u16(vmovn_u32(load(words + 32)), vmovn_u32(load(words + 48)));
    return vcombine_u8(vmovn_u16(a), vmovn_u16(b));
  }
};

template <>
struct Lanes<64> {
  using Word = std::uint64_t;
  using Vector = uint64x2_t;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before = true;
  static constexpr unsigned word_bits = 64, width_field = 7, words_per_vector = 2;
  static constexpr unsigned words_per_lane = 1;
  static Vector of_bytes(uint8x16_t bytes) { return vreinterpretq_u64_u8(bytes); }
  static Vector load(const std::uint8_t* from) { return of_bytes(vld1q_u8(from)); }
  static void store(std::uint8_t* to, Vector v) { vst1q_u8(to, vreinterpretq_u8_u64(v)); }
  static Vector zero() { return vdupq_n_u64(0); }
  static Vector set(unsigned word) { return vdupq_n_u64(word); }
  static Vector bit_and(Vector a, Vector b) { return vandq_u64(a, b); }
  static Vector bit_or(Vector a, Vector b) { return vorrq_u64(a, b); }
  static Vector sub(Vector a, Vector b) { return vsubq_u64(a, b); }
  static Vector max(Vector a, Vector b) { return vbslq_u64(vcgtq_u64(a, b), a, b); }
  static std::uint64_t or_of(Vector v) { return vgetq_lane_u64(v, 0) | vgetq_lane_u64(v, 1); }
  static std::uint64_t max_of(Vector v) {
    return std::max<std::uint64_t>(vgetq_lane_u64(v, 0), vgetq_lane_u64(v, 1));
  }
  static Vector residuals(const std::uint8_t* words, Vector&) {
    return vsubq_u64(load(words), load(words - 8));
  }
  static Vector fold(Vector d) {
    return veorq_u64(vaddq_u64(d, d), vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(d), 63)));
  }
  static Vector unfold(Vector y) {
    return veorq_u64(vshrq_n_u64(y, 1), vsubq_u64(zero(), vandq_u64(y, set(1))));
  }
  static Vector prefix_sums(Vector x, Vector& carry) {
    x = vaddq_u64(x, vextq_u64(zero(), x, 1));
    x = vaddq_u64(x, carry);
    carry = vdupq_laneq_u64(x, 1);
    return x;
  }
  static Vector low_bits(unsigned width) { return vdupq_n_u64(core::low_mask<Word>(width)); }
  static Vector split(Vector v, unsigned width) { return bit_and(v, low_bits(width)); }
  static Vector shift_left(Vector v, Vector counts) { return vshlq_u64(v, vreinterpretq_s64_u64(counts)); }
  static Vector shift_right(Vector v, Vector counts) {
    return vshlq_u64(v, vnegq_s64(vreinterpretq_s64_u64(counts)));
  }
  static Vector multiples(unsigned step, unsigned first) {
    const Word multiple[2] = {step * first, step * (first + 1)};
    return vld1q_u64(multiple);
  }
  static uint64x2_t join(Vector words, unsigned) { return words; }
  static uint8x16_t narrow(const std::uint8_t* words) {
    uint8x8_t halves[2];
    for (unsigned i = 0; i < 2; ++i, words += 64) {
      const uint32x4_t a = vcombine_u32(vmovn_u64(load(words)), vmovn_u64(load(words + 16)));
      const uint32x4_t b = vcombine_u32(vmovn_u64(load(words + 32)), vmovn_u64(load(words + 48)));
      halves[i] = vmovn_u16(vcombine_u16(vmovn_u32(a), vmovn_u32(b)));
    }
    return vcombine_u8(halves[0], halves[1]);
  }
};

/// Words whose lanes have 8 to 56 bits: runs of eight lanes, in four steps of two lanes.
template <class L>
void pack_by_bytes(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  const unsigned lane_bits = L::words_per_lane * width;
  const PackControls& controls = pack_table[lane_bits];
  for (std::size_t at = 0; at < subchunk_bytes; at += 16 * pack_steps, out += lane_bits) {
    uint8x16_t before = vdupq_n_u8(0);
    for (unsigned i = 0; i < pack_steps; ++i) {
      const PackStep& c = controls[i];
      const uint64x2_t lanes = L::join(L::load(words + at + 16 * i), width);
      const uint8x16_t bytes =
          vreinterpretq_u8_u64(vshlq_u64(lanes, vreinterpretq_s64_u64(vld1q_u64(c.shift.data()))));
      const uint8x16_t own =
          vorrq_u8(vqtbl1q_u8(bytes, vld1q_u8(c.first.data())), vqtbl1q_u8(bytes, vld1q_u8(c.second.data())));
      before = vorrq_u8(own, vqtbl1q_u8(before, vld1q_u8(c.previous.data())));
      vst1q_u8(out + step_byte(lane_bits, i), before);
    }
  }
}

/// Words of fewer bits than bytes can be told apart by: sixteen at a time become bytes, whose gaps are closed
/// in three steps.
template <class L>
void pack_narrow(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  const auto bits = static_cast<std::int16_t>(width);
  for (std::size_t at = 0; at < subchunk_bytes; at += 16 * L::word_bits / 8) {
    const uint16x8_t v16 = vreinterpretq_u16_u8(L::narrow(words + at));
    const uint32x4_t v32 = vreinterpretq_u32_u16(
        vorrq_u16(vandq_u16(v16, vdupq_n_u16(0xFF)), vshlq_u16(vshrq_n_u16(v16, 8), vdupq_n_s16(bits))));
    const uint64x2_t v64 = vreinterpretq_u64_u32(vorrq_u32(
        vandq_u32(v32, vdupq_n_u32(0xFFFF)), vshlq_u32(vshrq_n_u32(v32, 16), vdupq_n_s32(2 * bits))));
    const uint64x2_t packed = vorrq_u64(vandq_u64(v64, vdupq_n_u64(0xFFFFFFFF)),
                                        vshlq_u64(vshrq_n_u64(v64, 32), vdupq_n_s64(4 * bits)));
    core::store(out, std::uint64_t{vgetq_lane_u64(packed, 0)});
    core::store(out + width, std::uint64_t{vgetq_lane_u64(packed, 1)});
    out += 2 * width;
  }
}

template <class W>
inline constexpr unsigned halves_per_run = 2 * unpack_vectors<W>;

/// The controls of a half vector of the tables, which is a whole one here.
template <class W>
const std::uint8_t* half_of(const std::array<W, 32 / sizeof(W)>& both, unsigned half) {
  return reinterpret_cast<const std::uint8_t*>(both.data()) + 16 * (half % 2);
}

template <class L>
void unpack_by_bytes(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  using W = UnpackedWord<L>;
  using Wide = Lanes<8 * sizeof(W)>;
  const unsigned bits = words_per_unpacked<L> * width;
  for (unsigned k = 0; k < vectors; k += halves_per_run<W>, in += bits) {
    for (unsigned i = 0; i < halves_per_run<W>; ++i) {
      const UnpackControls<W>& c = unpack_table<W>[bits][i / 2];
      const uint8x16_t bytes = vqtbl1q_u8(vld1q_u8(in + half_byte<W>(bits, i)), vld1q_u8(half_of(c.byte, i)));
      words[k + i] =
          L::split(Wide::shift_right(Wide::of_bytes(bytes), Wide::load(half_of(c.shift, i))), width);
    }
  }
}

/// Words that are so wide that each begins in the packed word before its own, or with its own.
template <class L>
void unpack_by_words(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  using W = typename L::Word;
  const auto low = L::low_bits(width);
  for (unsigned k = 0; k < vectors; k += halves_per_run<W>, in += width) {
    for (unsigned i = 0; i < halves_per_run<W>; ++i) {
      const auto left = L::load(half_of(wide_shift_table<W>[width][i / 2], i)),
                 right = L::sub(L::set(L::word_bits), left);
      const std::uint8_t* const from = in + wide_half_byte<W>(width, i);
      const auto before = L::shift_right(L::load(from - sizeof(W)), right),
                 own = L::shift_left(L::load(from), left);
      words[k + i] = L::bit_and(L::bit_or(before, own), low);
    }
  }
}

#include "chunks/cpu/subchunk_packing.inl"

}  // namespace floe::cpu::neon
