// Prefix sums with AVX-512, where the stride has a power of two of bytes up to 16. simd/avx512.cpp includes
// this behind avx2_decoding.inl.

template <class W>
inline __m512i add_words(__m512i a, __m512i b) {
  if constexpr (sizeof(W) == 1)
    return _mm512_add_epi8(a, b);
  else if constexpr (sizeof(W) == 2)
    return _mm512_add_epi16(a, b);
  else if constexpr (sizeof(W) == 4)
    return _mm512_add_epi32(a, b);
  else
    return _mm512_add_epi64(a, b);
}

/// Of each 16 bytes those of the last unit, again and again.
template <int unit>
inline __m512i repeat_last_units(__m512i quarters) {
  if constexpr (unit == 16) return quarters;
  if constexpr (unit == 8) return _mm512_shuffle_epi32(quarters, static_cast<_MM_PERM_ENUM>(0xEE));
  if constexpr (unit == 4) return _mm512_shuffle_epi32(quarters, static_cast<_MM_PERM_ENUM>(0xFF));
  const __m512i indices = unit == 2 ? _mm512_set1_epi16(0x0F0E) : _mm512_set1_epi8(15);
  return _mm512_shuffle_epi8(quarters, indices);
}

template <class W, int unit>
void add_up_in_quarters(W* words, std::size_t count, W* history) {
  constexpr std::size_t lanes = 64 / sizeof(W);
  alignas(16) std::uint8_t last[16] = {};
  std::memcpy(last + 16 - unit, history, unit);
  __m512i before =
      repeat_last_units<unit>(_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(last))));
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    __m512i x = _mm512_loadu_si512(words + i);
    if constexpr (unit <= 1) x = add_words<W>(x, _mm512_bslli_epi128(x, 1));
    if constexpr (unit <= 2) x = add_words<W>(x, _mm512_bslli_epi128(x, 2));
    if constexpr (unit <= 4) x = add_words<W>(x, _mm512_bslli_epi128(x, 4));
    if constexpr (unit <= 8) x = add_words<W>(x, _mm512_bslli_epi128(x, 8));
    // The sums of quarters go to the next one, those of two to the next two. Only one addition waits for the
    // vector before.
    const __m512i sums = repeat_last_units<unit>(x);
    const __m512i one_before = _mm512_maskz_shuffle_i32x4(0xFFF0, sums, sums, _MM_SHUFFLE(2, 1, 0, 0));
    const __m512i of_two = add_words<W>(sums, one_before);
    const __m512i two_before = _mm512_maskz_shuffle_i32x4(0xFF00, of_two, of_two, _MM_SHUFFLE(1, 0, 0, 0));
    const __m512i all = add_words<W>(of_two, two_before);
    x = add_words<W>(x, add_words<W>(one_before, two_before));
    _mm512_storeu_si512(words + i, add_words<W>(x, before));
    before = add_words<W>(before, _mm512_shuffle_i32x4(all, all, 0xFF));
  }
  _mm_store_si128(reinterpret_cast<__m128i*>(last), _mm512_castsi512_si128(before));
  std::memcpy(history, last, unit);
  add_up_words(words + i, count - i, unit / sizeof(W), history);
}

template <class W>
void add_up_in_wide_vectors(W* words, std::size_t count, std::size_t stride, W* history) {
  const auto sum = [&](auto unit) { add_up_in_quarters<W, unit.value>(words, count, history); };
  if (!with_unit<W>(stride, sum)) add_up(words, count, stride, history);
}
