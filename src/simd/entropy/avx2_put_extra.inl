// Writing with AVX2: the extra bits of 32 words one behind the other. simd/entropy/avx2.cpp includes this.

/// Extra bits of some words that were put together, and how many.
struct JoinedBits {
  alignas(32) std::uint64_t values[32], lengths[32];
};

/// The extra bits of 32 words.
template <class W>
inline void put_joined(const JoinedBits& joined, ExtraBitWriter& writer) {
  ExtraBitWriter out = writer;     // in registers: what is written could be the writer itself
  if constexpr (sizeof(W) == 2) {  // four words have 60 bits at most
    for (unsigned k = 0; k < 16; k += 2)
      out.put_any(joined.values[k] | joined.values[k + 1] << joined.lengths[k],
                  static_cast<unsigned>(joined.lengths[k] + joined.lengths[k + 1]));
  } else {
    constexpr unsigned puts = sizeof(W) == 4 ? 16 : 32;
    __m256i longest = load_vector(joined.lengths);
    for (unsigned k = 4; k < puts; k += 4)
      longest = _mm256_max_epu8(longest, load_vector(joined.lengths + k));
    const __m256i above = _mm256_subs_epu8(longest, _mm256_set1_epi8(ExtraBitWriter::max_length));
    if (_mm256_testz_si256(above, above) != 0) {
      for (unsigned k = 0; k < puts; ++k) out.put(joined.values[k], static_cast<unsigned>(joined.lengths[k]));
    } else {
      for (unsigned k = 0; k < puts; ++k)
        out.put_any(joined.values[k], static_cast<unsigned>(joined.lengths[k]));
    }
  }
  writer = out;
}

/// Puts numbers of 7 to 64 bits. Bits in front of the byte where one begins are of the number before it
/// alone: no number waits for another one but for its position.
class LongBitWriter {
 public:
  explicit LongBitWriter(std::uint8_t* begin)
      : begin_(begin), position_(_mm256_setzero_si256()), carried_(_mm256_setzero_si256()) {}
  /// False, and nothing changes but what is written from here on, if one of the first `count` ones, a
  /// multiple of 4, has fewer bits.
  template <unsigned count>
  bool put(const JoinedBits& joined) {
    alignas(32) std::uint64_t bytes[count], positions[count];
    const __m256i seven = _mm256_set1_epi64x(7), zero = _mm256_setzero_si256();
    __m256i position = position_, carried = carried_, is_short = zero;
#pragma GCC unroll 8
    for (unsigned k = 0; k < count; k += 4) {
      const __m256i values = load_vector(joined.values + k), lengths = load_vector(joined.lengths + k);
      is_short = _mm256_or_si256(is_short, _mm256_cmpgt_epi64(seven, lengths));
      const __m256i pairs = _mm256_add_epi64(lengths, _mm256_slli_si256(lengths, 8));
      const __m256i sums =
          _mm256_add_epi64(pairs, _mm256_blend_epi32(zero, _mm256_permute4x64_epi64(pairs, 0x55), 0xF0));
      const __m256i ends = _mm256_add_epi64(position, sums), begins = _mm256_sub_epi64(ends, lengths);
      const __m256i left =
          _mm256_srlv_epi64(values, _mm256_sub_epi64(lengths, _mm256_and_si256(ends, seven)));
      const __m256i turned = _mm256_permute4x64_epi64(left, 0x93);  // of the number before
      store_vector(bytes + k, _mm256_or_si256(_mm256_sllv_epi64(values, _mm256_and_si256(begins, seven)),
                                              _mm256_blend_epi32(turned, carried, 0x03)));
      store_vector(positions + k, _mm256_srli_epi64(begins, 3));
      carried = turned;
      position = _mm256_add_epi64(position, _mm256_permute4x64_epi64(sums, 0xFF));
    }
    if (_mm256_testz_si256(is_short, is_short) == 0) return false;
    for (unsigned k = 0; k < count; ++k) core::store(begin_ + positions[k], bytes[k]);
    position_ = position;
    carried_ = carried;
    return true;
  }
  /// The same state, for numbers of all lengths.
  [[nodiscard]] ExtraBitWriter as_any() const {
    const auto position = static_cast<std::uint64_t>(_mm256_extract_epi64(position_, 0));
    return {begin_ + position / 8, static_cast<std::uint64_t>(_mm256_extract_epi64(carried_, 0)),
            static_cast<unsigned>(position % 8)};
  }
  void go_on_from(ExtraBitWriter any) {
    position_ = _mm256_set1_epi64x(static_cast<long long>(any.finish(begin_)));
    carried_ = _mm256_set1_epi64x(static_cast<long long>(any.pending()));
  }

 private:
  std::uint8_t* begin_;
  __m256i position_, carried_;  // the bits that were put, in all elements; those that wait, in the first one
};

/// The extra bits of 32 words of 64 bits, of which no two have more than 64, two by two. False if some have.
inline bool join_pairs(const JoinedBits& of_words, JoinedBits& joined) {
  __m256i longest = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (unsigned k = 0; k < 32; k += 8) {
    const __m256i a = load_vector(of_words.values + k), b = load_vector(of_words.values + k + 4),
                  a_lengths = load_vector(of_words.lengths + k),
                  b_lengths = load_vector(of_words.lengths + k + 4);
    const __m256i first_lengths = _mm256_unpacklo_epi64(a_lengths, b_lengths),
                  lengths = _mm256_add_epi64(first_lengths, _mm256_unpackhi_epi64(a_lengths, b_lengths)),
                  second = _mm256_sllv_epi64(_mm256_unpackhi_epi64(a, b), first_lengths),
                  values = _mm256_or_si256(_mm256_unpacklo_epi64(a, b), second);
    longest = _mm256_max_epu8(longest, lengths);
    store_vector(joined.values + k / 2, _mm256_permute4x64_epi64(values, 0xD8));
    store_vector(joined.lengths + k / 2, _mm256_permute4x64_epi64(lengths, 0xD8));
  }
  const __m256i above = _mm256_subs_epu8(longest, _mm256_set1_epi8(64));
  return _mm256_testz_si256(above, above) != 0;
}

/// Puts extra bits of 32 words unless some of them are too few; of words of 64 bits, two together, or each by
/// itself after some were too many for that.
template <class W>
inline bool put_long(const JoinedBits& joined, LongBitWriter& out, bool& in_pairs) {
  if constexpr (sizeof(W) == 4) return out.template put<16>(joined);
  if (in_pairs) {
    JoinedBits pairs;
    in_pairs = join_pairs(joined, pairs);
    if (in_pairs) return out.template put<16>(pairs);
  }
  in_pairs = !out.template put<32>(joined);
  return !in_pairs;
}
