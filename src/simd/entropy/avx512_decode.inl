// Decoding with AVX-512: the steps of 32 lanes, and the words of 16 or 8 symbols at a time.
// simd/entropy/avx512.cpp includes this.

/// A vector for every 16 lanes.
using LaneVectors = __m512i[2];

/// The states of 32 lanes, and the numbers that they read.
struct Lanes {
  LaneVectors states;
  const std::uint8_t* words;

  void load(const EntropyDecoder& decoder) {
    words = decoder.words;
    for (unsigned k = 0; k < 2; ++k) states[k] = _mm512_loadu_si512(decoder.states + 16 * k);
  }
  void store(EntropyDecoder& decoder) const {
    decoder.words = words;
    for (unsigned k = 0; k < 2; ++k) _mm512_storeu_si512(decoder.states + 16 * k, states[k]);
  }
};

inline __m512i refill(__m512i states, const std::uint8_t*& words) {
  const __mmask16 small = _mm512_cmplt_epu32_mask(states, _mm512_set1_epi32(min_entropy_state));
  const __m512i numbers = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(small));
  return _mm512_mask_or_epi32(states, small, _mm512_slli_epi32(states, 16),
                              _mm512_maskz_expand_epi32(small, numbers));
}

/// A step of all lanes. `symbols` keeps those of up to four steps, a byte each.
template <unsigned frequency_bits, unsigned step, class Tables>
[[gnu::always_inline]] inline void step_lanes(Lanes& lanes, const Tables& tables, LaneVectors& symbols) {
  const __m512i slot_mask = _mm512_set1_epi32((1 << frequency_bits) - 1),
                offset_mask = _mm512_set1_epi32((1 << long_frequency_bits) - 1),
                first_bits = _mm512_set1_epi64(0x2C2C2C2C0C0C0C0C);  // of the symbols of two entries
#pragma GCC unroll 2
  for (unsigned k = 0; k < 2; ++k) {
    const __m512i slots = _mm512_and_si512(lanes.states[k], slot_mask);
    const __m512i entries =
        _mm512_inserti64x4(_mm512_castsi256_si512(look_up(tables.of(2 * k), _mm512_castsi512_si256(slots))),
                           look_up(tables.of(2 * k + 1), _mm512_extracti64x4_epi64(slots, 1)), 1);
    const __m512i scaled = _mm512_mullo_epi32(_mm512_srli_epi32(entries, 20),
                                              _mm512_srli_epi32(lanes.states[k], frequency_bits));
    lanes.states[k] = _mm512_add_epi32(scaled, _mm512_and_si512(entries, offset_mask));
    if (frequency_bits == long_frequency_bits || step % 2 == 1)
      lanes.states[k] = refill(lanes.states[k], lanes.words);
    if constexpr (step == 0)
      symbols[k] = _mm512_multishift_epi64_epi8(first_bits, entries);
    else
      symbols[k] = _mm512_mask_multishift_epi64_epi8(symbols[k], __mmask64{0x1111111111111111} << step,
                                                     first_bits, entries);
  }
}

/// Writes the symbols of a group in the order of the words. There are no groups of eight steps.
template <unsigned steps>
inline void store_symbols(const LaneVectors& symbols, const LaneVectors&, std::uint8_t* to) {
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
class WordsOfOffsets {
 public:
  explicit WordsOfOffsets(const EntropyModel& model)
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

/// What the symbols of a batch say of their words: how many extra bits they have, their sums over eight
/// words, and what stands above those.
struct SymbolParts {
  alignas(64) std::uint8_t lengths[entropy_batch_words], tops[entropy_batch_words];
  alignas(64) std::uint64_t sums[entropy_batch_words / 8];

  /// Of symbols in multiples of 64. Returns the sum of all lengths.
  std::uint64_t find(const EntropyModel& model, const std::uint8_t* symbols, std::size_t count) {
    const __m128i bits = _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits));
    const __m512i exponent_mask = _mm512_set1_epi8(static_cast<char>(0xFFU >> model.mantissa_bits)),
                  raw_bits = _mm512_set1_epi8(static_cast<char>(model.raw_bits));
    __m512i all = _mm512_setzero_si512();
    for (std::size_t i = 0; i < count; i += 64) {
      const __m512i of_words = _mm512_loadu_si512(symbols + i);
      const __m512i exponents = _mm512_and_si512(_mm512_srl_epi16(of_words, bits), exponent_mask);
      const __m512i dropped = _mm512_subs_epu8(exponents, _mm512_set1_epi8(1));
      const __m512i of_lengths = _mm512_add_epi8(dropped, raw_bits),
                    of_eight = _mm512_sad_epu8(of_lengths, _mm512_setzero_si512());
      _mm512_store_si512(lengths + i, of_lengths);
      // No byte reaches the next one: exponents have no more than 8 bits less those of mantissas.
      _mm512_store_si512(tops + i, _mm512_sub_epi8(of_words, _mm512_sll_epi16(dropped, bits)));
      _mm512_store_si512(sums + i / 8, of_eight);
      all = _mm512_add_epi64(all, of_eight);
    }
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(all));
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

/// For each of 16 numbers `first` and the sum of those before it.
inline __m512i sums_before(__m512i first, const std::uint8_t* numbers) {
  const auto add = [&](__m512i sums, unsigned quarter) {
    const auto four = core::load<std::uint32_t>(numbers + 4 * quarter);
    return _mm512_dpbusd_epi32(sums, _mm512_load_si512(quarter_weights.of[quarter]),
                               _mm512_set1_epi32(static_cast<int>(four)));
  };
  return _mm512_add_epi32(add(add(first, 0), 2), add(add(_mm512_setzero_si512(), 1), 3));
}

inline __m512i widen_sixteen(const std::uint8_t* bytes) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}
inline __m512i widen_eight(const std::uint8_t* bytes) {
  return _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
}

/// Puts the extra bits of 16 words, of at most 31 bits each, behind their tops. `starts` are in bits from the
/// window on.
inline __m512i join_sixteen(const std::uint8_t* window_at, __m512i starts, const std::uint8_t* lengths,
                            const std::uint8_t* tops) {
  const __m512i window = _mm512_loadu_si512(window_at);
  const __m512i spread = _mm512_set4_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0);
  const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(starts, 3), spread),
                                        _mm512_set1_epi32(0x03020100));
  const __m512i low = _mm512_permutexvar_epi8(bytes, window),
                high = _mm512_permutexvar_epi8(_mm512_add_epi8(bytes, _mm512_set1_epi8(4)), window);
  const __m512i bits = _mm512_shrdv_epi32(low, high, _mm512_and_si512(starts, _mm512_set1_epi32(7)));
  const __m512i shifts = widen_sixteen(lengths);
  const __m512i above = _mm512_sllv_epi32(_mm512_set1_epi32(-1), shifts);
  return _mm512_ternarylogic_epi32(_mm512_sllv_epi32(widen_sixteen(tops), shifts), bits, above,
                                   0xF4);  // first | (second & ~third)
}

/// The same of 8 words of at most 63 bits each; `starts` are numbers of 32 bits.
inline __m512i join_eight_wide(const std::uint8_t* window_at, __m256i starts, const std::uint8_t* lengths,
                               const std::uint8_t* tops) {
  const __m512i window = _mm512_loadu_si512(window_at), wide_starts = _mm512_cvtepu32_epi64(starts);
  const __m512i spread = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
  const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(wide_starts, 3), spread),
                                        _mm512_set1_epi64(0x0706050403020100));
  const __m512i low = _mm512_permutexvar_epi8(bytes, window),
                high = _mm512_permutexvar_epi8(_mm512_add_epi8(bytes, _mm512_set1_epi8(8)), window);
  const __m512i bits = _mm512_shrdv_epi64(low, high, _mm512_and_si512(wide_starts, _mm512_set1_epi64(7)));
  const __m512i shifts = widen_eight(lengths);
  const __m512i above = _mm512_sllv_epi64(_mm512_set1_epi64(-1), shifts);
  return _mm512_ternarylogic_epi64(_mm512_sllv_epi64(widen_eight(tops), shifts), bits, above, 0xF4);
}

/// The 16 words of a batch from word `i` on, whose extra bits begin at `bit`.
template <class W>
[[gnu::always_inline]] inline void join_vectors(const SymbolParts& parts, std::size_t i,
                                                const std::uint8_t* extra, std::uint64_t bit,
                                                const WordsOfOffsets<W>& words_of, W* words) {
  const auto first_bit = [](std::uint64_t from) { return static_cast<int>(from % 8); };
  const std::uint8_t *const lengths = parts.lengths + i, *const tops = parts.tops + i;
  const __m512i starts = sums_before(_mm512_set1_epi32(first_bit(bit)), lengths);
  if constexpr (sizeof(W) == 8) {
    const std::uint64_t sum = parts.sums[i / 8], second = bit + sum;
    const __m256i of_second =
        _mm256_add_epi32(_mm512_extracti64x4_epi64(starts, 1),
                         _mm256_set1_epi32(first_bit(second) - first_bit(bit) - static_cast<int>(sum)));
    _mm512_storeu_si512(
        words, words_of(join_eight_wide(extra + bit / 8, _mm512_castsi512_si256(starts), lengths, tops)));
    _mm512_storeu_si512(words + 8,
                        words_of(join_eight_wide(extra + second / 8, of_second, lengths + 8, tops + 8)));
  } else {
    _mm512_storeu_si512(words, words_of(join_sixteen(extra + bit / 8, starts, lengths, tops)));
  }
}

/// The words of 16 symbols without extra bits.
template <class W>
inline void widen_vectors(const WordsOfOffsets<W>& words_of, const std::uint8_t* symbols, W* words) {
  const __m128i of_words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols));
  if constexpr (sizeof(W) == 8) {
    _mm512_storeu_si512(words, words_of(_mm512_cvtepu8_epi64(of_words)));
    _mm512_storeu_si512(words + 8, words_of(_mm512_cvtepu8_epi64(_mm_srli_si128(of_words, 8))));
  } else {
    _mm512_storeu_si512(words, words_of(_mm512_cvtepu8_epi32(of_words)));
  }
}

/// The words of symbols, 16 at a time. False if there are not so many extra bits.
template <class W>
[[gnu::noinline]] bool join_symbols(EntropyDecoder& decoder, const std::uint8_t* symbols, W* words,
                                    std::size_t count) {
  const WordsOfOffsets<W> words_of(decoder.shape.model);
  if (decoder.max_extra_bits == 0) {
    for (std::size_t i = 0; i < count; i += 16) widen_vectors(words_of, symbols + i, words + i);
    return true;
  }
  SymbolParts parts;
  std::uint64_t bit = decoder.extra_bit;
  decoder.extra_bit += parts.find(decoder.shape.model, symbols, count);
  if (decoder.extra_bit > decoder.extra_end) return false;
  for (std::size_t i = 0; i < count; i += 16) {
    join_vectors(parts, i, decoder.extra, bit, words_of, words + i);
    bit += parts.sums[i / 8] + parts.sums[i / 8 + 1];
  }
  return true;
}
