// A sub-chunk of 32 words is four vectors of 64-bit words or two of 32-bit words. Byte counts come from
// leading-zero counts; one byte compression per vector drops the leading zero bytes, one byte expansion puts
// them back. Which bytes are stored is told by shifting ones out of whole words; codes and counts are
// calculated with for all words of a sub-chunk at once, as bytes.
#include "chunks/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <array>
#include <cstring>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/output_past_caches.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::avx512 {
namespace {

using stages::lanes;
constexpr std::size_t code_bytes = lanes / 2;

/// Bytes that follow each of the sixteen codes.
template <core::Word W>
inline constexpr std::array<std::uint8_t, 16> payload_bytes_of_code = [] {
  std::array<std::uint8_t, 16> bytes{};
  for (unsigned i = 0; i < 16; ++i)
    bytes[i] = static_cast<std::uint8_t>(stages::BytePack::payload_bytes<W>(i));
  return bytes;
}();

/// Where the byte of each of 32 words is when vector v holds those of its lanes in byte v: lane by lane.
template <core::Word W>
inline constexpr std::array<std::uint8_t, 32> byte_of_word = [] {
  constexpr unsigned vectors = lanes * sizeof(W) / 64, words_per_vector = lanes / vectors;
  std::array<std::uint8_t, 32> index{};
  for (unsigned i = 0; i < lanes; ++i)
    index[i] = static_cast<std::uint8_t>(i % words_per_vector * vectors + i / words_per_vector);
  return index;
}();

}  // namespace
}  // namespace floe::cpu::avx512

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr int sign_bit = 16;  // of a byte that also holds a number up to 8

/// What differs between words of 64 and 32 bits.
template <core::Word W>
struct Words;

template <>
struct Words<std::uint64_t> {
  static constexpr unsigned vectors = 4;
  static __m512i sub(__m512i a, __m512i b) { return _mm512_sub_epi64(a, b); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }
  static __m512i abs(__m512i a) { return _mm512_abs_epi64(a); }
  static __m512i negate_where(__m512i a, __mmask64 negative_lanes) {
    return _mm512_mask_sub_epi64(a, static_cast<__mmask8>(negative_lanes), _mm512_setzero_si512(), a);
  }
  /// Leading zeros of the words, eighths of them in a lane that has room for a sign, and that sign.
  static __m512i leading_zeros(__m512i m) { return _mm512_lzcnt_epi64(m); }
  static __m512i zero_bytes_and_sign(__m512i zeros, __m512i r) {
    return _mm512_ternarylogic_epi64(_mm512_srli_epi64(zeros, 3), _mm512_srli_epi64(r, 59),
                                     _mm512_set1_epi64(sign_bit), 0xF8);
  }
  /// All ones in the bytes of a word that are stored: those that are no leading zeros, but three for two.
  static __m512i stored_bytes(__m512i zeros) {
    const __m512i used =
        _mm512_srlv_epi64(_mm512_set1_epi64(-1), _mm512_and_si512(zeros, _mm512_set1_epi64(~7)));
    return _mm512_ternarylogic_epi64(used, _mm512_slli_epi64(used, 8), _mm512_set1_epi64(0xFF0000), 0xF8);
  }
  /// The bytes of all vectors, byte v of each lane for vector v.
  static __m256i join_bytes(const __m512i* v) {
    const __m512i even = _mm512_or_si512(v[0], _mm512_slli_epi64(v[2], 16)),
                  odd = _mm512_or_si512(v[1], _mm512_slli_epi64(v[3], 16));
    return _mm512_cvtepi64_epi32(_mm512_or_si512(even, _mm512_slli_epi64(odd, 8)));
  }
  /// The length codes of 0 to 8 bytes are 0 1 2 2 3 ... 7.
  static __m256i length_codes(__m256i bytes) {
    return _mm256_max_epi8(_mm256_sub_epi8(bytes, _mm256_set1_epi8(1)),
                           _mm256_min_epi8(bytes, _mm256_set1_epi8(2)));
  }
  /// The word in `index[k]` of the 32 words before; `near`: all are in the last vector.
  static __m512i predict(const __m512i* before, const __m512i& index, bool near) {
    if (near) return _mm512_permutexvar_epi64(index, before[3]);
    const __m512i low = _mm512_permutex2var_epi64(before[0], index, before[1]),
                  high = _mm512_permutex2var_epi64(before[2], index, before[3]);
    return _mm512_mask_blend_epi64(_mm512_cmpge_epi64_mask(index, _mm512_set1_epi64(16)), low, high);
  }
  /// All ones shifted right by one byte per word.
  static __m512i shifted_ones(const std::uint8_t* counts) {
    const __m512i shifts = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(counts)));
    return _mm512_srlv_epi64(_mm512_set1_epi64(-1), shifts);
  }
};

template <>
struct Words<std::uint32_t> {
  static constexpr unsigned vectors = 2;
  static __m512i sub(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static __m512i abs(__m512i a) { return _mm512_abs_epi32(a); }
  static __m512i negate_where(__m512i a, __mmask64 negative_lanes) {
    return _mm512_mask_sub_epi32(a, static_cast<__mmask16>(negative_lanes), _mm512_setzero_si512(), a);
  }
  static __m512i leading_zeros(__m512i m) { return _mm512_lzcnt_epi32(m); }
  static __m512i zero_bytes_and_sign(__m512i zeros, __m512i r) {
    return _mm512_ternarylogic_epi64(_mm512_srli_epi32(zeros, 3), _mm512_srli_epi32(r, 27),
                                     _mm512_set1_epi32(sign_bit), 0xF8);
  }
  static __m512i stored_bytes(__m512i zeros) {
    return _mm512_srlv_epi32(_mm512_set1_epi32(-1), _mm512_and_si512(zeros, _mm512_set1_epi32(~7)));
  }
  static __m256i join_bytes(const __m512i* v) {
    return _mm512_cvtepi32_epi16(_mm512_or_si512(v[0], _mm512_slli_epi32(v[1], 8)));
  }
  static __m256i length_codes(__m256i bytes) { return bytes; }
  static __m512i predict(const __m512i* before, const __m512i& index, bool) {
    return _mm512_permutex2var_epi32(before[0], index, before[1]);
  }
  static __m512i shifted_ones(const std::uint8_t* counts) {
    const __m512i shifts = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(counts)));
    return _mm512_srlv_epi32(_mm512_set1_epi32(-1), shifts);
  }
};

/// The predictions of a sub-chunk from the one before.
template <core::Word W>
class Predictor {
 public:
  using V = Words<W>;
  explicit Predictor(unsigned dimensionality) : near_(dimensionality <= 64 / sizeof(W)) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      index_[lane] = stages::LaneDelta::source_lane(lane, dimensionality);
    for (__m512i& vector : before_) vector = _mm512_setzero_si512();
  }
  __m512i predict(unsigned vector) const {
    return V::predict(before_, _mm512_loadu_si512(index_.data() + vector * (64 / sizeof(W))), near_);
  }
  void set_before(const __m512i* words) {
    for (unsigned v = 0; v < V::vectors; ++v) before_[v] = words[v];
  }

 private:
  std::array<W, lanes> index_;
  __m512i before_[V::vectors];
  bool near_;
};

std::uint64_t popcount(std::uint64_t bits) { return static_cast<std::uint64_t>(_mm_popcnt_u64(bits)); }

/// The codes of a sub-chunk's words, two in a byte, from their numbers of leading zero bytes and their signs.
template <core::Word W>
__m128i paired_codes(const __m512i* zero_bytes_and_signs) {
  using V = Words<W>;
  const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(byte_of_word<W>.data()));
  const __m256i bytes = _mm256_permutexvar_epi8(order, V::join_bytes(zero_bytes_and_signs));
  const __m256i stored =
      _mm256_sub_epi8(_mm256_set1_epi8(sizeof(W)), _mm256_and_si256(bytes, _mm256_set1_epi8(sign_bit - 1)));
  const __m256i signs = _mm256_and_si256(_mm256_srli_epi16(bytes, 1), _mm256_set1_epi8(sign_bit / 2));
  const __m256i pairs =
      _mm256_maddubs_epi16(_mm256_or_si256(V::length_codes(stored), signs), _mm256_set1_epi16(0x1001));
  return _mm256_cvtepi16_epi8(pairs);
}

/// Writes one sub-chunk and returns its bytes; may overshoot by 64 bytes.
template <core::Word W>
std::size_t encode_subchunk(const std::uint8_t* words, Predictor<W>& predictor, std::uint8_t* out) {
  using V = Words<W>;
  __m512i now[V::vectors], zero_bytes_and_signs[V::vectors];
  std::uint8_t* position = out + code_bytes;
  for (unsigned v = 0; v < V::vectors; ++v) {
    now[v] = _mm512_loadu_si512(words + 64 * v);
    const __m512i residual = V::sub(now[v], predictor.predict(v)), magnitude = V::abs(residual);
    const __m512i zeros = V::leading_zeros(magnitude);
    zero_bytes_and_signs[v] = V::zero_bytes_and_sign(zeros, residual);
    const __mmask64 stored = _mm512_movepi8_mask(V::stored_bytes(zeros));
    _mm512_storeu_si512(position, _mm512_maskz_compress_epi8(stored, magnitude));
    position += popcount(stored);
  }
  predictor.set_before(now);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), paired_codes<W>(zero_bytes_and_signs));
  return static_cast<std::size_t>(position - out);
}

/// Restores one sub-chunk and returns the end of what it read; nothing if that would be behind `end`. That
/// end is known early, so that the next sub-chunk need not wait for this one.
template <core::Word W, class Output>
const std::uint8_t* decode_subchunk(const std::uint8_t* in, const std::uint8_t* end, Predictor<W>& predictor,
                                    Output& out) {
  using V = Words<W>;
  if (static_cast<std::size_t>(end - in) < code_bytes) return nullptr;
  const __m128i pairs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in)), nibble = _mm_set1_epi8(15);
  const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(payload_bytes_of_code<W>.data()));
  const __m128i even = _mm_shuffle_epi8(table, _mm_and_si128(pairs, nibble));
  const __m128i odd = _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(pairs, 4), nibble));
  const __m128i sums = _mm_sad_epu8(_mm_add_epi8(even, odd), _mm_setzero_si128());
  const auto bytes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums) + _mm_extract_epi64(sums, 1));
  in += code_bytes;
  if (bytes > static_cast<std::uint64_t>(end - in)) return nullptr;

  // A vector of ones, shifted by the bytes that a word lacks, has them where the word's bytes are.
  const __m128i word_bits = _mm_set1_epi8(8 * sizeof(W));
  alignas(32) std::uint8_t shifts[lanes];
  const auto shifts_of = [&](__m128i counts) { return _mm_sub_epi8(word_bits, _mm_slli_epi16(counts, 3)); };
  _mm_store_si128(reinterpret_cast<__m128i*>(shifts), shifts_of(_mm_unpacklo_epi8(even, odd)));
  _mm_store_si128(reinterpret_cast<__m128i*>(shifts + 16), shifts_of(_mm_unpackhi_epi8(even, odd)));
  const __m128i even_signs =
      _mm_slli_epi16(pairs, 4);  // in the upper bits of bytes; those of odd words are there already
  const auto negative = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_unpacklo_epi8(even_signs, pairs))) |
                        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_unpackhi_epi8(even_signs, pairs)))
                            << 16;

  const std::uint8_t* position = in;
  __m512i words[V::vectors];
  for (unsigned v = 0; v < V::vectors; ++v) {
    constexpr unsigned words_per_vector = 64 / sizeof(W);
    const __mmask64 stored = _mm512_movepi8_mask(V::shifted_ones(shifts + words_per_vector * v));
    const std::uint64_t count = popcount(stored);
    const __m512i packed =
        end - position >= 64
            ? _mm512_loadu_si512(position)
            : _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), position);
    const __m512i magnitude = _mm512_maskz_expand_epi8(stored, packed);
    words[v] = V::add(V::negate_where(magnitude, negative >> (words_per_vector * v)), predictor.predict(v));
    out.put(words[v]);
    position += count;
  }
  predictor.set_before(words);
  return in + bytes;
}

#include "chunks/cpu/gfc.inl"

template <core::Word W>
bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
            unsigned dimensionality, core::MemoryOverlap* overlap) {
  return decode_with_output(chunk, overlap, [&](auto& out) {
    return decode_to<W>(out, payload, payload_bytes, dimensionality, overlap);
  });
}

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx512, GfcPipeline, std::uint32_t,
                   encode<std::uint32_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode<std::uint32_t>(payload, payload_bytes, chunk, context.parameters.dimensionality,
                                         context.overlap))
FLOE_DEFINE_KERNEL(avx512, GfcPipeline, std::uint64_t,
                   encode<std::uint64_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode<std::uint64_t>(payload, payload_bytes, chunk, context.parameters.dimensionality,
                                         context.overlap))
}  // namespace floe::cpu
FLOE_AVX512_END
#endif
