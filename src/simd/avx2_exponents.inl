// Bit lengths of numbers as exponents of floats, which AVX2 makes of eight numbers at a time. A translation
// unit includes this inside its namespace and its region, in front of what finds lengths with it.

/// The exponent of a float is the length of what it was made of, and this; of 0 it is 0.
constexpr int exponent_bias = 126;

/// Without the bits below each set one, rounding does not change the length.
inline __m256i exponents_of(__m256i numbers) {
  const __m256 floats = _mm256_cvtepi32_ps(_mm256_andnot_si256(_mm256_srli_epi32(numbers, 1), numbers));
  return _mm256_min_epu32(_mm256_srli_epi32(_mm256_castps_si256(floats), 23),
                          _mm256_set1_epi32(exponent_bias + 32));  // without signs, which 2^31 has
}

/// The lower halves of eight numbers of 64 bits, in the order 0 1 4 5 2 3 6 7.
inline __m256i low_halves(__m256i first, __m256i second) {
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), 0x88));
}

/// Of eight numbers of 64 bits, in that order: of the upper halves, and 32 more, or of the lower ones where
/// those are 0.
inline __m256i exponents_of_eight(__m256i first, __m256i second) {
  const __m256i low = low_halves(first, second),
                high = _mm256_castps_si256(
                    _mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), 0xDD)),
                is_low = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());
  return _mm256_add_epi32(exponents_of(_mm256_blendv_epi8(high, low, is_low)),
                          _mm256_andnot_si256(is_low, _mm256_set1_epi32(32)));
}
