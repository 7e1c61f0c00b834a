// A sub-chunk of 32 words is four vectors of 64-bit words or two of 32-bit words. Byte counts come from leading-zero counts; one byte
// compression per vector drops the leading zero bytes, one byte expansion puts them back.
#include "backend/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <array>
#include <cstring>

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "backend/cpu/avx512/traffic.hpp"
#include "core/chunk.hpp"
#include "stages/byte_pack.hpp"
#include "stages/lane_delta.hpp"

namespace floe::cpu::avx512 {
namespace {

using stages::lanes;
constexpr std::size_t code_bytes = lanes / 2;

/// Bytes that follow each of the sixteen codes.
template <core::Word W>
inline constexpr std::array<std::uint8_t, 64> payload_bytes_of_code = [] {
  std::array<std::uint8_t, 64> bytes{};
  for (unsigned i = 0; i < 64; ++i) bytes[i] = static_cast<std::uint8_t>(stages::BytePack::payload_bytes<W>(i % 16));
  return bytes;
}();

}  // namespace
}  // namespace floe::cpu::avx512

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

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
  /// Codes of residuals r with magnitudes m, one per word, in bytes.
  static __m128i codes(__m512i r, __m512i m) {
    const __m512i bytes = _mm512_srli_epi64(_mm512_sub_epi64(_mm512_set1_epi64(64 + 7), _mm512_lzcnt_epi64(m)), 3);
    // 0 1 2 3 ... 8 bytes have the length codes 0 1 2 2 ... 7.
    const __m512i code = _mm512_mask_sub_epi64(bytes, _mm512_cmpgt_epi64_mask(bytes, _mm512_set1_epi64(2)), bytes, _mm512_set1_epi64(1));
    return _mm512_cvtepi64_epi8(_mm512_or_si512(code, _mm512_slli_epi64(_mm512_srli_epi64(r, 63), 3)));
  }
  /// The word in `index[k]` of the 32 words before; `near`: all are in the last vector.
  static __m512i predict(const __m512i* before, const __m512i& index, bool near) {
    if (near) return _mm512_permutexvar_epi64(index, before[3]);
    const __m512i low = _mm512_permutex2var_epi64(before[0], index, before[1]),
                  high = _mm512_permutex2var_epi64(before[2], index, before[3]);
    return _mm512_mask_blend_epi64(_mm512_cmpge_epi64_mask(index, _mm512_set1_epi64(16)), low, high);
  }
  /// One byte per word to all bytes of the word.
  static __m512i spread(__m128i bytes) {
    const __m512i wide = _mm512_cvtepu8_epi64(bytes);
    return _mm512_shuffle_epi8(wide, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
  }
  static __m512i byte_index() { return _mm512_set1_epi64(0x0706050403020100); }
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
  static __m128i codes(__m512i r, __m512i m) {
    const __m512i bytes = _mm512_srli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(32 + 7), _mm512_lzcnt_epi32(m)), 3);
    return _mm512_cvtepi32_epi8(_mm512_or_si512(bytes, _mm512_slli_epi32(_mm512_srli_epi32(r, 31), 3)));
  }
  static __m512i predict(const __m512i* before, const __m512i& index, bool) {
    return _mm512_permutex2var_epi32(before[0], index, before[1]);
  }
  static __m512i spread(__m128i bytes) {
    const __m512i wide = _mm512_cvtepu8_epi32(bytes);
    return _mm512_shuffle_epi8(wide, _mm512_set4_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0));
  }
  static __m512i byte_index() { return _mm512_set1_epi32(0x03020100); }
};

/// The predictions of a sub-chunk from the one before.
template <core::Word W>
class Predictor {
 public:
  using V = Words<W>;
  explicit Predictor(unsigned dimensionality) : near_(dimensionality <= 64 / sizeof(W)) {
    for (unsigned lane = 0; lane < lanes; ++lane) index_[lane] = stages::LaneDelta::source_lane(lane, dimensionality);
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

/// Which bytes of a vector are stored, from the codes of its words.
template <core::Word W>
__mmask64 stored_bytes(__m128i codes) {
  const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(payload_bytes_of_code<W>.data()));
  const __m128i counts = _mm_shuffle_epi8(table, _mm_and_si128(codes, _mm_set1_epi8(15)));
  return _mm512_cmplt_epu8_mask(Words<W>::byte_index(), Words<W>::spread(counts));
}

std::uint64_t popcount(std::uint64_t bits) { return static_cast<std::uint64_t>(_mm_popcnt_u64(bits)); }

/// Writes one sub-chunk and returns its bytes; may overshoot by 64 bytes.
template <core::Word W>
std::size_t encode_subchunk(const std::uint8_t* words, Predictor<W>& predictor, std::uint8_t* out) {
  using V = Words<W>;
  __m512i now[V::vectors];
  alignas(32) std::uint8_t codes[lanes];
  std::uint8_t* position = out + code_bytes;
  for (unsigned v = 0; v < V::vectors; ++v) {
    now[v] = _mm512_loadu_si512(words + 64 * v);
    const __m512i residual = V::sub(now[v], predictor.predict(v)), magnitude = V::abs(residual);
    const __m128i code = V::codes(residual, magnitude);
    if constexpr (sizeof(W) == 8) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(codes + 8 * v), code);
    } else {
      _mm_store_si128(reinterpret_cast<__m128i*>(codes + 16 * v), code);
    }
    const __mmask64 stored = stored_bytes<W>(code);
    _mm512_storeu_si512(position, _mm512_maskz_compress_epi8(stored, magnitude));
    position += popcount(stored);
  }
  predictor.set_before(now);
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(codes)), _mm256_set1_epi16(0x1001));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtepi16_epi8(pairs));
  return static_cast<std::size_t>(position - out);
}

/// Restores one sub-chunk and returns the end of what it read; nothing if that would be behind `end`.
template <core::Word W>
const std::uint8_t* decode_subchunk(const std::uint8_t* in, const std::uint8_t* end, Predictor<W>& predictor, std::uint8_t* out) {
  using V = Words<W>;
  if (static_cast<std::size_t>(end - in) < code_bytes) return nullptr;
  const __m256i pairs = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
  const __m256i odd = _mm256_slli_epi16(_mm256_and_si256(pairs, _mm256_set1_epi16(0xF0)), 4);
  const __m256i codes = _mm256_or_si256(_mm256_and_si256(pairs, _mm256_set1_epi16(0x0F)), odd);
  const auto negative = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(codes, 4)));
  alignas(32) std::uint8_t code[lanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(code), codes);
  in += code_bytes;

  __m512i words[V::vectors];
  for (unsigned v = 0; v < V::vectors; ++v) {
    constexpr unsigned words_per_vector = 64 / sizeof(W);
    const __m128i own = sizeof(W) == 8 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(code + words_per_vector * v))
                                       : _mm_load_si128(reinterpret_cast<const __m128i*>(code + words_per_vector * v));
    const __mmask64 stored = stored_bytes<W>(own);
    const std::uint64_t bytes = popcount(stored), rest = static_cast<std::uint64_t>(end - in);
    if (bytes > rest) return nullptr;
    const __m512i packed =
        rest >= 64 ? _mm512_loadu_si512(in) : _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(bytes)), in);
    const __m512i magnitude = _mm512_maskz_expand_epi8(stored, packed);
    words[v] = V::add(V::negate_where(magnitude, negative >> (words_per_vector * v)), predictor.predict(v));
    _mm512_storeu_si512(out + 64 * v, words[v]);
    in += bytes;
  }
  predictor.set_before(words);
  return in;
}

#include "backend/cpu/gfc.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {

std::size_t Kernels<Isa::avx512>::encode_gfc64(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality,
                                               core::MemoryTraffic* traffic) noexcept {
  return avx512::encode<std::uint64_t>(chunk, out, dimensionality, traffic);
}
std::size_t Kernels<Isa::avx512>::encode_gfc32(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality,
                                               core::MemoryTraffic* traffic) noexcept {
  return avx512::encode<std::uint32_t>(chunk, out, dimensionality, traffic);
}
bool Kernels<Isa::avx512>::decode_gfc64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                                        unsigned dimensionality, core::MemoryTraffic* traffic) noexcept {
  return avx512::decode<std::uint64_t>(payload, payload_bytes, chunk, dimensionality, traffic);
}
bool Kernels<Isa::avx512>::decode_gfc32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                                        unsigned dimensionality, core::MemoryTraffic* traffic) noexcept {
  return avx512::decode<std::uint32_t>(payload, payload_bytes, chunk, dimensionality, traffic);
}

}  // namespace floe::cpu
FLOE_AVX512_END
#endif
