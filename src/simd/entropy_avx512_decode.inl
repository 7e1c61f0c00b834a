// Decoding with AVX-512: the steps of 32 lanes, and the words of 16 or 8 symbols at a time.
// simd/entropy_avx512.cpp includes this.

/// The states of 32 lanes, and the numbers that they read.
struct WideLanes {
  __m512i states[2];
  const std::uint8_t* words;
};

inline __m512i refill(__m512i states, const std::uint8_t*& words) {
  const __mmask16 small = _mm512_cmplt_epu32_mask(states, _mm512_set1_epi32(min_entropy_state));
  const __m512i numbers = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(small));
  return _mm512_mask_or_epi32(states, small, _mm512_slli_epi32(states, 16),
                              _mm512_maskz_expand_epi32(small, numbers));
}

/// A step of all lanes. `symbols` keeps those of up to four steps, a byte each.
template <unsigned frequency_bits, unsigned step>
[[gnu::always_inline]] inline void step_lanes(WideLanes& lanes, const std::uint32_t* table,
                                              __m512i (&symbols)[2]) {
  const __m512i slot_mask = _mm512_set1_epi32((1 << frequency_bits) - 1),
                offset_mask = _mm512_set1_epi32((1 << long_frequency_bits) - 1),
                symbol_mask = _mm512_set1_epi32(255);
#pragma GCC unroll 2
  for (unsigned k = 0; k < 2; ++k) {
    const __m512i slots = _mm512_and_si512(lanes.states[k], slot_mask);
    const __m512i entries =
        _mm512_inserti64x4(_mm512_castsi256_si512(look_up(table, _mm512_castsi512_si256(slots))),
                           look_up(table, _mm512_extracti64x4_epi64(slots, 1)), 1);
    const __m512i scaled = _mm512_mullo_epi32(_mm512_srli_epi32(entries, 20),
                                              _mm512_srli_epi32(lanes.states[k], frequency_bits));
    lanes.states[k] = _mm512_add_epi32(scaled, _mm512_and_si512(_mm512_srli_epi32(entries, 8), offset_mask));
    if (frequency_bits == long_frequency_bits || step % 2 == 1)
      lanes.states[k] = refill(lanes.states[k], lanes.words);
    if constexpr (step % 4 == 0) {
      symbols[k] = _mm512_and_si512(entries, symbol_mask);
    } else {
      const __m512i mask = _mm512_slli_epi32(symbol_mask, 8 * (step % 4));
      symbols[k] = _mm512_ternarylogic_epi32(symbols[k], _mm512_slli_epi32(entries, 8 * (step % 4)), mask,
                                             0xF8);  // first | (second & mask)
    }
  }
}

/// Writes the symbols of a group in the order of the words.
template <unsigned steps>
inline void store_symbols(const __m512i (&symbols)[2], std::uint8_t* to) {
#pragma GCC unroll 2
  for (unsigned k = 0; k < 2; ++k) {
    if constexpr (steps == 4) {
      _mm512_storeu_si512(to + 64 * k, symbols[k]);
    } else {
      store_vector(to + 32 * k, _mm512_cvtepi32_epi16(symbols[k]));
    }
  }
}

/// Offsets to words: (o >> shift) ^ (-(o & fold) & mask), plus base, which is all three modes.
template <class W>
class WideWordsOfOffsets {
 public:
  explicit WideWordsOfOffsets(const EntropyModel& model)
      : shift_(_mm_cvtsi32_si128(model.mode == EntropyMode::upwards ? 0 : 1)),
        fold_(all(model.mode == EntropyMode::upwards ? 0 : 1)),
        mask_(all(model.mode == EntropyMode::rotated ? W{1} << (core::word_bits<W> - 1) : ~W{0})),
        base_(all(static_cast<W>(model.base))) {}
  /// In lanes of 64 bits for words of 64 bits, otherwise in lanes of 32 bits.
  __m512i operator()(__m512i offsets) const {
    const __m512i zero = _mm512_setzero_si512(), folds = _mm512_and_si512(offsets, fold_);
    constexpr int masked_xor = 0x78;  // first ^ (second & third)
    if constexpr (sizeof(W) == 8) {
      const __m512i sign = _mm512_sub_epi64(zero, folds);
      return _mm512_add_epi64(
          _mm512_ternarylogic_epi64(_mm512_srl_epi64(offsets, shift_), sign, mask_, masked_xor), base_);
    } else {
      const __m512i sign = _mm512_sub_epi32(zero, folds);
      return _mm512_add_epi32(
          _mm512_ternarylogic_epi32(_mm512_srl_epi32(offsets, shift_), sign, mask_, masked_xor), base_);
    }
  }

 private:
  static __m512i all(std::uint64_t word) {
    if constexpr (sizeof(W) == 8) return _mm512_set1_epi64(static_cast<long long>(word));
    return _mm512_set1_epi32(static_cast<int>(word));
  }
  __m128i shift_;
  __m512i fold_, mask_, base_;
};

/// 16 symbols of bytes: lengths of their extra bits, and the upper bits of their offsets.
struct SymbolParts {
  __m128i lengths, tops;
  std::uint64_t first_half, second_half;  ///< Sums of eight lengths.

  SymbolParts(const EntropyModel& model, const std::uint8_t* symbols) {
    const __m128i of_words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols));
    const __m128i bits = _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits));
    const auto byte_mask = [](unsigned mask) { return _mm_set1_epi8(static_cast<char>(mask)); };
    const __m128i exponents =
        _mm_and_si128(_mm_srl_epi16(of_words, bits), byte_mask(0xFFU >> model.mantissa_bits));
    const __m128i dropped = _mm_subs_epu8(exponents, byte_mask(1));
    lengths = _mm_add_epi8(dropped, byte_mask(model.raw_bits));
    tops = _mm_sub_epi8(of_words,
                        _mm_and_si128(_mm_sll_epi16(dropped, bits), byte_mask(0xFFU << model.mantissa_bits)));
    const __m128i sums = _mm_sad_epu8(lengths, _mm_setzero_si128());
    first_half = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums));
    second_half = static_cast<std::uint64_t>(_mm_extract_epi64(sums, 1));
  }
};

/// For each quarter of 16 bytes, and each of 16 numbers: weights 1 of the quarter's bytes that are before the
/// number.
struct QuarterWeights {
  alignas(64) std::uint32_t of[4][16];
};
constexpr QuarterWeights quarter_weights = [] {
  QuarterWeights weights{};
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (int number = 0; number < 16; ++number) {
      const int before = std::clamp(number - 4 * quarter, 0, 4);
      weights.of[quarter][number] =
          0x01010101 & core::low_mask<std::uint32_t>(static_cast<unsigned>(8 * before));
    }
  }
  return weights;
}();

/// For each of 16 numbers the sum of those before it, from 16 bytes.
inline __m512i sums_before(__m128i bytes) {
  const __m512i all = _mm512_broadcast_i32x4(bytes), zero = _mm512_setzero_si512();
  const __m512i first = _mm512_dpbusd_epi32(zero, _mm512_shuffle_epi32(all, _MM_PERM_AAAA),
                                            _mm512_load_si512(quarter_weights.of[0])),
                second = _mm512_dpbusd_epi32(zero, _mm512_shuffle_epi32(all, _MM_PERM_BBBB),
                                             _mm512_load_si512(quarter_weights.of[1]));
  return _mm512_add_epi32(_mm512_dpbusd_epi32(first, _mm512_shuffle_epi32(all, _MM_PERM_CCCC),
                                              _mm512_load_si512(quarter_weights.of[2])),
                          _mm512_dpbusd_epi32(second, _mm512_shuffle_epi32(all, _MM_PERM_DDDD),
                                              _mm512_load_si512(quarter_weights.of[3])));
}

/// Puts the extra bits of 16 words, of at most 31 bits each, behind their tops.
inline __m512i join_sixteen(EntropyDecoder& decoder, const SymbolParts& parts) {
  const __m512i window = _mm512_loadu_si512(decoder.extra + decoder.extra_bit / 8);
  const __m512i starts = _mm512_add_epi32(sums_before(parts.lengths),
                                          _mm512_set1_epi32(static_cast<int>(decoder.extra_bit % 8)));
  decoder.extra_bit += parts.first_half + parts.second_half;
  const __m512i spread = _mm512_set4_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0);
  const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(starts, 3), spread),
                                        _mm512_set1_epi32(0x03020100));
  const __m512i low = _mm512_permutexvar_epi8(bytes, window),
                high = _mm512_permutexvar_epi8(_mm512_add_epi8(bytes, _mm512_set1_epi8(4)), window);
  const __m512i bits = _mm512_shrdv_epi32(low, high, _mm512_and_si512(starts, _mm512_set1_epi32(7)));
  const __m512i lengths = _mm512_cvtepu8_epi32(parts.lengths);
  const __m512i above = _mm512_sllv_epi32(_mm512_set1_epi32(-1), lengths),
                tops = _mm512_sllv_epi32(_mm512_cvtepu8_epi32(parts.tops), lengths);
  return _mm512_ternarylogic_epi32(tops, bits, above, 0xF4);  // first | (second & ~third)
}

/// The same for one half of 16 words, of at most 63 bits each; `starts` are numbers of 32 bits.
inline __m512i join_eight_wide(const std::uint8_t* window_at, __m256i starts, __m128i half_lengths,
                               __m128i half_tops) {
  const __m512i window = _mm512_loadu_si512(window_at), wide_starts = _mm512_cvtepu32_epi64(starts);
  const __m512i spread = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
  const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(wide_starts, 3), spread),
                                        _mm512_set1_epi64(0x0706050403020100));
  const __m512i low = _mm512_permutexvar_epi8(bytes, window),
                high = _mm512_permutexvar_epi8(_mm512_add_epi8(bytes, _mm512_set1_epi8(8)), window);
  const __m512i bits = _mm512_shrdv_epi64(low, high, _mm512_and_si512(wide_starts, _mm512_set1_epi64(7)));
  const __m512i lengths = _mm512_cvtepu8_epi64(half_lengths);
  const __m512i above = _mm512_sllv_epi64(_mm512_set1_epi64(-1), lengths),
                tops = _mm512_sllv_epi64(_mm512_cvtepu8_epi64(half_tops), lengths);
  return _mm512_ternarylogic_epi64(tops, bits, above, 0xF4);
}

/// The words of 16 symbols.
template <class W>
inline void join_vectors(EntropyDecoder& decoder, const WideWordsOfOffsets<W>& words_of,
                         const std::uint8_t* symbols, W* words) {
  const SymbolParts parts(decoder.shape.model, symbols);
  if constexpr (sizeof(W) == 8) {
    const __m512i sums = sums_before(parts.lengths);
    const auto join = [&](__m256i before, unsigned skipped, __m128i lengths, __m128i tops, W* to) {
      const auto first = static_cast<int>(decoder.extra_bit % 8) - static_cast<int>(skipped);
      _mm512_storeu_si512(
          to, words_of(join_eight_wide(decoder.extra + decoder.extra_bit / 8,
                                       _mm256_add_epi32(before, _mm256_set1_epi32(first)), lengths, tops)));
    };
    join(_mm512_castsi512_si256(sums), 0, parts.lengths, parts.tops, words);
    decoder.extra_bit += parts.first_half;
    join(_mm512_extracti64x4_epi64(sums, 1), static_cast<unsigned>(parts.first_half),
         _mm_srli_si128(parts.lengths, 8), _mm_srli_si128(parts.tops, 8), words + 8);
    decoder.extra_bit += parts.second_half;
  } else {
    _mm512_storeu_si512(words, words_of(join_sixteen(decoder, parts)));
  }
}

/// The words of 16 symbols without extra bits.
template <class W>
inline void widen_vectors(const WideWordsOfOffsets<W>& words_of, const std::uint8_t* symbols, W* words) {
  const __m128i of_words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols));
  if constexpr (sizeof(W) == 8) {
    _mm512_storeu_si512(words, words_of(_mm512_cvtepu8_epi64(of_words)));
    _mm512_storeu_si512(words + 8, words_of(_mm512_cvtepu8_epi64(_mm_srli_si128(of_words, 8))));
  } else {
    _mm512_storeu_si512(words, words_of(_mm512_cvtepu8_epi32(of_words)));
  }
}

/// Whole groups. The steps of one and the words of the one before take turns, so that either hides how long
/// the other waits.
template <class W, unsigned frequency_bits, bool has_extra>
bool decode_wide_groups(EntropyDecoder& decoder, W* words, std::size_t groups) {
  constexpr unsigned steps = entropy_steps<W>, group = max_entropy_lanes * steps;
  const WideWordsOfOffsets<W> words_of(decoder.shape.model);
  WideLanes lanes{{_mm512_loadu_si512(decoder.states), _mm512_loadu_si512(decoder.states + 16)},
                  decoder.words};
  alignas(64) std::uint8_t symbols[2][group];
  bool is_inside = true;
  for (std::size_t i = 0; i <= groups && is_inside; ++i) {
    __m512i of_steps[2] = {};
    const std::uint8_t* const before = symbols[(i + 1) % 2];
    const auto join = [&](unsigned sixteen) {
      W* const to = words + (i - 1) * group + 16 * sixteen;
      if constexpr (has_extra)
        join_vectors(decoder, words_of, before + 16 * sixteen, to);
      else
        widen_vectors(words_of, before + 16 * sixteen, to);
    };
    const auto take = [&]<unsigned step>(std::integral_constant<unsigned, step>) {
      if (i < groups) step_lanes<frequency_bits, step>(lanes, decoder.table, of_steps);
      if (i == 0) return;
      join(2 * step);
      join(2 * step + 1);
    };
    [&]<unsigned... all>(std::integer_sequence<unsigned, all...>) {
      (take(std::integral_constant<unsigned, all>{}), ...);
    }
    (std::make_integer_sequence<unsigned, steps>{});
    if (i < groups) store_symbols<steps>(of_steps, symbols[i % 2]);
    is_inside = lanes.words <= decoder.words_end && decoder.extra_bit <= decoder.extra_end;
  }
  decoder.words = lanes.words;
  _mm512_storeu_si512(decoder.states, lanes.states[0]);
  _mm512_storeu_si512(decoder.states + 16, lanes.states[1]);
  return is_inside;
}

template <class W, unsigned frequency_bits>
bool decode_wide_groups(EntropyDecoder& decoder, W* words, std::size_t groups) {
  return decoder.max_extra_bits > 0 ? decode_wide_groups<W, frequency_bits, true>(decoder, words, groups)
                                    : decode_wide_groups<W, frequency_bits, false>(decoder, words, groups);
}

template <class W>
bool decode_in_wide_vectors(EntropyDecoder& decoder, W* words, std::size_t count) {
  constexpr std::size_t group = max_entropy_lanes * entropy_steps<W>;
  if (decoder.shape.lanes != max_entropy_lanes) return decode_words(decoder, words, count);
  const std::size_t groups = count / group;
  const bool is_short = decoder.shape.frequency_bits == short_frequency_bits;
  if (groups > 0 && !(is_short ? decode_wide_groups<W, short_frequency_bits>(decoder, words, groups)
                               : decode_wide_groups<W, long_frequency_bits>(decoder, words, groups)))
    return false;
  return decode_words(decoder, words + groups * group, count % group);
}
