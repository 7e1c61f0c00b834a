// Bit lengths of words of 64 bits by hand with AVX2, which has no instruction for them. The translation unit
// of AVX2 includes this behind avx2_exponents.inl.

/// Of eight words, in the order 0 1 4 5 2 3 6 7.
inline __m256i lengths_of_eight(__m256i first, __m256i second) {
  return _mm256_max_epi32(
      _mm256_sub_epi32(exponents_of_eight(first, second), _mm256_set1_epi32(exponent_bias)),
      _mm256_setzero_si256());
}

/// 32 words at a time, and the rest one by one.
inline void find_wide_lengths(const std::uint64_t* words, std::size_t count, std::uint64_t base,
                              std::uint8_t* lengths) {
  const __m256i bases = _mm256_set1_epi64x(static_cast<long long>(base));
  const auto offsets = [&](std::size_t at) { return _mm256_sub_epi64(load_vector(words + at), bases); };
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const auto eight = [&](std::size_t at) { return lengths_of_eight(offsets(at), offsets(at + 4)); };
    const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(eight(i), eight(i + 8)),
                                               _mm256_packus_epi32(eight(i + 16), eight(i + 24)));
    const __m128i half = _mm256_castsi256_si128(packed), other = _mm256_extracti128_si256(packed, 1);
    auto* const to = reinterpret_cast<__m128i*>(lengths + i);
    _mm_storeu_si128(to, _mm_unpacklo_epi16(half, other));
    _mm_storeu_si128(to + 1, _mm_unpackhi_epi16(half, other));
  }
  find_lengths(words + i, count - i, base, lengths + i);
}

/// Adds up the lengths of numbers from `first` to `count`, of which vector_at() gives four and at() one.
template <class VectorAt, class At>
inline std::uint32_t sum_wide_lengths(std::size_t first, std::size_t count, const VectorAt& vector_at,
                                      const At& at) {
  __m256i sums = _mm256_setzero_si256();
  std::size_t i = first;
  for (; i + 8 <= count; i += 8)
    sums = _mm256_add_epi32(sums, lengths_of_eight(vector_at(i), vector_at(i + 4)));
  std::uint32_t lanes[8], sum = 0;
  store_vector(lanes, sums);
  for (const std::uint32_t lane : lanes) sum += lane;
  for (; i < count; ++i) sum += core::bit_length(at(i));
  return sum;
}

inline __m256i zigzag_of_vector(__m256i differences) {
  const __m256i signs = _mm256_cmpgt_epi64(_mm256_setzero_si256(), differences);
  return _mm256_xor_si256(_mm256_slli_epi64(differences, 1), signs);
}

inline std::uint32_t sum_wide_difference_bits(const std::uint64_t* words, std::size_t count,
                                              std::size_t stride, std::size_t first) {
  return sum_wide_lengths(
      first, count,
      [&](std::size_t i) {
        return zigzag_of_vector(_mm256_sub_epi64(load_vector(words + i), load_vector(words + i - stride)));
      },
      [&](std::size_t i) { return zigzag_of(words[i] - words[i - stride]); });
}

inline BitSums sum_wide_bit_lengths(const std::uint64_t* words, std::size_t count, std::uint64_t min,
                                    std::size_t first) {
  const __m256i base = _mm256_set1_epi64x(static_cast<long long>(min));
  const std::uint32_t offsets = sum_wide_lengths(
      0, count, [&](std::size_t i) { return _mm256_sub_epi64(load_vector(words + i), base); },
      [&](std::size_t i) { return words[i] - min; });
  const std::uint32_t second = sum_wide_lengths(
      2, count,
      [&](std::size_t i) {
        const __m256i last = load_vector(words + i - 1),
                      ends = _mm256_add_epi64(load_vector(words + i), load_vector(words + i - 2));
        return zigzag_of_vector(_mm256_sub_epi64(ends, _mm256_add_epi64(last, last)));
      },
      [&](std::size_t i) { return zigzag_of(words[i] - 2 * words[i - 1] + words[i - 2]); });
  return {offsets, sum_wide_difference_bits(words, count, 1, first),
          sum_wide_difference_bits(words, count, 2, first), second};
}

constexpr Kernels with_avx2_lengths(Kernels all) {
  all.u64.find_lengths = find_wide_lengths;
  all.u64.sum_bit_lengths = sum_wide_bit_lengths;
  all.u64.sum_difference_bits = sum_wide_difference_bits;
  return all;
}
