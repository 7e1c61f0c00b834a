// What encoders do by hand with AVX2: dividing streams, and finding the words that differ from one. The
// translation units of AVX2 and of what has more include this behind avx2_decoding.inl.

/// For each set of eight positions those in it, ascending.
constexpr ExpandTable gather_table = [] {
  ExpandTable table{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned next = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((set >> bit & 1) != 0) table.indices[set][next++] = static_cast<std::uint8_t>(bit);
    }
  }
  return table;
}();
inline __m128i gather_indices(unsigned set) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(gather_table.indices[set]));
}

template <class W>
inline __m256i all_equal(W word) {
  if constexpr (sizeof(W) == 1) return _mm256_set1_epi8(static_cast<char>(word));
  if constexpr (sizeof(W) == 2) return _mm256_set1_epi16(static_cast<short>(word));
  if constexpr (sizeof(W) == 4) return _mm256_set1_epi32(static_cast<int>(word));
  if constexpr (sizeof(W) == 8) return _mm256_set1_epi64x(static_cast<long long>(word));
}

/// Eight words, or four of 64 bits, of which each is marked or not.
template <class W>
struct MarkedWords {
  static constexpr bool is_short = sizeof(W) <= 2;
  static constexpr std::size_t step = sizeof(W) == 8 ? 4 : 8;
  static constexpr unsigned all = 255;  // lanes of 32 bits, where words are not shorter

  __m256i words;    ///< In the lower half where they are short.
  __m128i marks;    ///< Numbers of 32 bits where words are wider than that, otherwise bytes: 0 or -1.
  unsigned marked;  ///< A bit for each lane.

  /// Those whose difference to `base` is more than `limit`.
  MarkedWords(const W* from, __m256i base, __m256i limit) {
    if constexpr (is_short) {
      const auto* const some = reinterpret_cast<const __m128i*>(from);
      const __m128i all_bases = _mm256_castsi256_si128(base), all_limits = _mm256_castsi256_si128(limit);
      const __m128i eight = sizeof(W) == 2 ? _mm_loadu_si128(some) : _mm_loadl_epi64(some);
      words = _mm256_castsi128_si256(eight);
      if constexpr (sizeof(W) == 2) {
        const __m128i offset = _mm_sub_epi16(eight, all_bases);
        const __m128i fits = _mm_cmpeq_epi16(_mm_min_epu16(offset, all_limits), offset);
        marks = _mm_xor_si128(_mm_packs_epi16(fits, fits), _mm_set1_epi8(-1));
      } else {
        const __m128i offset = _mm_sub_epi8(eight, all_bases);
        marks = _mm_xor_si128(_mm_cmpeq_epi8(_mm_min_epu8(offset, all_limits), offset), _mm_set1_epi8(-1));
      }
      marked = static_cast<unsigned>(_mm_movemask_epi8(marks)) & all;
    } else {
      words = load_vector(from);
      __m256i above;
      if constexpr (sizeof(W) == 4) {
        const __m256i offset = _mm256_sub_epi32(words, base);
        above = _mm256_xor_si256(_mm256_cmpeq_epi32(_mm256_min_epu32(offset, limit), offset),
                                 _mm256_set1_epi32(-1));
      } else {
        const __m256i top = _mm256_set1_epi64x(std::numeric_limits<long long>::min());
        above = _mm256_cmpgt_epi64(_mm256_xor_si256(_mm256_sub_epi64(words, base), top),
                                   _mm256_xor_si256(limit, top));
      }
      const __m128i narrow =
          _mm_packs_epi32(_mm256_castsi256_si128(above), _mm256_extracti128_si256(above, 1));
      marks = _mm_packs_epi16(narrow, narrow);
      if constexpr (sizeof(W) == 8) marks = _mm_packs_epi16(marks, marks);
      marked = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(above)));
    }
  }
  /// Writes `step` bytes, 1 for each marked word.
  void store_marks(std::uint8_t* to) const {
    const __m128i ones = _mm_and_si128(marks, _mm_set1_epi8(1));
    if constexpr (step == 4)
      core::store(to, static_cast<std::uint32_t>(_mm_cvtsi128_si32(ones)));
    else
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), ones);
  }
  /// Writes the words of a set of lanes, and others behind them.
  void store_some(unsigned set, W* to) const {
    const __m128i indices = gather_indices(set);
    if constexpr (sizeof(W) == 1) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                       _mm_shuffle_epi8(_mm256_castsi256_si128(words), indices));
    } else if constexpr (sizeof(W) == 2) {
      const __m128i twice = _mm_add_epi8(indices, indices);
      const __m128i bytes = _mm_unpacklo_epi8(twice, _mm_add_epi8(twice, _mm_set1_epi8(1)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                       _mm_shuffle_epi8(_mm256_castsi256_si128(words), bytes));
    } else {
      store_vector(to, _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(indices)));
    }
  }
};

template <class W>
std::size_t divide_in_vectors(const W* words, std::size_t count, W base, W limit, std::uint8_t* marks,
                              W* first, W* second) {
  using Marked = MarkedWords<W>;
  constexpr unsigned lanes_of_word = 8 / Marked::step;
  const __m256i bases = all_equal(base), limits = all_equal(limit);
  std::size_t i = 0, taken = 0;
  for (; i + Marked::step <= count; i += Marked::step) {
    const Marked some(words + i, bases, limits);
    some.store_marks(marks + i);
    some.store_some(some.marked ^ Marked::all, first + (i - taken));
    some.store_some(some.marked, second + taken);
    taken += static_cast<unsigned>(_mm_popcnt_u32(some.marked)) / lanes_of_word;
  }
  return taken +
         divide_words(words + i, count - i, base, limit, marks + i, first + (i - taken), second + taken);
}

/// Which of 32 bytes of words differ from the one that all are compared with: a bit for each word.
template <class W>
inline std::uint32_t others_of(const W* words, __m256i word) {
  const __m256i vector = load_vector(words);
  if constexpr (sizeof(W) == 1) {
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(vector, word)));
  } else if constexpr (sizeof(W) == 2) {
    const __m256i equal = _mm256_cmpeq_epi16(vector, word);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1));
    return ~static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) & 0xFFFF;
  } else if constexpr (sizeof(W) == 4) {
    return ~static_cast<std::uint32_t>(
               _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(vector, word)))) &
           0xFF;
  } else {
    return ~static_cast<std::uint32_t>(
               _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(vector, word)))) &
           0xF;
  }
}

template <class W>
std::size_t mark_others_in_vectors(const W* words, std::size_t count, W word, std::uint64_t* masks) {
  constexpr std::size_t lanes = 32 / sizeof(W);
  const __m256i all = all_equal(word);
  std::size_t i = 0, others = 0;
  for (; i + 64 <= count; i += 64) {
    std::uint64_t mask = 0;
    for (std::size_t at = 0; at < 64; at += lanes)
      mask |= static_cast<std::uint64_t>(others_of(words + i + at, all)) << at;
    masks[i / 64] = mask;
    others += static_cast<std::size_t>(_mm_popcnt_u64(mask));
  }
  return others + mark_others(words + i, count - i, word, masks + i / 64);
}

template <class W>
constexpr void divide_by_avx2(WordKernels<W>& words) {
  words.divide = divide_in_vectors<W>;
  words.mark_others = mark_others_in_vectors<W>;
}

constexpr Kernels with_avx2_dividing(Kernels all) {
  divide_by_avx2(all.u8);
  divide_by_avx2(all.u16);
  divide_by_avx2(all.u32);
  divide_by_avx2(all.u64);
  return all;
}
