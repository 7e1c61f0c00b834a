// Decoding with AVX2: the steps of 32 lanes, and the words of 32 symbols. simd/entropy_avx2.cpp includes
// this.

/// The states of 32 lanes, and the numbers that they read.
struct Lanes {
  __m256i states[4];
  const std::uint8_t* words;
};

/// Lanes whose states became too small take the next numbers.
inline __m256i refill(__m256i states, const std::uint8_t*& words) {
  const __m256i small = _mm256_cmpeq_epi32(_mm256_srli_epi32(states, 16), _mm256_setzero_si256());
  const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(small)));
  const __m256i numbers = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)));
  const __m256i order =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lane_tables.expand[set])));
  const __m256i refilled =
      _mm256_or_si256(_mm256_slli_epi32(states, 16), _mm256_permutevar8x32_epi32(numbers, order));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(set));
  return _mm256_blendv_epi8(states, refilled, small);
}

/// A step of all lanes. `symbols` keeps those of up to four steps, a byte each.
template <unsigned frequency_bits, unsigned step>
inline void step_lanes(Lanes& lanes, const std::uint32_t* table, __m256i (&symbols)[4]) {
  const __m256i slot_mask = _mm256_set1_epi32((1 << frequency_bits) - 1),
                offset_mask = _mm256_set1_epi32((1 << long_frequency_bits) - 1);
  __m256i entries[4];
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) entries[k] = look_up(table, _mm256_and_si256(lanes.states[k], slot_mask));
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    const __m256i scaled = _mm256_mullo_epi32(_mm256_srli_epi32(entries[k], 20),
                                              _mm256_srli_epi32(lanes.states[k], frequency_bits));
    const __m256i offsets = _mm256_and_si256(_mm256_srli_epi32(entries[k], 8), offset_mask);
    lanes.states[k] = _mm256_add_epi32(scaled, offsets);
    if (frequency_bits == long_frequency_bits || step % 2 == 1)
      lanes.states[k] = refill(lanes.states[k], lanes.words);
    if constexpr (step % 4 == 0) {
      symbols[k] = _mm256_and_si256(entries[k], _mm256_set1_epi32(255));
    } else if constexpr (step % 4 == 3) {
      symbols[k] = _mm256_or_si256(symbols[k], _mm256_slli_epi32(entries[k], 24));
    } else {
      const __m256i symbol = _mm256_and_si256(entries[k], _mm256_set1_epi32(255));
      symbols[k] = _mm256_or_si256(symbols[k], _mm256_slli_epi32(symbol, 8 * (step % 4)));
    }
  }
}

/// Writes the symbols of a group in the order of the words. Of eight steps, those of the first four are in
/// `first`.
template <unsigned steps>
inline void store_symbols(const __m256i (&symbols)[4], const __m256i (&first)[4], std::uint8_t* to) {
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    if constexpr (steps == 8) {
      const __m256i low = _mm256_unpacklo_epi32(first[k], symbols[k]),
                    high = _mm256_unpackhi_epi32(first[k], symbols[k]);
      store_vector(to + 64 * k, _mm256_permute2x128_si256(low, high, 0x20));
      store_vector(to + 64 * k + 32, _mm256_permute2x128_si256(low, high, 0x31));
    } else if constexpr (steps == 4) {
      store_vector(to + 32 * k, symbols[k]);
    } else if (k % 2 == 0) {
      store_vector(to + 16 * k,
                   _mm256_permute4x64_epi64(_mm256_packus_epi32(symbols[k], symbols[k + 1]), 0xD8));
    }
  }
}

/// A shift of bytes by a number of bits.
inline __m256i shift_bytes_right(__m256i bytes, unsigned bits) {
  return _mm256_and_si256(_mm256_srl_epi16(bytes, _mm_cvtsi32_si128(static_cast<int>(bits))),
                          _mm256_set1_epi8(static_cast<char>(0xFF >> bits)));
}
inline __m256i shift_bytes_left(__m256i bytes, unsigned bits) {
  return _mm256_and_si256(_mm256_sll_epi16(bytes, _mm_cvtsi32_si128(static_cast<int>(bits))),
                          _mm256_set1_epi8(static_cast<char>(0xFF << bits)));
}

/// Offsets to words: (o >> shift) ^ (-(o & fold) & mask), plus base, which is all three modes.
template <class W>
class WordsOfOffsets {
 public:
  explicit WordsOfOffsets(const EntropyModel& model)
      : shift_(_mm_cvtsi32_si128(model.mode == EntropyMode::upwards ? 0 : 1)),
        fold_(all(model.mode == EntropyMode::upwards ? 0 : 1)),
        mask_(all(model.mode == EntropyMode::rotated ? W{1} << (core::word_bits<W> - 1) : ~W{0})),
        base_(all(static_cast<W>(model.base))),
        low_bits_(_mm256_set1_epi8(model.mode == EntropyMode::upwards ? -1 : 0x7F)) {}
  __m256i operator()(__m256i offsets) const {
    const __m256i zero = _mm256_setzero_si256(), folds = _mm256_and_si256(offsets, fold_);
    if constexpr (sizeof(W) == 8) {
      const __m256i sign = _mm256_and_si256(_mm256_sub_epi64(zero, folds), mask_);
      return _mm256_add_epi64(_mm256_xor_si256(_mm256_srl_epi64(offsets, shift_), sign), base_);
    } else if constexpr (sizeof(W) == 4) {
      const __m256i sign = _mm256_and_si256(_mm256_sub_epi32(zero, folds), mask_);
      return _mm256_add_epi32(_mm256_xor_si256(_mm256_srl_epi32(offsets, shift_), sign), base_);
    } else if constexpr (sizeof(W) == 2) {
      const __m256i sign = _mm256_and_si256(_mm256_sub_epi16(zero, folds), mask_);
      return _mm256_add_epi16(_mm256_xor_si256(_mm256_srl_epi16(offsets, shift_), sign), base_);
    } else {
      const __m256i sign = _mm256_and_si256(_mm256_sub_epi8(zero, folds), mask_);
      const __m256i shifted = _mm256_and_si256(_mm256_srl_epi16(offsets, shift_), low_bits_);
      return _mm256_add_epi8(_mm256_xor_si256(shifted, sign), base_);
    }
  }

 private:
  static __m256i all(std::uint64_t word) {
    if constexpr (sizeof(W) == 8) return _mm256_set1_epi64x(static_cast<long long>(word));
    if constexpr (sizeof(W) == 4) return _mm256_set1_epi32(static_cast<int>(word));
    if constexpr (sizeof(W) == 2) return _mm256_set1_epi16(static_cast<short>(word));
    return _mm256_set1_epi8(static_cast<char>(word));
  }
  __m128i shift_;
  __m256i fold_, mask_, base_;
  __m256i low_bits_;  // of bytes, that shifts of 16 bits leave alone
};

/// Where the extra bits of 32 symbols are. Windows of 16 bytes begin with the first bit of two or four words;
/// of each word there is the number of the byte in its window, and the shift in that byte.
struct ExtraBits {
  alignas(32) std::uint8_t lengths[32], tops[32], bytes[32], shifts[32];
  alignas(32) std::uint16_t windows[32];  ///< In bytes from `begin`.
  const std::uint8_t* begin;
};

/// Takes 32 symbols to what their words are made of. Windows are those of two words, or of four.
template <unsigned words_of_window>
inline bool find_extra_bits(EntropyDecoder& decoder, __m256i symbols, unsigned max_length, ExtraBits& out) {
  const EntropyModel& model = decoder.shape.model;
  const __m256i ones = _mm256_set1_epi8(1);
  const __m256i dropped = _mm256_subs_epu8(shift_bytes_right(symbols, model.mantissa_bits), ones);
  const __m256i lengths = _mm256_add_epi8(dropped, _mm256_set1_epi8(static_cast<char>(model.raw_bits)));
  store_vector(out.lengths, lengths);
  store_vector(out.tops, _mm256_sub_epi8(symbols, shift_bytes_left(dropped, model.mantissa_bits)));
  const auto first_shift = static_cast<short>(decoder.extra_bit % 8);
  out.begin = decoder.extra + decoder.extra_bit / 8;
  // Sums of two lengths in 16 bits each, and what is before each pair.
  const __m256i pairs = _mm256_maddubs_epi16(lengths, ones);
  __m256i sums = _mm256_add_epi16(pairs, _mm256_slli_si256(pairs, 2));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 4));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 8));
  const __m256i lower = _mm256_permute2x128_si256(sums, sums, 0x08);
  sums = _mm256_add_epi16(sums, _mm256_shuffle_epi8(lower, _mm256_set1_epi16(0x0F0E)));
  decoder.extra_bit += static_cast<std::uint16_t>(_mm256_extract_epi16(sums, 15));
  const __m256i starts = _mm256_add_epi16(_mm256_sub_epi16(sums, pairs), _mm256_set1_epi16(first_shift));
  const __m256i in_byte = _mm256_set1_epi16(7);
  __m256i bits = _mm256_slli_epi16(lengths, 8);  // before each word of a pair
  if constexpr (words_of_window == 2) {
    store_vector(out.windows, _mm256_srli_epi16(starts, 3));
    bits = _mm256_add_epi8(bits,
                           _mm256_mullo_epi16(_mm256_and_si256(starts, in_byte), _mm256_set1_epi16(0x0101)));
  } else {
    // Every second start is that of four words.
    const __m256i four =
        _mm256_shuffle_epi8(starts, _mm256_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13, 0, 1,
                                                     0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13));
    store_vector(out.windows, _mm256_srli_epi16(four, 3));
    const __m256i before = _mm256_add_epi16(_mm256_and_si256(four, in_byte), _mm256_sub_epi16(starts, four));
    bits = _mm256_add_epi8(bits, _mm256_or_si256(before, _mm256_slli_epi16(before, 8)));
  }
  store_vector(out.bytes, shift_bytes_right(bits, 3));
  store_vector(out.shifts, _mm256_and_si256(bits, _mm256_set1_epi8(7)));
  const __m256i too_long = _mm256_subs_epu8(lengths, _mm256_set1_epi8(static_cast<char>(max_length)));
  return _mm256_testz_si256(too_long, too_long) != 0;
}

inline __m256i window_pair(const ExtraBits& extra, unsigned first, unsigned second) {
  const auto load = [&](unsigned i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(extra.begin + extra.windows[i]));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load(first)), load(second), 1);
}
inline __m256i widen_eight(const std::uint8_t* bytes) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
}
inline __m256i widen_four(const std::uint8_t* bytes) {
  return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(static_cast<int>(core::load<std::uint32_t>(bytes))));
}

/// Eight offsets of at most 32 bits, whose extra bits are at most 25, or with `fifth_byte` 30.
template <bool fifth_byte>
inline __m256i join_eight(const ExtraBits& extra, unsigned k) {
  const __m256i repeat = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4,
                                          4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
  const __m256i window = window_pair(extra, 4 * k, 4 * k + 2);
  const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(widen_eight(extra.bytes + 8 * k), repeat),
                                        _mm256_set1_epi32(0x03020100));
  const __m256i lengths = widen_eight(extra.lengths + 8 * k), shifts = widen_eight(extra.shifts + 8 * k);
  __m256i bits = _mm256_srlv_epi32(_mm256_shuffle_epi8(window, bytes), shifts);
  if constexpr (fifth_byte) {
    const __m256i above = _mm256_shuffle_epi8(window, _mm256_add_epi8(bytes, _mm256_set1_epi8(1)));
    bits = _mm256_or_si256(
        bits, _mm256_and_si256(_mm256_sllv_epi32(above, _mm256_sub_epi32(_mm256_set1_epi32(8), shifts)),
                               _mm256_set1_epi32(static_cast<int>(0xFF000000))));
  }
  const __m256i above_extra = _mm256_sllv_epi32(_mm256_set1_epi32(-1), lengths);
  return _mm256_or_si256(_mm256_sllv_epi32(widen_eight(extra.tops + 8 * k), lengths),
                         _mm256_andnot_si256(above_extra, bits));
}

/// Four offsets of 64 bits from extra bits, of which those from the byte after them are above.
inline __m256i finish_four(const ExtraBits& extra, unsigned k, __m256i bits) {
  const __m256i lengths = widen_four(extra.lengths + 4 * k);
  const __m256i above_extra = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), lengths);
  return _mm256_or_si256(_mm256_sllv_epi64(widen_four(extra.tops + 4 * k), lengths),
                         _mm256_andnot_si256(above_extra, bits));
}
/// With at most 57 extra bits.
inline __m256i join_four(const ExtraBits& extra, unsigned k) {
  const __m256i repeat = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0,
                                          0, 8, 8, 8, 8, 8, 8, 8, 8);
  const __m256i window = window_pair(extra, 2 * k, 2 * k + 1);
  const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(widen_four(extra.bytes + 4 * k), repeat),
                                        _mm256_set1_epi64x(0x0706050403020100));
  return finish_four(extra, k,
                     _mm256_srlv_epi64(_mm256_shuffle_epi8(window, bytes), widen_four(extra.shifts + 4 * k)));
}
/// With any number of extra bits: each word's eight bytes, and the eight from the next byte on.
inline __m256i join_four_long(const ExtraBits& extra, unsigned k) {
  const auto load = [&](unsigned ahead) {
    const auto word = [&](unsigned i) {
      return static_cast<long long>(core::load<std::uint64_t>(extra.begin + extra.windows[(4 * k + i) / 2] +
                                                              extra.bytes[4 * k + i] + ahead));
    };
    return _mm256_setr_epi64x(word(0), word(1), word(2), word(3));
  };
  const __m256i shifts = widen_four(extra.shifts + 4 * k);
  const __m256i above = _mm256_sllv_epi64(load(1), _mm256_sub_epi64(_mm256_set1_epi64x(8), shifts));
  const __m256i top_byte = _mm256_set1_epi64x(static_cast<long long>(0xFF00000000000000));
  return finish_four(extra, k,
                     _mm256_or_si256(_mm256_srlv_epi64(load(0), shifts), _mm256_and_si256(above, top_byte)));
}

/// The words of 32 symbols.
template <class W, bool is_wide>
inline void join_vectors(EntropyDecoder& decoder, const WordsOfOffsets<W>& words_of,
                         const std::uint8_t* symbols, W* words) {
  const __m256i of_words = load_vector(symbols);
  ExtraBits extra;
  if constexpr (sizeof(W) == 8) {
    if (find_extra_bits<2>(decoder, of_words, 57, extra)) {
#pragma GCC unroll 8
      for (unsigned k = 0; k < 8; ++k) store_vector(words + 4 * k, words_of(join_four(extra, k)));
    } else {
      for (unsigned k = 0; k < 8; ++k) store_vector(words + 4 * k, words_of(join_four_long(extra, k)));
    }
  } else if constexpr (sizeof(W) == 4) {
    const std::uint64_t bit = decoder.extra_bit;
    if (find_extra_bits<4>(decoder, of_words, is_wide ? 30 : 25, extra)) {
#pragma GCC unroll 4
      for (unsigned k = 0; k < 4; ++k) store_vector(words + 8 * k, words_of(join_eight<is_wide>(extra, k)));
    } else {
      decoder.extra_bit = bit;
      join_words(decoder, symbols, words, 32);
    }
  } else {
    find_extra_bits<4>(decoder, of_words, 25, extra);
    __m256i offsets[4];
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; ++k) offsets[k] = join_eight<false>(extra, k);
    const __m256i low = _mm256_permute4x64_epi64(_mm256_packus_epi32(offsets[0], offsets[1]), 0xD8),
                  high = _mm256_permute4x64_epi64(_mm256_packus_epi32(offsets[2], offsets[3]), 0xD8);
    if constexpr (sizeof(W) == 2) {
      store_vector(words, words_of(low));
      store_vector(words + 16, words_of(high));
    } else {
      store_vector(words, words_of(_mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8)));
    }
  }
}

/// The words of 32 symbols without extra bits.
template <class W>
inline void widen_vectors(const WordsOfOffsets<W>& words_of, const std::uint8_t* symbols, W* words) {
  if constexpr (sizeof(W) == 8) {
#pragma GCC unroll 8
    for (unsigned k = 0; k < 8; ++k) store_vector(words + 4 * k, words_of(widen_four(symbols + 4 * k)));
  } else if constexpr (sizeof(W) == 4) {
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; ++k) store_vector(words + 8 * k, words_of(widen_eight(symbols + 8 * k)));
  } else if constexpr (sizeof(W) == 2) {
    const auto half = [&](unsigned k) {
      return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols + 16 * k)));
    };
    store_vector(words, words_of(half(0)));
    store_vector(words + 16, words_of(half(1)));
  } else {
    store_vector(words, words_of(load_vector(symbols)));
  }
}

/// Which words a loop is made for.
enum class Extras : std::uint8_t { none, some, wide };

/// Whole groups. The steps of one and the words of the one before take turns, so that either hides how long
/// the other waits.
template <class W, unsigned frequency_bits, Extras extras>
bool decode_groups(EntropyDecoder& decoder, W* words, std::size_t groups) {
  constexpr unsigned steps = entropy_steps<W>, group = max_entropy_lanes * steps;
  const WordsOfOffsets<W> words_of(decoder.shape.model);
  Lanes lanes{{}, decoder.words};
  for (unsigned k = 0; k < 4; ++k) lanes.states[k] = load_vector(decoder.states + 8 * k);
  alignas(64) std::uint8_t symbols[2][group];
  bool is_inside = true;
  for (std::size_t i = 0; i <= groups && is_inside; ++i) {
    __m256i of_steps[4], of_first_steps[4] = {};
    const std::uint8_t* const before = symbols[(i + 1) % 2];
    const auto join = [&](unsigned step) {
      if (i == 0) return;
      W* const to = words + (i - 1) * group + 32 * step;
      if constexpr (extras == Extras::none)
        widen_vectors(words_of, before + 32 * step, to);
      else
        join_vectors<W, extras == Extras::wide>(decoder, words_of, before + 32 * step, to);
    };
    const auto take = [&]<unsigned step>(std::integral_constant<unsigned, step>) {
      if (i < groups) step_lanes<frequency_bits, step>(lanes, decoder.table, of_steps);
      if constexpr (steps == 8 && step == 3) {
        for (unsigned k = 0; k < 4; ++k) of_first_steps[k] = of_steps[k];
      }
      join(step);
    };
    [&]<unsigned... all>(std::integer_sequence<unsigned, all...>) {
      (take(std::integral_constant<unsigned, all>{}), ...);
    }
    (std::make_integer_sequence<unsigned, steps>{});
    if (i < groups) store_symbols<steps>(of_steps, of_first_steps, symbols[i % 2]);
    is_inside = lanes.words <= decoder.words_end && decoder.extra_bit <= decoder.extra_end;
  }
  decoder.words = lanes.words;
  for (unsigned k = 0; k < 4; ++k) store_vector(decoder.states + 8 * k, lanes.states[k]);
  return is_inside;
}

template <class W, unsigned frequency_bits>
bool decode_groups(EntropyDecoder& decoder, W* words, std::size_t groups) {
  if (decoder.max_extra_bits == 0)
    return decode_groups<W, frequency_bits, Extras::none>(decoder, words, groups);
  if constexpr (sizeof(W) == 4) {
    if (decoder.max_extra_bits > 25)
      return decode_groups<W, frequency_bits, Extras::wide>(decoder, words, groups);
  }
  return decode_groups<W, frequency_bits, Extras::some>(decoder, words, groups);
}

template <class W>
bool decode_in_vectors(EntropyDecoder& decoder, W* words, std::size_t count) {
  constexpr std::size_t group = max_entropy_lanes * entropy_steps<W>;
  if (decoder.shape.lanes != max_entropy_lanes) return decode_words(decoder, words, count);
  const std::size_t groups = count / group;
  const bool is_short = decoder.shape.frequency_bits == short_frequency_bits;
  if (groups > 0 && !(is_short ? decode_groups<W, short_frequency_bits>(decoder, words, groups)
                               : decode_groups<W, long_frequency_bits>(decoder, words, groups)))
    return false;
  return decode_words(decoder, words + groups * group, count % group);
}
