// gfc with AVX2: byte masks of zero bytes give the length codes of a sub-chunk, these give table indexes, one
// per 16 bytes of words, and one shuffle drops the leading zero bytes of 16 bytes or puts them back.
#include "chunks/cpu/avx2/kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstring>

#include "chunks/cpu/avx2/overlap.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/avx2/words32.hpp"
#include "chunks/cpu/byte_moves.hpp"
#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

using stages::lanes;
constexpr std::size_t code_bytes = lanes / 2;

__m128i load16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
void store16(void* to, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }

/// Bit b: byte b of the vector is not zero.
std::uint64_t nonzero_bytes(__m256i v) {
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
}

/// Of all vectors of a sub-chunk, one after the other: which bytes are not zero, and which words are
/// negative.
struct ByteMasks {
  std::uint64_t nonzero[4] = {}, negative[2] = {};

  void add(unsigned vector, std::uint64_t nonzero_of_vector, std::uint64_t negative_of_vector,
           unsigned negative_bits) {
    nonzero[vector / 2] |= nonzero_of_vector << (vector % 2 * 32);
    const unsigned bit = vector * negative_bits;
    negative[bit / 64] |= negative_of_vector << (bit % 64);
  }
  static __m128i pair(std::uint64_t lower, std::uint64_t upper) {
    return _mm_set_epi64x(static_cast<long long>(upper), static_cast<long long>(lower));
  }
};

/// The codes of a sub-chunk's words as they are stored, and the table index of each 16 bytes of words.
template <core::Word W>
struct Codes {
  static constexpr unsigned block_count = lanes * sizeof(W) / 16;
  __m128i stored;
  std::uint16_t index[block_count];
};

/// What differs between words of 32 and 64 bits.
template <core::Word W>
struct Words;

template <>
struct Words<std::uint32_t> {
  static __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
  static __m256i abs(__m256i a) { return _mm256_abs_epi32(a); }
  static constexpr unsigned sign_bits = 32;
  /// The signs of a vector in the positions of its bits of nonzero_bytes that belong to a word's upper byte.
  static std::uint64_t signs(__m256i residual) {
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_and_si256(residual, _mm256_set1_epi32(INT32_MIN))));
  }

  /// In both masks a word has four bits, and so has its code.
  static Codes<std::uint32_t> codes(const ByteMasks& of) {
    const __m128i masks = ByteMasks::pair(of.nonzero[0], of.nonzero[1]),
                  signs = ByteMasks::pair(of.negative[0], of.negative[1]);
    // By the nonzero bytes of a word.
    const __m128i lengths = _mm_setr_epi8(0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4);
    const __m128i times_5 = _mm_setr_epi8(0, 5, 10, 10, 15, 15, 15, 15, 20, 20, 20, 20, 20, 20, 20, 20);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i even = _mm_and_si128(masks, nibble), odd = _mm_and_si128(_mm_srli_epi16(masks, 4), nibble);
    const __m128i even_lengths = _mm_shuffle_epi8(lengths, even),
                  odd_lengths = _mm_shuffle_epi8(lengths, odd);
    const __m128i pairs = _mm_add_epi8(even_lengths, _mm_shuffle_epi8(times_5, odd));
    Codes<std::uint32_t> result;
    result.stored = _mm_or_si128(signs, _mm_or_si128(even_lengths, _mm_slli_epi16(odd_lengths, 4)));
    store16(result.index, _mm_maddubs_epi16(pairs, _mm_set1_epi16(25 << 8 | 1)));
    return result;
  }
  static Codes<std::uint32_t> codes(__m128i stored, std::size_t& payload_bytes) {
    const __m128i lengths = _mm_setr_epi8(0, 1, 2, 3, 4, 4, 4, 4, 0, 1, 2, 3, 4, 4, 4, 4);
    const __m128i times_5 = _mm_setr_epi8(0, 5, 10, 15, 20, 20, 20, 20, 0, 5, 10, 15, 20, 20, 20, 20);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i even = _mm_and_si128(stored, nibble),
                  odd = _mm_and_si128(_mm_srli_epi16(stored, 4), nibble);
    const __m128i even_lengths = _mm_shuffle_epi8(lengths, even);
    const __m128i sums =
        _mm_sad_epu8(_mm_add_epi8(even_lengths, _mm_shuffle_epi8(lengths, odd)), _mm_setzero_si128());
    payload_bytes = static_cast<std::size_t>(_mm_cvtsi128_si64(sums) + _mm_extract_epi64(sums, 1));
    Codes<std::uint32_t> result;
    result.stored = stored;
    const __m128i pairs = _mm_add_epi8(even_lengths, _mm_shuffle_epi8(times_5, odd));
    store16(result.index, _mm_maddubs_epi16(pairs, _mm_set1_epi16(25 << 8 | 1)));
    return result;
  }
  /// Words from magnitudes and the codes of their sub-chunk.
  static __m256i with_sign(__m256i magnitude, const std::uint8_t* stored_codes, unsigned vector) {
    std::int32_t codes;
    std::memcpy(&codes, stored_codes + 4 * vector, 4);
    const __m256i sign =
        _mm256_sllv_epi32(_mm256_set1_epi32(codes), _mm256_setr_epi32(28, 24, 20, 16, 12, 8, 4, 0));
    return _mm256_sign_epi32(magnitude,
                             _mm256_or_si256(sign, _mm256_set1_epi32(1)));  // never 0, which would give 0
  }
};

template <>
struct Words<std::uint64_t> {
  static __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi64(a, b); }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
  static __m256i negate_where(__m256i a, __m256i mask) {
    return _mm256_sub_epi64(_mm256_xor_si256(a, mask), mask);
  }
  static __m256i abs(__m256i a) {
    return negate_where(a, _mm256_shuffle_epi32(_mm256_srai_epi32(a, 31), 0xF5));
  }
  static constexpr unsigned sign_bits = 4;
  /// One bit per word.
  static std::uint64_t signs(__m256i residual) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(residual)));
  }

  /// A word has eight bits of `nonzero` and one of `negative`.
  static Codes<std::uint64_t> codes(const ByteMasks& of) {
    const __m256i mask = _mm256_set_m128i(ByteMasks::pair(of.nonzero[2], of.nonzero[3]),
                                          ByteMasks::pair(of.nonzero[0], of.nonzero[1]));
    const __m256i nibble = _mm256_set1_epi8(15);
    // By the nonzero ones of the four lower and the four upper bytes.
    const __m256i lower = twice(_mm_setr_epi8(0, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    const __m256i upper = twice(_mm_setr_epi8(0, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7));
    const __m256i lengths =
        _mm256_max_epu8(_mm256_shuffle_epi8(lower, _mm256_and_si256(mask, nibble)),
                        _mm256_shuffle_epi8(upper, _mm256_and_si256(_mm256_srli_epi16(mask, 4), nibble)));
    const __m256i code = _mm256_or_si256(
        lengths,
        _mm256_and_si256(bytes_of_bits(static_cast<std::uint32_t>(of.negative[0])), _mm256_set1_epi8(8)));
    const __m256i pairs = _mm256_maddubs_epi16(code, _mm256_set1_epi16(16 << 8 | 1));
    Codes<std::uint64_t> result;
    result.stored = _mm_packus_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    store256(result.index, _mm256_maddubs_epi16(lengths, _mm256_set1_epi16(8 << 8 | 1)));
    return result;
  }
  static Codes<std::uint64_t> codes(__m128i stored, std::size_t& payload_bytes) {
    const __m128i lengths = _mm_setr_epi8(0, 1, 3, 4, 5, 6, 7, 8, 0, 1, 3, 4, 5, 6, 7, 8),
                  nibble = _mm_set1_epi8(15);
    const __m128i even = _mm_and_si128(stored, nibble),
                  odd = _mm_and_si128(_mm_srli_epi16(stored, 4), nibble);
    const __m128i sums = _mm_sad_epu8(
        _mm_add_epi8(_mm_shuffle_epi8(lengths, even), _mm_shuffle_epi8(lengths, odd)), _mm_setzero_si128());
    payload_bytes = static_cast<std::size_t>(_mm_cvtsi128_si64(sums) + _mm_extract_epi64(sums, 1));
    Codes<std::uint64_t> result;
    result.stored = stored;
    const __m128i without_signs = _mm_and_si128(stored, _mm_set1_epi8(0x77));
    // Bits 0 to 2 and 4 to 6 of a byte become its index.
    const __m256i wide = _mm256_cvtepu8_epi16(without_signs);
    store256(result.index,
             _mm256_or_si256(_mm256_and_si256(wide, _mm256_set1_epi16(7)),
                             _mm256_and_si256(_mm256_srli_epi16(wide, 1), _mm256_set1_epi16(7 << 3))));
    return result;
  }
  static __m256i with_sign(__m256i magnitude, const std::uint8_t* stored_codes, unsigned vector) {
    std::int64_t codes;
    std::memcpy(&codes, stored_codes + vector / 4 * 8, 8);
    const __m256i shift =
        _mm256_sub_epi64(_mm256_setr_epi64x(60, 56, 52, 48), _mm256_set1_epi64x(vector % 4 * 16));
    const __m256i sign = _mm256_sllv_epi64(_mm256_set1_epi64x(codes), shift);
    return negate_where(magnitude, _mm256_cmpgt_epi64(_mm256_setzero_si256(), sign));
  }

 private:
  static __m256i twice(__m128i v) { return _mm256_broadcastsi128_si256(v); }
  /// Bit i to all bits of byte i.
  static __m256i bytes_of_bits(std::uint32_t bits) {
    const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
                                          2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
  }
};

template <core::Word W>
constexpr unsigned vectors = lanes * sizeof(W) / 32;

/// The predictions of a sub-chunk, made from the one before: up to a vector of words by permuting it, more by
/// gathering them. Where a vector holds whole tuples, all vectors have the same predictions.
template <core::Word W>
class Predictor {
 public:
  explicit Predictor(unsigned dimensionality)
      : gathers_(dimensionality > words_per_vector),
        count_(words_per_vector % dimensionality == 0 ? 1 : vectors<W>) {
    constexpr unsigned parts = sizeof(W) / 4,
                       first_of_last_vector = 8 * (vectors<W> - 1);  // words of 64 bits move in two parts
    for (unsigned part = 0; part < index_.size(); ++part) {
      index_[part] = parts * stages::LaneDelta::source_lane(part / parts, dimensionality) + part % parts;
      if (!gathers_) index_[part] -= first_of_last_vector;
    }
  }
  [[nodiscard]] __m256i predict(unsigned vector) const {
    return load256(predictions_ + (count_ == 1 ? 0 : 32 * vector));
  }
  void set_before(const std::uint8_t* words) {
    if (gathers_) [[unlikely]] {
      for (unsigned v = 0; v < vectors<W>; ++v) {
        store256(predictions_ + 32 * v, _mm256_i32gather_epi32(reinterpret_cast<const int*>(words),
                                                               load256(index_.data() + 8 * v), 4));
      }
      return;
    }
    const __m256i last = load256(words + 32 * (vectors<W> - 1));
#pragma GCC unroll 1
    for (unsigned v = 0; v < count_; ++v) {
      store256(predictions_ + 32 * v, _mm256_permutevar8x32_epi32(last, load256(index_.data() + 8 * v)));
    }
  }

 private:
  static constexpr unsigned words_per_vector = 32 / sizeof(W);
  std::array<std::uint32_t, 8 * vectors<W>> index_;
  alignas(32) std::uint8_t predictions_[32 * vectors<W>] = {};  // zeros before the first sub-chunk
  bool gathers_;
  unsigned count_;  ///< Of vectors with different predictions.
};

/// Writes one sub-chunk and returns its bytes; may overshoot by 16 bytes.
template <core::Word W>
std::size_t encode_subchunk(const std::uint8_t* words, Predictor<W>& predictor, std::uint8_t* out) {
  using V = Words<W>;
  alignas(32) std::uint8_t magnitudes[lanes * sizeof(W)];
  ByteMasks masks;
#pragma GCC unroll 8
  for (unsigned v = 0; v < vectors<W>; ++v) {
    const __m256i residual = V::sub(load256(words + 32 * v), predictor.predict(v)),
                  magnitude = V::abs(residual);
    store256(magnitudes + 32 * v, magnitude);
    masks.add(v, nonzero_bytes(magnitude), V::signs(residual), V::sign_bits);
  }
  predictor.set_before(words);
  const Codes<W> codes = V::codes(masks);
  store16(out, codes.stored);
  std::uint8_t* position = out + code_bytes;
#pragma GCC unroll 4  // but not to the end: then indexes and magnitudes would be taken out of vectors instead
                      // of loaded
  for (unsigned block = 0; block < Codes<W>::block_count; ++block) {
    const unsigned index = codes.index[block];
    const __m128i move =
        _mm_load_si128(reinterpret_cast<const __m128i*>(byte_moves<W>.drop[index].from.data()));
    store16(position, _mm_shuffle_epi8(load16(magnitudes + 16 * block), move));
    position += byte_moves<W>.stored_bytes[index];
  }
  return static_cast<std::size_t>(position - out);
}

/// Restores one sub-chunk, moves `words` behind it, and returns the end of what it read; nothing if that
/// would be behind `end`.
template <core::Word W>
const std::uint8_t* decode_subchunk(const std::uint8_t* in, const std::uint8_t* end, Predictor<W>& predictor,
                                    std::uint8_t*& words) {
  using V = Words<W>;
  const auto rest = static_cast<std::size_t>(end - in);
  if (rest < code_bytes) return nullptr;
  std::size_t payload_bytes;
  const Codes<W> codes = V::codes(load16(in), payload_bytes);
  if (rest < code_bytes + payload_bytes) return nullptr;

  std::uint8_t copy[lanes * sizeof(W) + 16];  // for loads of 16 bytes that would reach behind the end
  const std::uint8_t* position = in + code_bytes;
  if (rest < code_bytes + payload_bytes + 16) [[unlikely]] {
    std::memcpy(copy, position, payload_bytes);
    position = copy;
  }
  for (unsigned v = 0; v < vectors<W>; ++v) {
    __m128i half[2];
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned index = codes.index[2 * v + i];
      const __m128i move =
          _mm_load_si128(reinterpret_cast<const __m128i*>(byte_moves<W>.restore[index].from.data()));
      half[i] = _mm_shuffle_epi8(load16(position), move);
      position += byte_moves<W>.stored_bytes[index];
    }
    const __m256i residual = V::with_sign(_mm256_set_m128i(half[1], half[0]), in, v);
    store256(words + 32 * v, V::add(residual, predictor.predict(v)));
  }
  predictor.set_before(words);
  words += lanes * sizeof(W);
  return in + code_bytes + payload_bytes;
}

#include "chunks/cpu/gfc.inl"

}  // namespace
}  // namespace floe::cpu::avx2

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx2, GfcPipeline, std::uint32_t,
                   encode<std::uint32_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode_to<std::uint32_t>(chunk, payload, payload_bytes, context.parameters.dimensionality,
                                            context.overlap))
FLOE_DEFINE_KERNEL(avx2, GfcPipeline, std::uint64_t,
                   encode<std::uint64_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode_to<std::uint64_t>(chunk, payload, payload_bytes, context.parameters.dimensionality,
                                            context.overlap))
}  // namespace floe::cpu
FLOE_AVX2_END
#endif
