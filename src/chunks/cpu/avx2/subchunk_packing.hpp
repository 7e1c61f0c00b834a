// Sub-chunks of 32- and 64-bit words with AVX2: how their words lie in vectors, and packing them with one bit
// width. For translation units that are AVX2 throughout.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/avx2/words32.hpp"
#include "chunks/cpu/run_packing.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

inline constexpr unsigned subchunks = core::subchunks_per_chunk;
inline constexpr std::size_t subchunk_bytes = core::chunk_bytes / subchunks;  // 512: sixteen vectors
inline constexpr unsigned vectors = subchunk_bytes / 32;

/// What words of all widths have in common.
struct Vectors {
  using Vector = __m256i;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before =
      true;  // a load is cheaper than the two shuffles that it takes to shift vectors
  static __m256i load(const std::uint8_t* from) { return load256(from); }
  static __m256i load(const std::uint8_t* first_half, const std::uint8_t* second_half) {
    return load256(first_half, second_half);
  }
  static void store(std::uint8_t* to, __m256i v) { store256(to, v); }
  static __m256i zero() { return _mm256_setzero_si256(); }
  static __m256i bit_or(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
  static std::uint64_t or_of(__m256i v) {
    const __m128i halves = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return static_cast<std::uint64_t>(
        _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))));
  }
};

/// What differs between them.
template <unsigned bits>
struct Lanes;

template <>
struct Lanes<32> : Vectors {
  using Word = std::uint32_t;
  static constexpr unsigned word_bits = 32, width_field = 6, words_per_vector = 8;
  static constexpr unsigned words_per_lane = 2;  // of 64 bits
  static __m256i residuals(const std::uint8_t* words, __m256i&) {
    return _mm256_sub_epi32(load(words), load(words - 4));
  }
  static __m256i fold(__m256i d) { return fold32(d); }
  static __m256i unfold(__m256i y) { return unfold32(y); }
  static __m256i max(__m256i a, __m256i b) { return _mm256_max_epu32(a, b); }
  static std::uint64_t max_of(__m256i v) {
    Word words[words_per_vector];
    store(reinterpret_cast<std::uint8_t*>(words), v);
    return *std::max_element(words, words + words_per_vector);
  }
  static __m256i prefix_sums(__m256i x, __m256i& carry) { return prefix_sums32(x, carry); }
  static __m256i low_bits(unsigned width) {
    return _mm256_set1_epi32(static_cast<int>(core::low_mask<Word>(width)));
  }
  /// The lower `width` bits of every word.
  static __m256i split(__m256i v, unsigned width) { return _mm256_and_si256(v, low_bits(width)); }
  static __m256i shift_right(__m256i v, __m256i counts) { return _mm256_srlv_epi32(v, counts); }
  static __m256i shift_left(__m256i v, __m256i counts) { return _mm256_sllv_epi32(v, counts); }
  /// step, 2 * step ... from `first` times step on, one per word.
  static __m256i multiples(unsigned step, unsigned first) {
    const __m256i index = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), set(first));
    return _mm256_mullo_epi32(index, set(step));
  }
  static __m256i set(unsigned word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  static __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
  /// Two words of a lane side by side.
  static __m256i join(__m256i words, unsigned width) {
    const __m256i upper =
        _mm256_sll_epi64(_mm256_srli_epi64(words, 32), _mm_cvtsi32_si128(static_cast<int>(width)));
    return _mm256_or_si256(_mm256_blend_epi32(words, zero(), 0xAA), upper);
  }
  /// 32 words, all below 256, to bytes.
  static __m256i narrow(const std::uint8_t* words) {
    return narrow(load(words), load(words + 32), load(words + 64), load(words + 96));
  }
  static __m256i narrow(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
};

template <>
struct Lanes<64> : Vectors {
  using Word = std::uint64_t;
  static constexpr unsigned word_bits = 64, width_field = 7, words_per_vector = 4;
  static constexpr unsigned words_per_lane = 1;
  static __m256i residuals(const std::uint8_t* words, __m256i&) {
    return _mm256_sub_epi64(load(words), load(words - 8));
  }
  static __m256i fold(__m256i d) {
    return _mm256_xor_si256(_mm256_add_epi64(d, d), _mm256_cmpgt_epi64(zero(), d));
  }
  static __m256i unfold(__m256i y) {
    const __m256i sign = _mm256_sub_epi64(zero(), _mm256_and_si256(y, _mm256_set1_epi64x(1)));
    return _mm256_xor_si256(_mm256_srli_epi64(y, 1), sign);
  }
  static __m256i max(__m256i a, __m256i b) {
    const __m256i top = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{1} << 63));
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top)));
  }
  static std::uint64_t max_of(__m256i v) {
    Word words[words_per_vector];
    store(reinterpret_cast<std::uint8_t*>(words), v);
    return *std::max_element(words, words + words_per_vector);
  }
  static __m256i prefix_sums(__m256i x, __m256i& carry) {
    x = _mm256_add_epi64(x, _mm256_slli_si256(x, 8));
    const __m256i totals = _mm256_unpackhi_epi64(x, x),
                  swapped = _mm256_permute2x128_si256(totals, totals, 0x01);
    const __m256i sums =
        _mm256_add_epi64(x, _mm256_add_epi64(carry, _mm256_blend_epi32(zero(), swapped, 0xF0)));
    carry = _mm256_add_epi64(carry, _mm256_add_epi64(totals, swapped));
    return sums;
  }
  static __m256i low_bits(unsigned width) {
    return _mm256_set1_epi64x(static_cast<long long>(core::low_mask<Word>(width)));
  }
  static __m256i split(__m256i v, unsigned width) { return _mm256_and_si256(v, low_bits(width)); }
  static __m256i shift_right(__m256i v, __m256i counts) { return _mm256_srlv_epi64(v, counts); }
  static __m256i shift_left(__m256i v, __m256i counts) { return _mm256_sllv_epi64(v, counts); }
  static __m256i multiples(unsigned step, unsigned first) {
    const __m256i index = _mm256_add_epi64(_mm256_setr_epi64x(0, 1, 2, 3), set(first));
    return _mm256_mul_epu32(index, set(step));
  }
  static __m256i set(unsigned word) { return _mm256_set1_epi64x(word); }
  static __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi64(a, b); }
  static __m256i join(__m256i words, unsigned) { return words; }
  static __m256i narrow(const std::uint8_t* words) {
    __m256i halves[4];
    for (unsigned i = 0; i < 4; ++i) {
      const __m256 a = _mm256_castsi256_ps(load(words + 64 * i)),
                   b = _mm256_castsi256_ps(load(words + 64 * i + 32));
      halves[i] = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xD8);
    }
    return Lanes<32>::narrow(halves[0], halves[1], halves[2], halves[3]);
  }
};

inline __m256i broadcast(const void* from) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(from)));
}

/// Words whose lanes have 8 to 56 bits. The halves of a vector work on neighbouring runs of eight lanes; all
/// steps of the first run are stored before the second run, because each store overwrites what follows it.
template <class L>
void pack_by_bytes(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  constexpr std::size_t run_bytes = 64;
  const unsigned lane_bits = L::words_per_lane * width;
  const PackControls& controls = pack_table[lane_bits];
  for (std::size_t at = 0; at < subchunk_bytes; at += 2 * run_bytes, out += 2 * lane_bits) {
    __m256i steps[pack_steps];
    for (unsigned i = 0; i < pack_steps; ++i) {
      const PackStep& c = controls[i];
      const __m256i pairs = L::load(words + at + 16 * i, words + at + run_bytes + 16 * i);
      const __m256i lanes = _mm256_sllv_epi64(L::join(pairs, width), broadcast(c.shift.data()));
      steps[i] = _mm256_or_si256(_mm256_shuffle_epi8(lanes, broadcast(c.first.data())),
                                 _mm256_shuffle_epi8(lanes, broadcast(c.second.data())));
      if (i > 0)
        steps[i] = _mm256_or_si256(steps[i], _mm256_shuffle_epi8(steps[i - 1], broadcast(c.previous.data())));
    }
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned i = 0; i < pack_steps; ++i) {
        const __m128i step =
            half == 0 ? _mm256_castsi256_si128(steps[i]) : _mm256_extracti128_si256(steps[i], 1);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + half * lane_bits + step_byte(lane_bits, i)), step);
      }
    }
  }
}

/// Words of fewer bits than bytes can be told apart by: 32 at a time become bytes, whose gaps are closed in
/// three steps.
template <class L>
void pack_narrow(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  const auto count = [](unsigned bits) { return _mm_cvtsi32_si128(static_cast<int>(bits)); };
  for (std::size_t at = 0; at < subchunk_bytes; at += 32 * L::word_bits / 8) {
    __m256i v = L::narrow(words + at);
    v = _mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi16(0xFF)),
                        _mm256_sll_epi16(_mm256_srli_epi16(v, 8), count(width)));
    v = _mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi32(0xFFFF)),
                        _mm256_sll_epi32(_mm256_srli_epi32(v, 16), count(2 * width)));
    v = _mm256_or_si256(_mm256_blend_epi32(v, L::zero(), 0xAA),
                        _mm256_sll_epi64(_mm256_srli_epi64(v, 32), count(4 * width)));
    std::uint64_t packed[4];
    L::store(reinterpret_cast<std::uint8_t*>(packed), v);
    for (const std::uint64_t eight_words : packed) {
      std::memcpy(out, &eight_words, 8);
      out += width;
    }
  }
}

template <class L>
void unpack_by_bytes(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  using W = UnpackedWord<L>;
  constexpr unsigned per_run = unpack_vectors<W>;
  const unsigned bits = words_per_unpacked<L> * width;
  for (unsigned k = 0; k < vectors; k += per_run, in += bits) {
    for (unsigned i = 0; i < per_run; ++i) {
      const UnpackControls<W>& c = unpack_table<W>[bits][i];
      const __m256i packed = L::load(in + half_byte<W>(bits, 2 * i), in + half_byte<W>(bits, 2 * i + 1));
      const __m256i bytes = _mm256_shuffle_epi8(packed, L::load(c.byte.data()));
      const __m256i shift = L::load(reinterpret_cast<const std::uint8_t*>(c.shift.data()));
      words[k + i] = L::split(Lanes<8 * sizeof(W)>::shift_right(bytes, shift), width);
    }
  }
}

/// Words that are so wide that each begins in the packed word before its own, or with its own.
template <class L>
void unpack_by_words(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  using W = typename L::Word;
  constexpr unsigned per_run = unpack_vectors<W>;
  const __m256i low = L::low_bits(width);
  for (unsigned k = 0; k < vectors; k += per_run, in += width) {
    for (unsigned i = 0; i < per_run; ++i) {
      const __m256i left =
          L::load(reinterpret_cast<const std::uint8_t*>(wide_shift_table<W>[width][i].data()));
      const __m256i right = L::sub(L::set(L::word_bits), left);
      const std::uint8_t* const half[2] = {in + wide_half_byte<W>(width, 2 * i),
                                           in + wide_half_byte<W>(width, 2 * i + 1)};
      const __m256i before = L::shift_right(L::load(half[0] - sizeof(W), half[1] - sizeof(W)), right);
      const __m256i own = L::shift_left(L::load(half[0], half[1]), left);
      words[k + i] = _mm256_and_si256(_mm256_or_si256(before, own), low);
    }
  }
}

#include "chunks/cpu/subchunk_packing.inl"

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
