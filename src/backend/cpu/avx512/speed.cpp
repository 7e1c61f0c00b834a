// spspeed and dpspeed with AVX-512: vectors of eight lanes of 64 bits, packed and unpacked with tables (bit_packing.hpp).
#include "backend/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/cpu/avx512/bit_packing.hpp"
#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "backend/cpu/avx512/words32.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr unsigned subchunks = core::subchunks_per_chunk;
constexpr std::size_t subchunk_bytes = core::chunk_bytes / subchunks;  // 512: eight vectors
constexpr unsigned vectors = subchunk_bytes / 64;

/// What words of 32 and 64 bits have in common.
struct Vectors {
  using Vector = __m512i;
  using Subchunk = Vector[vectors];
  static constexpr bool residuals_read_word_before = false;
  static __m512i load(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, __m512i v) { _mm512_storeu_si512(to, v); }
  static __m512i zero() { return _mm512_setzero_si512(); }
  static __m512i bit_or(__m512i a, __m512i b) { return _mm512_or_si512(a, b); }
  static std::uint64_t or_of(__m512i v) { return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(v)); }
};

/// What differs between them.
template <unsigned bits>
struct Lanes;

template <>
struct Lanes<32> : Vectors {
  static constexpr unsigned word_bits = 32;
  static constexpr unsigned lane_bits_per_width = 2;  // two words per 64-bit lane
  static constexpr unsigned width_field = 6;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = sub_previous32(now, before);
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) { return fold32(d); }
  static __m512i unfold(__m512i y) { return unfold32(y); }
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
  static std::uint64_t max_of(__m512i v) { return _mm512_reduce_max_epu32(v); }
  static __m512i low_bits(unsigned width) { return _mm512_set1_epi32(static_cast<int>((std::uint64_t{1} << width) - 1)); }
  static __m512i join(__m512i words, unsigned width) {
    const __m512i low = _mm512_set1_epi64(static_cast<long long>((std::uint64_t{1} << width) - 1));
    return _mm512_ternarylogic_epi64(low, words, _mm512_srlv_epi64(words, _mm512_set1_epi64(32 - width)), 0xCA);  // low ? words : shifted
  }
  static __m512i split(__m512i lane, unsigned width) {
    const __m512i upper = _mm512_sllv_epi64(lane, _mm512_set1_epi64(32 - width));
    return _mm512_and_si512(_mm512_mask_blend_epi32(0xAAAA, lane, upper), low_bits(width));
  }
  static __m512i prefix_sums(__m512i x, __m512i& carry) {
    const __m512i sums = prefix32(x), result = _mm512_add_epi32(sums, carry);
    carry = _mm512_add_epi32(carry, last32(sums));
    return result;
  }
  static __m512i narrow(const __m512i* v) {  // 64 words, all below 256, to bytes
    __m512i bytes = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(v[0]));
    bytes = _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[1]), 1);
    bytes = _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[2]), 2);
    return _mm512_inserti32x4(bytes, _mm512_cvtepi32_epi8(v[3]), 3);
  }
  static void widen(__m512i bytes, __m512i* v) {
    v[0] = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
    v[1] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 1));
    v[2] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 2));
    v[3] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes, 3));
  }
  static constexpr unsigned vectors_per_64_words = 4;
};

template <>
struct Lanes<64> : Vectors {
  static constexpr unsigned word_bits = 64;
  static constexpr unsigned lane_bits_per_width = 1;
  static constexpr unsigned width_field = 7;
  static __m512i residuals(const std::uint8_t* words, __m512i& before) {
    const __m512i now = load(words), d = _mm512_sub_epi64(now, _mm512_alignr_epi64(now, before, 7));
    before = now;
    return d;
  }
  static __m512i fold(__m512i d) { return _mm512_xor_si512(_mm512_add_epi64(d, d), _mm512_srai_epi64(d, 63)); }
  static __m512i unfold(__m512i y) {
    const __m512i sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(y, _mm512_set1_epi64(1)));
    return _mm512_xor_si512(_mm512_srli_epi64(y, 1), sign);
  }
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
  static std::uint64_t max_of(__m512i v) { return _mm512_reduce_max_epu64(v); }
  static __m512i low_bits(unsigned width) {
    return _mm512_set1_epi64(static_cast<long long>(width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1));
  }
  static __m512i join(__m512i words, unsigned) { return words; }
  static __m512i split(__m512i lane, unsigned width) { return _mm512_and_si512(lane, low_bits(width)); }
  static __m512i prefix_sums(__m512i x, __m512i& carry) {
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 7));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 6));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero(), 4));
    const __m512i result = _mm512_add_epi64(x, carry);
    carry = _mm512_add_epi64(carry, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x));
    return result;
  }
  static __m512i narrow(const __m512i* v) {
    std::uint64_t bytes[8];
    for (unsigned i = 0; i < 8; ++i) _mm_storel_epi64(reinterpret_cast<__m128i*>(bytes + i), _mm512_cvtepi64_epi8(v[i]));
    return _mm512_loadu_si512(bytes);
  }
  static void widen(__m512i bytes, __m512i* v) {
    std::uint64_t lanes[8];
    _mm512_storeu_si512(lanes, bytes);
    for (unsigned i = 0; i < 8; ++i) v[i] = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(lanes[i])));
  }
  static constexpr unsigned vectors_per_64_words = 8;
};

__m512i controls(const std::uint8_t* from) { return _mm512_load_si512(from); }
__m512i controls(const std::uint64_t* from) { return _mm512_load_si512(from); }

// ---- packing -------------------------------------------------------------------------------------------------------------------

/// `low` selects bits of `x`, the others come from `shifted`.
__m512i merge(__m512i low, __m512i x, __m512i shifted) { return _mm512_ternarylogic_epi64(low, x, shifted, 0xCA); }
__m128i shift_by(unsigned count) { return _mm_cvtsi32_si128(static_cast<int>(count)); }

/// Sixty-four bytes below 2^bits, bits < 8, to 8 * bits bytes.
__m512i pack_bytes(__m512i v, unsigned bits) {
  v = merge(_mm512_set1_epi16(static_cast<short>((1 << bits) - 1)), v, _mm512_srl_epi16(v, shift_by(8 - bits)));
  v = merge(_mm512_set1_epi32((1 << 2 * bits) - 1), v, _mm512_srl_epi32(v, shift_by(16 - 2 * bits)));
  v = merge(_mm512_set1_epi64((1ll << 4 * bits) - 1), v, _mm512_srl_epi64(v, shift_by(32 - 4 * bits)));
  return _mm512_permutexvar_epi8(controls(group_bytes_packed[bits].data()), v);
}

/// Writes a sub-chunk with `width` bits per word. May write up to 64 bytes past the end.
template <class L>
void pack(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  __m512i v[vectors];
  for (unsigned k = 0; k < vectors; ++k) v[k] = _mm512_load_si512(words + 64 * k);
  const unsigned lane_bits = L::lane_bits_per_width * width;
  if (fits_bytes(lane_bits)) [[likely]] {
    const PackControls& c = pack_table[lane_bits];
    const __m512i begin_shift = controls(c.begin_shift.data()), begin_byte = controls(c.begin_byte.data());
    const __m512i end_shift = controls(c.end_shift.data()), end_byte = controls(c.end_byte.data());
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i lanes = L::join(v[k], width);
      const __m512i begins = _mm512_maskz_permutexvar_epi8(c.begin_mask, begin_byte, _mm512_multishift_epi64_epi8(begin_shift, lanes));
      const __m512i ends = _mm512_maskz_permutexvar_epi8(c.end_mask, end_byte, _mm512_multishift_epi64_epi8(end_shift, lanes));
      _mm512_storeu_si512(out + k * lane_bits, _mm512_or_si512(begins, ends));
    }
  } else if (lane_bits >= smallest_crossing_bits) {
    const CrossControls& c = cross_pack_table[lane_bits - smallest_crossing_bits];
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i lanes = L::join(v[k], width);
      const __m512i first = _mm512_srlv_epi64(_mm512_permutexvar_epi64(controls(c.first.data()), lanes), controls(c.right.data()));
      const __m512i second = _mm512_sllv_epi64(_mm512_permutexvar_epi64(controls(c.second.data()), lanes), controls(c.left.data()));
      _mm512_storeu_si512(out + k * lane_bits, _mm512_or_si512(first, second));
    }
  } else if (width > 0) {
    for (unsigned k = 0; k < vectors; k += L::vectors_per_64_words) {
      _mm512_storeu_si512(out + k * lane_bits, pack_bytes(L::narrow(v + k), width));
    }
  }
}

// ---- unpacking -----------------------------------------------------------------------------------------------------------------

/// Reads the eight vectors of a sub-chunk. May read up to 64 bytes past the end.
template <class L>
void unpack(const std::uint8_t* in, unsigned width, typename L::Subchunk& v) {
  const unsigned lane_bits = L::lane_bits_per_width * width;
  if (fits_bytes(lane_bits)) [[likely]] {
    const UnpackControls& c = unpack_table<L::lane_bits_per_width == 2>[lane_bits];
    const __m512i byte = controls(c.byte.data()), shift = controls(c.shift.data()), low = L::low_bits(width);
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i bytes = _mm512_permutexvar_epi8(byte, _mm512_loadu_si512(in + k * lane_bits));
      v[k] = _mm512_and_si512(_mm512_multishift_epi64_epi8(shift, bytes), low);
    }
  } else if (lane_bits >= smallest_crossing_bits) {
    const CrossControls& c = cross_unpack_table[lane_bits - smallest_crossing_bits];
    for (unsigned k = 0; k < vectors; ++k) {
      const __m512i packed = _mm512_loadu_si512(in + k * lane_bits);
      const __m512i first = _mm512_srlv_epi64(_mm512_permutexvar_epi64(controls(c.first.data()), packed), controls(c.right.data()));
      const __m512i second = _mm512_sllv_epi64(_mm512_permutexvar_epi64(controls(c.second.data()), packed), controls(c.left.data()));
      v[k] = L::split(_mm512_or_si512(first, second), width);
    }
  } else if (width > 0) {
    const UnpackControls& c = group_bytes_unpacked[width];
    const __m512i byte = controls(c.byte.data()), shift = controls(c.shift.data()),
                  low = _mm512_set1_epi8(static_cast<char>((1 << width) - 1));
    for (unsigned k = 0; k < vectors; k += L::vectors_per_64_words) {
      const __m512i groups = _mm512_permutexvar_epi8(byte, _mm512_loadu_si512(in + k * lane_bits));
      L::widen(_mm512_and_si512(_mm512_multishift_epi64_epi8(shift, groups), low), v + k);
    }
  } else {
    for (__m512i& words : v) words = _mm512_setzero_si512();
  }
}

#include "backend/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {

std::size_t Kernels<Isa::avx512>::encode_speed32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept {
  return avx512::encode<avx512::Lanes<32>>(chunk, out, scratch);
}
std::size_t Kernels<Isa::avx512>::encode_speed64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept {
  return avx512::encode<avx512::Lanes<64>>(chunk, out, scratch);
}
bool Kernels<Isa::avx512>::decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept {
  return avx512::decode<avx512::Lanes<32>>(payload, payload_bytes, chunk);
}
bool Kernels<Isa::avx512>::decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept {
  return avx512::decode<avx512::Lanes<64>>(payload, payload_bytes, chunk);
}

}  // namespace floe::cpu
FLOE_AVX512_END
#endif
