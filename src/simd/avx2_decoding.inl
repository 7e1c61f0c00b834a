// What decoding does by hand with AVX2: prefix sums, merging, and the bits below a grid. The translation
// units of AVX2 and of what has more include this inside their namespace and region, behind kernels.inl and
// <immintrin.h>.

inline __m256i load_vector(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline void store_vector(void* to, __m256i vector) { _mm256_storeu_si256(static_cast<__m256i*>(to), vector); }

template <class W>
inline __m256i add_words(__m256i a, __m256i b) {
  if constexpr (sizeof(W) == 1)
    return _mm256_add_epi8(a, b);
  else if constexpr (sizeof(W) == 2)
    return _mm256_add_epi16(a, b);
  else if constexpr (sizeof(W) == 4)
    return _mm256_add_epi32(a, b);
  else
    return _mm256_add_epi64(a, b);
}

/// Of 16 bytes those of the unit that begins at byte `first`, again and again.
template <int unit>
inline __m256i repeat_unit(__m256i halves, int first) {
  alignas(32) std::uint8_t indices[32];
  for (int i = 0; i < 32; ++i) indices[i] = static_cast<std::uint8_t>(first + i % unit);
  return _mm256_shuffle_epi8(halves, load_vector(indices));
}

template <int unit>
inline __m256i repeat_last_unit(__m256i vector) {
  if constexpr (unit == 16) return _mm256_permute4x64_epi64(vector, 0xEE);
  if constexpr (unit == 4) return _mm256_permutevar8x32_epi32(vector, _mm256_set1_epi32(7));
  const __m256i last = _mm256_permute4x64_epi64(vector, 0xFF);
  return unit == 8 ? last : repeat_unit<unit>(last, 8 - unit);
}

/// Sums where the stride has `unit` bytes, a power of two up to half a vector.
template <class W, int unit>
void add_up_in_halves(W* words, std::size_t count, W* history) {
  constexpr std::size_t lanes = 32 / sizeof(W);
  __m128i last = _mm_setzero_si128();
  std::memcpy(&last, history, unit);
  __m256i before = repeat_unit<unit>(_mm256_broadcastsi128_si256(last), 0);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    __m256i x = load_vector(words + i);
    if constexpr (unit <= 1) x = add_words<W>(x, _mm256_slli_si256(x, 1));
    if constexpr (unit <= 2) x = add_words<W>(x, _mm256_slli_si256(x, 2));
    if constexpr (unit <= 4) x = add_words<W>(x, _mm256_slli_si256(x, 4));
    if constexpr (unit <= 8) x = add_words<W>(x, _mm256_slli_si256(x, 8));
    // The lower half's sums go to the upper half. Only one addition waits for the vector before.
    const __m256i sums = unit == 16 ? x : repeat_unit<unit>(x, 16 - unit);
    x = add_words<W>(x, _mm256_permute2x128_si256(sums, sums, 0x08));
    store_vector(words + i, add_words<W>(x, before));
    before = add_words<W>(before, repeat_last_unit<unit>(x));
  }
  last = _mm256_castsi256_si128(before);
  std::memcpy(history, &last, unit);
  add_up_words(words + i, count - i, unit / sizeof(W), history);
}

/// Calls `sum` with the bytes of a stride as a constant, if they are a power of two up to 16.
template <class W, class Sum>
inline bool with_unit(std::size_t stride, const Sum& sum) {
  const auto call = [&](auto unit) {
    if constexpr (unit.value >= sizeof(W)) sum(unit);
    return true;
  };
  switch (stride * sizeof(W)) {
    case 1:
      return call(std::integral_constant<int, 1>());
    case 2:
      return call(std::integral_constant<int, 2>());
    case 4:
      return call(std::integral_constant<int, 4>());
    case 8:
      return call(std::integral_constant<int, 8>());
    case 16:
      return call(std::integral_constant<int, 16>());
    default:
      return false;
  }
}

template <class W>
void add_up_in_vectors(W* words, std::size_t count, std::size_t stride, W* history) {
  const auto sum = [&](auto unit) { add_up_in_halves<W, unit.value>(words, count, history); };
  if (!with_unit<W>(stride, sum)) add_up(words, count, stride, history);
}

/// For each mask of eight words which of the next ones of a stream go to its set bits.
struct ExpandTable {
  alignas(64) std::uint8_t indices[256][8];
};
constexpr ExpandTable make_expand_table() {
  ExpandTable table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint8_t next = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((mask >> bit & 1) != 0) table.indices[mask][bit] = next++;
    }
  }
  return table;
}
constexpr ExpandTable expand_table = make_expand_table();

inline __m128i expand_indices(unsigned mask) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(expand_table.indices[mask]));
}

/// The next words of a stream at the positions of a mask of eight, or four of 64 bits.
template <class W>
inline __m256i expand_words(const W* from, unsigned mask) {
  const __m128i indices = expand_indices(mask);
  if constexpr (sizeof(W) == 8) {
    const __m256i halves = _mm256_cvtepu8_epi64(_mm_add_epi8(indices, indices));
    const __m256i both =
        _mm256_or_si256(halves, _mm256_slli_epi64(_mm256_add_epi64(halves, _mm256_set1_epi64x(1)), 32));
    return _mm256_permutevar8x32_epi32(load_vector(from), both);
  } else if constexpr (sizeof(W) == 4) {
    return _mm256_permutevar8x32_epi32(load_vector(from), _mm256_cvtepu8_epi32(indices));
  } else if constexpr (sizeof(W) == 2) {
    const __m128i twice = _mm_add_epi8(indices, indices);
    const __m128i bytes = _mm_unpacklo_epi8(twice, _mm_add_epi8(twice, _mm_set1_epi8(1)));
    return _mm256_castsi128_si256(
        _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), bytes));
  } else {
    return _mm256_castsi128_si256(
        _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), indices));
  }
}

template <class W>
void merge_by_expanding(const std::uint8_t* picks, const W* first, const W* second, std::size_t count,
                        W* words) {
  constexpr std::size_t step = sizeof(W) == 8 ? 4 : 8;
  constexpr unsigned all = (1U << step) - 1;
  std::size_t i = 0, taken = 0;
  for (; i + step <= count; i += step) {
    __m128i marks;
    if constexpr (step == 4)
      marks = _mm_cvtsi32_si128(static_cast<int>(core::load<std::uint32_t>(picks + i)));
    else
      marks = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(picks + i));
    const __m128i is_first = _mm_cmpeq_epi8(marks, _mm_setzero_si128());
    const unsigned of_first = static_cast<unsigned>(_mm_movemask_epi8(is_first)) & all,
                   of_second = of_first ^ all;
    const __m256i a = expand_words(first + (i - taken), of_first),
                  b = expand_words(second + taken, of_second);
    if constexpr (sizeof(W) == 8) {
      store_vector(words + i, _mm256_blendv_epi8(b, a, _mm256_cvtepi8_epi64(is_first)));
    } else if constexpr (sizeof(W) == 4) {
      store_vector(words + i, _mm256_blendv_epi8(b, a, _mm256_cvtepi8_epi32(is_first)));
    } else if constexpr (sizeof(W) == 2) {
      _mm_storeu_si128(
          reinterpret_cast<__m128i*>(words + i),
          _mm_blendv_epi8(_mm256_castsi256_si128(b), _mm256_castsi256_si128(a), _mm_cvtepi8_epi16(is_first)));
    } else {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(words + i),
                       _mm_blendv_epi8(_mm256_castsi256_si128(b), _mm256_castsi256_si128(a), is_first));
    }
    taken += static_cast<unsigned>(_mm_popcnt_u32(of_second));
  }
  merge_words(picks + i, first + (i - taken), second + taken, count - i, words + i);
}

/// Eight bytes as words of 32 bits.
inline __m256i widen_bytes(std::uint64_t bytes) {
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
}

/// Those of eight words at a time. A multiplication adds up their widths, each of at most 23 bits. The bits
/// of four words come from 16 bytes, of which a shuffle brings each word the four in which its bits are.
inline std::size_t grid_put_low_in_vectors(std::uint32_t* words, std::size_t count,
                                           const std::uint8_t* widths, const std::uint8_t* bits,
                                           std::size_t at) {
  constexpr std::uint64_t each = 0x0101010101010101, of_upper = each << 32;
  const __m256i four = _mm256_set1_epi32(0x03020100), one = _mm256_set1_epi32(1);
  const __m256i own =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto width = core::load<std::uint64_t>(widths + i);
    const std::uint64_t ends = width * each;
    const std::size_t lower = at / 8, upper = (at + (ends >> 24 & 255)) / 8;
    // Where the bits of each word begin, from the first byte of its half on.
    const __m256i begins = widen_bytes((ends << 8) + at % 8 * each - (upper - lower) * 8 * of_upper);
    const __m256i bytes = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bits + lower))),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bits + upper)), 1);
    const __m256i positions = _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_srli_epi32(begins, 3), own), four);
    const __m256i low = _mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, positions),
                                          _mm256_and_si256(begins, _mm256_set1_epi32(7)));
    const __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, widen_bytes(width)), one);
    store_vector(words + i, _mm256_or_si256(load_vector(words + i), _mm256_and_si256(low, mask)));
    at += ends >> 56;
  }
  return grid_put_low(words + i, count - i, widths + i, bits, at);
}

template <class W>
constexpr void decode_by_avx2(WordKernels<W>& words, DecodingKernels<W>& decoding) {
  words.merge = merge_by_expanding<W>;
  decoding.add_up = add_up_in_vectors<W>;
}

constexpr Kernels with_avx2_decoding(Kernels all) {
  decode_by_avx2(all.u8, all.decoding_u8);
  decode_by_avx2(all.u16, all.decoding_u16);
  decode_by_avx2(all.u32, all.decoding_u32);
  decode_by_avx2(all.u64, all.decoding_u64);
  all.grid_f32.put_low = grid_put_low_in_vectors;
  return all;
}
