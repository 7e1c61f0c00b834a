// Two passes per chunk, because packing one sub-chunk would wait for the OR of all its words: the first folds the residuals into an L1
// buffer and collects the ORs, from which all widths follow with two leading-zero counts; the second packs.
#include "backend/cpu/avx512/speed.hpp"

#if defined(__x86_64__)
#if !defined(__clang__)
#endif

#include <array>
#include <cstring>

#include "backend/cpu/avx512/bit_packing.hpp"
#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "backend/cpu/avx512/words32.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr unsigned subchunks = core::subchunks_per_chunk;
constexpr std::size_t subchunk_bytes = core::chunk_bytes / subchunks;  // 512: eight vectors
constexpr unsigned vectors = subchunk_bytes / 64;
using Subchunk = __m512i[vectors];

/// What differs between words of 32 and 64 bits.
template <unsigned bits>
struct Lanes;

template <>
struct Lanes<32> {
  static constexpr unsigned lane_bits_per_width = 2;  // two words per 64-bit lane
  static constexpr unsigned width_field = 6;
  static constexpr std::size_t header_bytes = 30;
  static constexpr std::uint64_t largest_width = 32;
  static __m512i sub_previous(__m512i now, __m512i before) { return sub_previous32(now, before); }
  static __m512i fold(__m512i d) { return fold32(d); }
  static __m512i unfold(__m512i y) { return unfold32(y); }
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
  static std::uint64_t max_word(__m512i v) { return _mm512_reduce_max_epu32(v); }
  static __m512i low_bits(unsigned width) { return _mm512_set1_epi32(static_cast<int>((std::uint64_t{1} << width) - 1)); }
  static __m512i join(__m512i words, unsigned width) {
    const __m512i low = _mm512_set1_epi64(static_cast<long long>((std::uint64_t{1} << width) - 1));
    return _mm512_ternarylogic_epi64(low, words, _mm512_srlv_epi64(words, _mm512_set1_epi64(32 - width)), 0xCA);  // low ? words : shifted
  }
  static __m512i split(__m512i lane, unsigned width) {
    const __m512i upper = _mm512_sllv_epi64(lane, _mm512_set1_epi64(32 - width));
    return _mm512_and_si512(_mm512_mask_blend_epi32(0xAAAA, lane, upper), low_bits(width));
  }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static __m512i prefix(__m512i x) { return prefix32(x); }
  static __m512i last(__m512i x) { return last32(x); }
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
struct Lanes<64> {
  static constexpr unsigned lane_bits_per_width = 1;
  static constexpr unsigned width_field = 7;
  static constexpr std::size_t header_bytes = 34;
  static constexpr std::uint64_t largest_width = 64;
  static __m512i sub_previous(__m512i now, __m512i before) { return _mm512_sub_epi64(now, _mm512_alignr_epi64(now, before, 7)); }
  static __m512i fold(__m512i d) { return _mm512_xor_si512(_mm512_add_epi64(d, d), _mm512_srai_epi64(d, 63)); }
  static __m512i unfold(__m512i y) {
    const __m512i sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(y, _mm512_set1_epi64(1)));
    return _mm512_xor_si512(_mm512_srli_epi64(y, 1), sign);
  }
  static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
  static std::uint64_t max_word(__m512i v) { return _mm512_reduce_max_epu64(v); }
  static __m512i low_bits(unsigned width) {
    return _mm512_set1_epi64(static_cast<long long>(width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1));
  }
  static __m512i join(__m512i words, unsigned) { return words; }
  static __m512i split(__m512i lane, unsigned width) { return _mm512_and_si512(lane, low_bits(width)); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }
  static __m512i prefix(__m512i x) {
    const __m512i zero = _mm512_setzero_si512();
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
    return _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
  }
  static __m512i last(__m512i x) { return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x); }
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

std::uint64_t or_of(__m512i v) { return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(v)); }

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

/// Writes the eight vectors of a sub-chunk with `width` bits per word. May write up to 64 bytes past the end.
template <class L>
void pack(const Subchunk& v, unsigned width, std::uint8_t* out) {
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

/// Folds the chunk's residuals into `folded` and their ORs, one per sub-chunk, into `ors`.
template <class L>
void fold_residuals(const std::uint8_t* chunk, std::uint8_t* folded, std::uint64_t* ors) {
  __m512i before = _mm512_setzero_si512();
  for (unsigned s = 0; s < subchunks; ++s) {
    __m512i all = _mm512_setzero_si512();
    for (unsigned k = 0; k < vectors; ++k) {
      const std::size_t at = s * subchunk_bytes + 64 * k;
      const __m512i now = _mm512_loadu_si512(chunk + at);
      const __m512i y = L::fold(L::sub_previous(now, before));
      before = now;
      _mm512_store_si512(folded + at, y);
      all = _mm512_or_si512(all, y);
    }
    ors[s] = or_of(all);
  }
}

/// The second fold of a sub-chunk, kept if it makes the largest word smaller. Returns the largest word after that, and whether it was kept.
struct SecondFold {
  std::uint64_t largest;
  bool kept;
};
template <class L>
SecondFold fold_again(std::uint8_t* subchunk) {
  __m512i largest = _mm512_setzero_si512(), largest_again = largest;
  Subchunk again;
  for (unsigned k = 0; k < vectors; ++k) {
    const __m512i word = _mm512_load_si512(subchunk + 64 * k);
    again[k] = L::fold(word);
    largest = L::max(largest, word);
    largest_again = L::max(largest_again, again[k]);
  }
  const std::uint64_t once = L::max_word(largest), twice = L::max_word(largest_again);
  if (twice >= once) return {once, false};
  for (unsigned k = 0; k < vectors; ++k) _mm512_store_si512(subchunk + 64 * k, again[k]);
  return {twice, true};
}

unsigned bit_length(std::uint64_t x) { return 64 - static_cast<unsigned>(_lzcnt_u64(x)); }

/// Flags, length and widths.
template <class L>
void write_header(std::uint8_t* out, std::uint32_t folded, const std::uint8_t* widths) {
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  std::memcpy(out, &folded, 4);
  std::memcpy(out + 4, &length, 2);
  for (unsigned group = 0; group < subchunks; group += 8) {  // eight widths fill width_field bytes
    std::uint64_t bytes;
    std::memcpy(&bytes, widths + group, 8);
    const std::uint64_t fields = _pext_u64(bytes, 0x0101010101010101 * ((1u << L::width_field) - 1));
    std::memcpy(out + 6 + group / 8 * L::width_field, &fields, L::width_field);
  }
}

template <class L>
std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) {
  std::uint8_t* const folded = scratch;
  std::uint64_t ors[subchunks];
  fold_residuals<L>(chunk, folded, ors);

  constexpr unsigned word_bits = static_cast<unsigned>(L::largest_width);
  std::uint8_t widths[subchunks];
  std::uint32_t folded_again = 0;
  std::size_t total = L::header_bytes;
  for (unsigned s = 0; s < subchunks; ++s) {
    std::uint64_t bits = word_bits == 32 ? (ors[s] | ors[s] >> 32) & 0xFFFFFFFF : ors[s];
    if (bits >> (word_bits - 1) != 0) [[unlikely]] {
      const SecondFold second = fold_again<L>(folded + s * subchunk_bytes);
      folded_again |= static_cast<std::uint32_t>(second.kept) << s;
      bits = second.largest;
    }
    widths[s] = static_cast<std::uint8_t>(bit_length(bits));
    total += widths[s] * (subchunk_bytes / word_bits);
  }
  if (total >= core::chunk_bytes) return core::raw_chunk;

  // Stores overshoot by up to 64 bytes, which must not leave the output.
  std::uint8_t* const to = total + 64 <= core::chunk_bytes ? out : scratch + core::chunk_bytes;
  write_header<L>(to, folded_again, widths);
  std::uint8_t* position = to + L::header_bytes;
  for (unsigned s = 0; s < subchunks; ++s) {
    Subchunk v;
    for (unsigned k = 0; k < vectors; ++k) v[k] = _mm512_load_si512(folded + s * subchunk_bytes + 64 * k);
    pack<L>(v, widths[s], position);
    position += widths[s] * (subchunk_bytes / word_bits);
  }
  if (to != out) std::memcpy(out, to, total);
  return total;
}

// ---- unpacking -----------------------------------------------------------------------------------------------------------------

/// Reads the eight vectors of a sub-chunk. May read up to 64 bytes past the end.
template <class L>
void unpack(const std::uint8_t* in, unsigned width, Subchunk& v) {
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

/// Flags and widths of a payload; false if they contradict its length.
template <class L>
bool read_header(const std::uint8_t* payload, std::size_t payload_bytes, std::uint32_t& folded, std::uint8_t* widths) {
  if (payload_bytes < L::header_bytes) return false;
  std::uint16_t length;
  std::memcpy(&folded, payload, 4);
  std::memcpy(&length, payload + 4, 2);
  if (length != core::chunk_bytes) return false;
  std::size_t total = L::header_bytes;
  for (unsigned group = 0; group < subchunks; group += 8) {
    std::uint64_t fields = 0;
    std::memcpy(&fields, payload + 6 + group / 8 * L::width_field, L::width_field);
    const std::uint64_t bytes = _pdep_u64(fields, 0x0101010101010101 * ((1u << L::width_field) - 1));
    std::memcpy(widths + group, &bytes, 8);
  }
  for (unsigned s = 0; s < subchunks; ++s) {
    if (widths[s] > L::largest_width) return false;
    total += widths[s] * (subchunk_bytes / L::largest_width);
  }
  return total == payload_bytes;
}

/// Words from folded residuals; `carry` is the last word before, in every lane.
template <class L>
__m512i restore(const Subchunk& v, bool folded_again, std::uint8_t* words, __m512i carry) {
  for (unsigned k = 0; k < vectors; ++k) {
    const __m512i y = folded_again ? L::unfold(v[k]) : v[k];
    const __m512i sums = L::prefix(L::unfold(y));
    _mm512_storeu_si512(words + 64 * k, L::add(sums, carry));
    carry = L::add(carry, L::last(sums));
  }
  return carry;
}

template <class L>
bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) {
  std::uint32_t folded_again;
  std::uint8_t widths[subchunks];
  if (!read_header<L>(payload, payload_bytes, folded_again, widths)) return false;

  // Loads overshoot by up to 64 bytes. The sub-chunks near the end are read from a copy that has them.
  alignas(64) std::uint8_t end_copy[2 * subchunk_bytes];
  const std::uint8_t* in = payload + L::header_bytes;
  const std::uint8_t* end = payload + payload_bytes;
  __m512i carry = _mm512_setzero_si512();
  for (unsigned s = 0; s < subchunks; ++s) {
    const std::size_t bytes = widths[s] * (subchunk_bytes / L::largest_width);
    const auto rest = static_cast<std::size_t>(end - in);
    if (rest < bytes + 64) {
      std::memcpy(end_copy, in, rest);
      std::memset(end_copy + rest, 0, 64);
      in = end_copy;
      end = end_copy + sizeof end_copy;
    }
    Subchunk v;
    unpack<L>(in, widths[s], v);
    carry = restore<L>(v, (folded_again >> s & 1) != 0, chunk + s * subchunk_bytes, carry);
    in += bytes;
  }
  return true;
}

}  // namespace

std::size_t encode_speed32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept {
  return encode<Lanes<32>>(chunk, out, scratch);
}
std::size_t encode_speed64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept {
  return encode<Lanes<64>>(chunk, out, scratch);
}
bool decode_speed32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept {
  return decode<Lanes<32>>(payload, payload_bytes, chunk);
}
bool decode_speed64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk) noexcept {
  return decode<Lanes<64>>(payload, payload_bytes, chunk);
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
#endif
