// Encoding with AVX2: symbols and extra bits of words. simd/entropy/avx2.cpp includes this.

/// Words to offsets: with d the difference to the base, (d << shift) ^ (sign of d & fold) is all three modes.
template <class W>
class OffsetsOfWords {
 public:
  explicit OffsetsOfWords(const EntropyModel& model)
      : shift_(_mm_cvtsi32_si128(model.mode == EntropyMode::upwards ? 0 : 1)),
        fold_(all(model.mode == EntropyMode::folded    ? ~std::uint64_t{0}
                  : model.mode == EntropyMode::rotated ? 1
                                                       : 0)),
        base_(all(model.base)) {}
  __m256i operator()(__m256i words) const {
    if constexpr (sizeof(W) == 8) {
      const __m256i difference = _mm256_sub_epi64(words, base_),
                    sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), difference);
      return _mm256_xor_si256(_mm256_sll_epi64(difference, shift_), _mm256_and_si256(sign, fold_));
    } else if constexpr (sizeof(W) == 4) {
      const __m256i difference = _mm256_sub_epi32(words, base_), sign = _mm256_srai_epi32(difference, 31);
      return _mm256_xor_si256(_mm256_sll_epi32(difference, shift_), _mm256_and_si256(sign, fold_));
    } else {
      const __m256i difference = _mm256_sub_epi16(words, base_), sign = _mm256_srai_epi16(difference, 15);
      return _mm256_xor_si256(_mm256_sll_epi16(difference, shift_), _mm256_and_si256(sign, fold_));
    }
  }

 private:
  static __m256i all(std::uint64_t word) {
    if constexpr (sizeof(W) == 8) return _mm256_set1_epi64x(static_cast<long long>(word));
    if constexpr (sizeof(W) == 4) return _mm256_set1_epi32(static_cast<int>(word));
    return _mm256_set1_epi16(static_cast<short>(word));
  }
  __m128i shift_;
  __m256i fold_, base_;
};

/// Bit lengths less mantissa_bits + 1, not below 0.
class DroppedBits {
 public:
  explicit DroppedBits(unsigned mantissa_bits)
      : bias_(_mm256_set1_epi32(exponent_bias + 1 + static_cast<int>(mantissa_bits))) {}
  __m256i operator()(__m256i numbers) const { return less_bias(exponents_of(numbers)); }
  [[nodiscard]] __m256i less_bias(__m256i exponents) const {
    return _mm256_max_epi32(_mm256_sub_epi32(exponents, bias_), _mm256_setzero_si256());
  }

 private:
  __m256i bias_;
};

/// 32 symbols, eight in each vector.
inline void store_narrow(const __m256i (&symbols)[4], std::uint8_t* to) {
  const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(symbols[0], symbols[1]),
                                             _mm256_packus_epi32(symbols[2], symbols[3]));
  store_vector(to, _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/// Of eight words that have offsets of 32 bits: symbols, and extra bits of pairs.
inline __m256i split_eight(const EntropyModel& model, const DroppedBits& dropped_bits, __m256i offsets,
                           JoinedBits& joined, unsigned k) {
  const __m256i low_half = _mm256_set1_epi64x(0xFFFFFFFF);
  const __m256i parts = _mm256_srl_epi32(offsets, _mm_cvtsi32_si128(static_cast<int>(model.raw_bits)));
  const __m256i dropped = dropped_bits(parts);
  const __m256i lengths = _mm256_add_epi32(dropped, _mm256_set1_epi32(static_cast<int>(model.raw_bits)));
  const __m256i extra = _mm256_andnot_si256(_mm256_sllv_epi32(_mm256_set1_epi32(-1), lengths), offsets);
  const __m256i first_length = _mm256_and_si256(lengths, low_half);
  const __m256i second = _mm256_sllv_epi64(_mm256_srli_epi64(extra, 32), first_length);
  store_vector(joined.values + 4 * k, _mm256_or_si256(_mm256_and_si256(extra, low_half), second));
  store_vector(joined.lengths + 4 * k, _mm256_add_epi64(first_length, _mm256_srli_epi64(lengths, 32)));
  return _mm256_add_epi32(_mm256_sll_epi32(dropped, _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits))),
                          _mm256_srlv_epi32(parts, dropped));
}

/// Of eight numbers of 64 bits, in the order 0 1 4 5 2 3 6 7.
struct WideSymbols {
  __m256i dropped, symbols;
};
inline WideSymbols find_wide_symbols(const EntropyModel& model, const DroppedBits& dropped_bits,
                                     __m256i first_parts, __m256i second_parts) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i dropped = dropped_bits.less_bias(exponents_of_eight(first_parts, second_parts));
  const __m256i first_tops = _mm256_srlv_epi64(first_parts, _mm256_unpacklo_epi32(dropped, zero)),
                second_tops = _mm256_srlv_epi64(second_parts, _mm256_unpackhi_epi32(dropped, zero));
  const __m128i mantissa_bits = _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits));
  return {dropped,
          _mm256_add_epi32(_mm256_sll_epi32(dropped, mantissa_bits), low_halves(first_tops, second_tops))};
}

/// Of eight offsets of 64 bits: symbols, and extra bits.
inline __m256i split_eight_wide(const EntropyModel& model, const DroppedBits& dropped_bits, __m256i first,
                                __m256i second, JoinedBits& joined, unsigned k) {
  const __m256i zero = _mm256_setzero_si256();
  const __m128i raw = _mm_cvtsi32_si128(static_cast<int>(model.raw_bits));
  const auto [dropped, symbols] =
      find_wide_symbols(model, dropped_bits, _mm256_srl_epi64(first, raw), _mm256_srl_epi64(second, raw));
  const __m256i lengths = _mm256_add_epi32(dropped, _mm256_set1_epi32(static_cast<int>(model.raw_bits)));
  const auto store = [&](unsigned at, __m256i offsets, __m256i of_four) {
    const __m256i above = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), of_four);
    store_vector(joined.values + at, _mm256_andnot_si256(above, offsets));
    store_vector(joined.lengths + at, of_four);
  };
  store(8 * k, first, _mm256_unpacklo_epi32(lengths, zero));
  store(8 * k + 4, second, _mm256_unpackhi_epi32(lengths, zero));
  return _mm256_permute4x64_epi64(symbols, 0xD8);
}

/// Of 32 words: symbols, and extra bits.
template <class W>
inline void split_vectors(const EntropyModel& model, const OffsetsOfWords<W>& offsets_of,
                          const DroppedBits& dropped_bits, const W* words, std::uint8_t* symbols,
                          JoinedBits& joined) {
  __m256i of_words[4];
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    if constexpr (sizeof(W) == 8) {
      of_words[k] = split_eight_wide(model, dropped_bits, offsets_of(load_vector(words + 8 * k)),
                                     offsets_of(load_vector(words + 8 * k + 4)), joined, k);
    } else if constexpr (sizeof(W) == 4) {
      of_words[k] = split_eight(model, dropped_bits, offsets_of(load_vector(words + 8 * k)), joined, k);
    } else if (k % 2 == 0) {
      const __m256i offsets = offsets_of(load_vector(words + 8 * k));
      of_words[k] =
          split_eight(model, dropped_bits, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(offsets)), joined, k);
      of_words[k + 1] = split_eight(
          model, dropped_bits, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(offsets, 1)), joined, k + 1);
    }
  }
  store_narrow(of_words, symbols);
}

/// 32 words at a time, and the rest one by one.
template <class W>
std::uint64_t split_in_vectors(const EntropyModel& model, const W* words, std::size_t count,
                               std::uint8_t* symbols, std::uint8_t* extra) {
  if (model.mantissa_bits == max_mantissa_bits && model.raw_bits == 0) {
    // No offset has more than eight bits.
    const W base = static_cast<W>(model.base);
    for (std::size_t i = 0; i < count; ++i)
      symbols[i] = static_cast<std::uint8_t>(offset_of(words[i], model.mode, base));
    return 0;
  }
  if constexpr (sizeof(W) == 1) {
    return split_block(model, words, count, symbols, extra);
  } else {
    const OffsetsOfWords<W> offsets_of(model);
    const DroppedBits dropped_bits(model.mantissa_bits);
    JoinedBits joined;
    std::size_t i = 0;
    LongBitWriter long_numbers(extra);
    if constexpr (sizeof(W) > 2) {
      // As long as there are seldom short ones.
      constexpr std::size_t max_short = 4, words_of_short = 1024;
      std::size_t short_groups = 0;
      bool in_pairs = true;
      for (; i + 32 <= count && short_groups <= max_short + i / words_of_short; i += 32) {
        split_vectors(model, offsets_of, dropped_bits, words + i, symbols + i, joined);
        if (put_long<W>(joined, long_numbers, in_pairs)) continue;
        ++short_groups;
        ExtraBitWriter any = long_numbers.as_any();
        put_joined<W>(joined, any);
        long_numbers.go_on_from(any);
      }
    }
    ExtraBitWriter out = long_numbers.as_any();
    for (; i + 32 <= count; i += 32) {
      split_vectors(model, offsets_of, dropped_bits, words + i, symbols + i, joined);
      put_joined<W>(joined, out);
    }
    split_words(model, words + i, count - i, symbols + i, out);
    return out.finish(extra);
  }
}

/// 16 words at a time, and the rest one by one.
template <class W>
std::uint32_t find_classes_in_vectors(const EntropyModel& model, const W* words, std::size_t count,
                                      std::uint16_t* classes) {
  if constexpr (sizeof(W) == 1) {
    return find_classes_of_words(model, words, count, classes);
  } else {
    const OffsetsOfWords<W> offsets_of(model);
    const DroppedBits dropped_bits(model.mantissa_bits);
    const __m128i mantissa_bits = _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits));
    const auto narrow = [&](__m256i offsets) {
      const __m256i dropped = dropped_bits(offsets);
      return _mm256_add_epi32(_mm256_sll_epi32(dropped, mantissa_bits), _mm256_srlv_epi32(offsets, dropped));
    };
    const auto eight_from = [&](const W* from) {
      if constexpr (sizeof(W) == 8) {
        const __m256i symbols = find_wide_symbols(model, dropped_bits, offsets_of(load_vector(from)),
                                                  offsets_of(load_vector(from + 4)))
                                    .symbols;
        return _mm256_permute4x64_epi64(symbols, 0xD8);
      } else {
        return narrow(offsets_of(load_vector(from)));
      }
    };
    __m256i last = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) {
      __m256i first_half, second_half;
      if constexpr (sizeof(W) == 2) {
        const __m256i offsets = offsets_of(load_vector(words + i));
        first_half = narrow(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(offsets)));
        second_half = narrow(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(offsets, 1)));
      } else {
        first_half = eight_from(words + i);
        second_half = eight_from(words + i + 8);
      }
      const __m256i packed = _mm256_packus_epi32(first_half, second_half);
      last = _mm256_max_epu16(last, packed);
      store_vector(classes + i, _mm256_permute4x64_epi64(packed, 0xD8));
    }
    std::uint16_t lasts[16];
    store_vector(lasts, last);
    std::uint32_t max_class = find_classes_of_words(model, words + i, count - i, classes + i);
    for (const std::uint16_t of_lane : lasts) max_class = of_lane > max_class ? of_lane : max_class;
    return max_class;
  }
}
