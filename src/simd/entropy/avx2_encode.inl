// Encoding with AVX2: symbols and extra bits of words, and the states of 32 lanes. simd/entropy/avx2.cpp
// includes this.

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

/// Bit lengths less mantissa_bits + 1, not below 0. The exponent of a float is the length of what it was made
/// of; without the bits below each set one, rounding does not change it.
class DroppedBits {
 public:
  explicit DroppedBits(unsigned mantissa_bits)
      : bias_(_mm256_set1_epi32(127 + static_cast<int>(mantissa_bits))) {}
  __m256i operator()(__m256i numbers) const { return less_bias(exponents(numbers)); }
  [[nodiscard]] static __m256i exponents(__m256i numbers) {
    const __m256i as_floats =
        _mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_andnot_si256(_mm256_srli_epi32(numbers, 1), numbers)));
    return _mm256_min_epu32(_mm256_srli_epi32(as_floats, 23), _mm256_set1_epi32(158));  // without signs
  }
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

/// Extra bits of some words that were put together, and how many.
struct JoinedBits {
  alignas(32) std::uint64_t values[32], lengths[32];
};

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
/// Lengths come from the upper halves, or from the lower ones where those are 0.
inline WideSymbols find_wide_symbols(const EntropyModel& model, const DroppedBits& dropped_bits,
                                     __m256i first_parts, __m256i second_parts) {
  const __m256i zero = _mm256_setzero_si256();
  const auto halves = [](__m256i a, __m256i b, auto which) {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which.value));
  };
  constexpr std::integral_constant<int, 0x88> low_halves;
  constexpr std::integral_constant<int, 0xDD> high_halves;
  const __m256i low = halves(first_parts, second_parts, low_halves),
                high = halves(first_parts, second_parts, high_halves);
  const __m256i is_low = _mm256_cmpeq_epi32(high, zero);
  const __m256i exponents = _mm256_add_epi32(DroppedBits::exponents(_mm256_blendv_epi8(high, low, is_low)),
                                             _mm256_andnot_si256(is_low, _mm256_set1_epi32(32)));
  const __m256i dropped = dropped_bits.less_bias(exponents);
  const __m256i first_tops = _mm256_srlv_epi64(first_parts, _mm256_unpacklo_epi32(dropped, zero)),
                second_tops = _mm256_srlv_epi64(second_parts, _mm256_unpackhi_epi32(dropped, zero));
  const __m128i mantissa_bits = _mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits));
  return {dropped, _mm256_add_epi32(_mm256_sll_epi32(dropped, mantissa_bits),
                                    halves(first_tops, second_tops, low_halves))};
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

/// Puts numbers of 7 to 64 bits. Bits in front of the byte where one begins are of the number before it
/// alone: no number waits for another one but for its place.
class LongBitWriter {
 public:
  explicit LongBitWriter(std::uint8_t* begin)
      : begin_(begin), place_(_mm256_setzero_si256()), carried_(_mm256_setzero_si256()) {}
  /// False, and nothing changes but what is written from here on, if one of the first `count` ones, a
  /// multiple of 4, has fewer bits.
  template <unsigned count>
  bool put(const JoinedBits& joined) {
    alignas(32) std::uint64_t bytes[count], places[count];
    const __m256i seven = _mm256_set1_epi64x(7), zero = _mm256_setzero_si256();
    __m256i place = place_, carried = carried_, is_short = zero;
#pragma GCC unroll 8
    for (unsigned k = 0; k < count; k += 4) {
      const __m256i values = load_vector(joined.values + k), lengths = load_vector(joined.lengths + k);
      is_short = _mm256_or_si256(is_short, _mm256_cmpgt_epi64(seven, lengths));
      const __m256i pairs = _mm256_add_epi64(lengths, _mm256_slli_si256(lengths, 8));
      const __m256i sums =
          _mm256_add_epi64(pairs, _mm256_blend_epi32(zero, _mm256_permute4x64_epi64(pairs, 0x55), 0xF0));
      const __m256i ends = _mm256_add_epi64(place, sums), begins = _mm256_sub_epi64(ends, lengths);
      const __m256i left =
          _mm256_srlv_epi64(values, _mm256_sub_epi64(lengths, _mm256_and_si256(ends, seven)));
      const __m256i turned = _mm256_permute4x64_epi64(left, 0x93);  // of the number before
      store_vector(bytes + k, _mm256_or_si256(_mm256_sllv_epi64(values, _mm256_and_si256(begins, seven)),
                                              _mm256_blend_epi32(turned, carried, 0x03)));
      store_vector(places + k, _mm256_srli_epi64(begins, 3));
      carried = turned;
      place = _mm256_add_epi64(place, _mm256_permute4x64_epi64(sums, 0xFF));
    }
    if (_mm256_testz_si256(is_short, is_short) == 0) return false;
    for (unsigned k = 0; k < count; ++k) core::store(begin_ + places[k], bytes[k]);
    place_ = place;
    carried_ = carried;
    return true;
  }
  /// The same state, for numbers of all lengths.
  [[nodiscard]] ExtraBitWriter as_any() const {
    const auto place = static_cast<std::uint64_t>(_mm256_extract_epi64(place_, 0));
    return {begin_ + place / 8, static_cast<std::uint64_t>(_mm256_extract_epi64(carried_, 0)),
            static_cast<unsigned>(place % 8)};
  }
  void go_on_from(ExtraBitWriter any) {
    place_ = _mm256_set1_epi64x(static_cast<long long>(any.finish(begin_)));
    carried_ = _mm256_set1_epi64x(static_cast<long long>(any.pending()));
  }

 private:
  std::uint8_t* begin_;
  __m256i place_, carried_;  // the bits that were put, in all elements; those that wait, in the first one
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
    std::uint32_t most = find_classes_of_words(model, words + i, count - i, classes + i);
    for (const std::uint16_t of_lane : lasts) most = of_lane > most ? of_lane : most;
    return most;
  }
}

/// The entries of eight lanes' symbols.
struct EightEntries {
  __m256i inverses, frequencies, firsts;
};
template <unsigned steps>
inline EightEntries entries_of(const EncoderEntry* table, const std::uint8_t* symbols) {
  const auto two = [&](unsigned a, unsigned b) {
    const auto* const first = reinterpret_cast<const __m128i*>(table + symbols[a * steps]);
    const auto* const second = reinterpret_cast<const __m64*>(table + symbols[b * steps]);
    return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(first)), second);
  };
  const __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(two(0, 1)), two(4, 5), 1),
               b = _mm256_insertf128_ps(_mm256_castps128_ps256(two(2, 3)), two(6, 7), 1);
  const __m256i packed = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
  return {_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), _mm256_srli_epi32(packed, 16),
          _mm256_and_si256(packed, _mm256_set1_epi32(0xFFFF))};
}

/// The states before a symbol. The upper half of the product with an inverse is the quotient, or one less.
template <unsigned frequency_bits>
inline __m256i states_before(__m256i states, const EightEntries& entries) {
  const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(states, entries.inverses), 32),
                odd =
                    _mm256_mul_epu32(_mm256_srli_epi64(states, 32), _mm256_srli_epi64(entries.inverses, 32));
  const __m256i quotients = _mm256_blend_epi32(even, odd, 0xAA);
  const __m256i rests = _mm256_sub_epi32(states, _mm256_mullo_epi32(quotients, entries.frequencies));
  const __m256i one_more = _mm256_sub_epi32(_mm256_set1_epi32(1 << frequency_bits), entries.frequencies);
  const __m256i is_exact = _mm256_cmpgt_epi32(entries.frequencies, rests);
  const __m256i sums =
      _mm256_add_epi32(_mm256_slli_epi32(quotients, frequency_bits), _mm256_add_epi32(rests, entries.firsts));
  return _mm256_add_epi32(sums, _mm256_andnot_si256(is_exact, one_more));
}

/// States that are too large for what comes give their lower halves away.
inline __m256i spill(__m256i states, __m256i fits, std::uint8_t*& end) {
  const unsigned set = ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(fits))) & 255;
  const __m256i order =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lane_tables.compress[set])));
  const __m256i given =
      _mm256_permutevar8x32_epi32(_mm256_and_si256(states, _mm256_set1_epi32(0xFFFF)), order);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(end - 16),
                   _mm_packus_epi32(_mm256_castsi256_si128(given), _mm256_extracti128_si256(given, 1)));
  end -= 2 * static_cast<unsigned>(_mm_popcnt_u32(set));
  return _mm256_blendv_epi8(_mm256_srli_epi32(states, 16), states, fits);
}

template <unsigned steps, unsigned frequency_bits>
std::uint8_t* encode_groups(const EncoderEntry* tables, std::uint32_t* states_of_lanes,
                            const std::uint8_t* symbols, const std::uint8_t* choices, std::size_t count,
                            std::uint8_t* end) {
  constexpr bool in_pairs = frequency_bits == short_frequency_bits;
  constexpr unsigned interval = in_pairs ? 2 : 1;
  __m256i states[4];
  for (unsigned k = 0; k < 4; ++k) states[k] = load_vector(states_of_lanes + 8 * k);
  for (std::size_t i = count; i > 0; i -= max_entropy_lanes * steps) {
    const std::uint8_t* const group = symbols + (i - max_entropy_lanes * steps);
    for (unsigned step = steps; step > 0; step -= interval) {
#pragma GCC unroll 4
      for (unsigned done = 0; done < 4; ++done) {
        const unsigned k = 3 - done;
        const std::uint8_t* const of_lanes = group + 8 * k * steps + step;
        const EncoderEntry* const table =
            choices == nullptr
                ? tables
                : tables + entropy_symbols * choices[(group - symbols + 8 * k * steps) / entropy_run_words];
        const EightEntries last = entries_of<steps>(table, of_lanes - 1);
        if constexpr (in_pairs) {
          const EightEntries first = entries_of<steps>(table, of_lanes - 2);
          const __m256i both = _mm256_mullo_epi16(first.frequencies, last.frequencies);
          states[k] = spill(states[k], _mm256_cmpgt_epi32(both, _mm256_srli_epi32(states[k], 16)), end);
          states[k] = states_before<frequency_bits>(states_before<frequency_bits>(states[k], last), first);
        } else {
          const __m256i upper = _mm256_srli_epi32(states[k], 32 - frequency_bits);
          states[k] = spill(states[k], _mm256_cmpgt_epi32(last.frequencies, upper), end);
          states[k] = states_before<frequency_bits>(states[k], last);
        }
      }
    }
  }
  for (unsigned k = 0; k < 4; ++k) store_vector(states_of_lanes + 8 * k, states[k]);
  return end;
}

template <class W>
std::uint8_t* encode_in_vectors(const EntropyShape& shape, const EncoderEntry* table, std::uint32_t* states,
                                const std::uint8_t* symbols, const std::uint8_t* choices, std::size_t count,
                                std::uint8_t* end) {
  constexpr unsigned steps = entropy_steps<W>;
  if (shape.lanes != max_entropy_lanes)
    return encode_symbols<W>(shape, table, states, symbols, choices, count, end);
  return shape.frequency_bits == short_frequency_bits
             ? encode_groups<steps, short_frequency_bits>(table, states, symbols, choices, count, end)
             : encode_groups<steps, long_frequency_bits>(table, states, symbols, choices, count, end);
}
