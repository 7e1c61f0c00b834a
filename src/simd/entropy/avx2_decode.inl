// Decoding with AVX2: symbols, and the words of 32 symbols at a time. Those who need it include this inside
// their region.
#include "simd/entropy/avx2_extra.inl"
#include "simd/entropy/avx2_steps.inl"

/// Offsets to words: (o >> shift) ^ (-(o & fold) & mask), plus base, which is all three modes.
template <class W>
class WordsOfOffsets {
 public:
  explicit WordsOfOffsets(const EntropyModel& model)
      : shift_(_mm_cvtsi32_si128(model.mode == EntropyMode::upwards ? 0 : 1)),
        fold_(all(model.mode == EntropyMode::upwards ? 0 : 1)),
        mask_(all(
            static_cast<W>(model.mode == EntropyMode::rotated ? W{1} << (core::word_bits<W> - 1) : ~W{0}))),
        base_(all(static_cast<W>(model.base))),
        low_bits_(_mm256_set1_epi8(model.mode == EntropyMode::upwards ? -1 : 0x7F)) {}
  [[gnu::always_inline]] __m256i operator()(__m256i offsets) const {
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

template <int count, class Work>
[[gnu::always_inline]] inline void for_each_constant(const Work& work) {
  [&]<int... all>(std::integer_sequence<int, all...>) { (work(std::integral_constant<int, all>{}), ...); }
  (std::make_integer_sequence<int, count>{});
}

template <class W>
[[gnu::always_inline]] inline void store_halves(W* words, __m256i vector) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(words), _mm256_castsi256_si128(vector));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(words + 16), _mm256_extracti128_si256(vector, 1));
}
inline __m256i widen_eight(const std::uint8_t* bytes) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
}
inline __m256i widen_four(const std::uint8_t* bytes) {
  return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(static_cast<int>(core::load<std::uint32_t>(bytes))));
}
/// Shuffles of bytes in each half: those from byte `first` on, as numbers of `size` bytes; or each `size`
/// times.
template <int size, bool repeats, int first>
struct SpreadTable {
  alignas(32) std::int8_t indices[32];
  constexpr SpreadTable() : indices() {
    for (int i = 0; i < 32; ++i) {
      const int number = first + i % 16 / size;
      indices[i] = static_cast<std::int8_t>(repeats || i % size == 0 ? number : -1);
    }
  }
};
template <int size, bool repeats, int first>
constexpr SpreadTable<size, repeats, first> spread_table;
template <int size, bool repeats, int first>
[[gnu::always_inline]] inline __m256i spread_bytes(const std::uint8_t* bytes) {
  return _mm256_shuffle_epi8(load_vector(bytes), load_vector(spread_table<size, repeats, first>.indices));
}

/// Eight offsets of at most 32 bits, whose extra bits are at most 25, or with `fifth_byte` 30.
template <bool fifth_byte, int k>
[[gnu::always_inline]] inline __m256i join_eight(const ExtraBits& extra) {
  const __m256i window = extra.windows.of_halves(2 * k);
  const __m256i bytes =
      _mm256_add_epi8(spread_bytes<4, true, 4 * k>(extra.bytes), _mm256_set1_epi32(0x03020100));
  const __m256i lengths = spread_bytes<4, false, 4 * k>(extra.lengths),
                shifts = spread_bytes<4, false, 4 * k>(extra.shifts);
  __m256i bits = _mm256_srlv_epi32(_mm256_shuffle_epi8(window, bytes), shifts);
  if constexpr (fifth_byte) {
    const __m256i above = _mm256_shuffle_epi8(window, _mm256_add_epi8(bytes, _mm256_set1_epi8(1)));
    bits = _mm256_or_si256(
        bits, _mm256_and_si256(_mm256_sllv_epi32(above, _mm256_sub_epi32(_mm256_set1_epi32(8), shifts)),
                               _mm256_set1_epi32(static_cast<int>(0xFF000000))));
  }
  const __m256i above_extra = _mm256_sllv_epi32(_mm256_set1_epi32(-1), lengths);
  return _mm256_or_si256(_mm256_sllv_epi32(spread_bytes<4, false, 4 * k>(extra.tops), lengths),
                         _mm256_andnot_si256(above_extra, bits));
}

/// Four offsets of 64 bits from extra bits, of which those from the byte after them are above.
template <int k>
[[gnu::always_inline]] inline __m256i finish_four(const ExtraBits& extra, __m256i bits) {
  const __m256i lengths = spread_bytes<8, false, 2 * k>(extra.lengths);
  const __m256i above_extra = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), lengths);
  return _mm256_or_si256(_mm256_sllv_epi64(spread_bytes<8, false, 2 * k>(extra.tops), lengths),
                         _mm256_andnot_si256(above_extra, bits));
}
/// With at most 57 extra bits.
template <int k>
[[gnu::always_inline]] inline __m256i join_four(const ExtraBits& extra) {
  const __m256i window = extra.windows.of_halves(k);
  const __m256i bytes =
      _mm256_add_epi8(spread_bytes<8, true, 2 * k>(extra.bytes), _mm256_set1_epi64x(0x0706050403020100));
  return finish_four<k>(extra, _mm256_srlv_epi64(_mm256_shuffle_epi8(window, bytes),
                                                 spread_bytes<8, false, 2 * k>(extra.shifts)));
}
/// With any number of extra bits: each word's eight bytes, and the eight from the next byte on.
template <int k>
inline __m256i join_four_long(const ExtraBits& extra) {
  const auto load = [&](unsigned ahead) {
    const auto word = [&](unsigned half, unsigned i) {
      return static_cast<long long>(core::load<std::uint64_t>(extra.windows.begin +
                                                              extra.windows.starts[8 * half + k] +
                                                              extra.bytes[16 * half + 2 * k + i] + ahead));
    };
    return _mm256_setr_epi64x(word(0, 0), word(0, 1), word(1, 0), word(1, 1));
  };
  const __m256i shifts = spread_bytes<8, false, 2 * k>(extra.shifts);
  const __m256i above = _mm256_sllv_epi64(load(1), _mm256_sub_epi64(_mm256_set1_epi64x(8), shifts));
  const __m256i top_byte = _mm256_set1_epi64x(static_cast<long long>(0xFF00000000000000));
  return finish_four<k>(
      extra, _mm256_or_si256(_mm256_srlv_epi64(load(0), shifts), _mm256_and_si256(above, top_byte)));
}

[[gnu::always_inline]] inline bool has_longer(const ExtraBits& extra, unsigned max_length) {
  const __m256i too_long =
      _mm256_subs_epu8(load_vector(extra.lengths), _mm256_set1_epi8(static_cast<char>(max_length)));
  return _mm256_testz_si256(too_long, too_long) == 0;
}

/// Which words a loop is made for: how many extra bits they have.
enum class Extras : std::uint8_t { none, some, many, wide };

/// The words of 32 symbols.
template <class W, Extras extras>
[[gnu::always_inline]] inline void join_vectors(const EntropyModel& model, const ExtraBits& extra,
                                                const WordsOfOffsets<W>& words_of,
                                                const std::uint8_t* symbols, W* words) {
  if constexpr (sizeof(W) == 8) {
    if (extras == Extras::wide && has_longer(extra, 57)) {
      for_each_constant<8>([&]<int k>(std::integral_constant<int, k>) __attribute__((always_inline)) {
        store_halves(words + 2 * k, words_of(join_four_long<k>(extra)));
      });
    } else {
      for_each_constant<8>([&]<int k>(std::integral_constant<int, k>) __attribute__((always_inline)) {
        store_halves(words + 2 * k, words_of(join_four<k>(extra)));
      });
    }
  } else if constexpr (sizeof(W) == 4) {
    if (extras == Extras::some || !has_longer(extra, 25)) {
      for_each_constant<4>([&]<int k>(std::integral_constant<int, k>) __attribute__((always_inline)) {
        store_halves(words + 4 * k, words_of(join_eight<false, k>(extra)));
      });
    } else if (extras == Extras::many || !has_longer(extra, 30)) {
      for_each_constant<4>([&]<int k>(std::integral_constant<int, k>) __attribute__((always_inline)) {
        store_halves(words + 4 * k, words_of(join_eight<true, k>(extra)));
      });
    } else {
      ExtraPosition position{extra.windows.begin, extra.shifts[0]};
      join_words(model, position, symbols, words, 32);
    }
  }
}

/// Words of 16 and 8 bits.
template <class W>
[[gnu::always_inline]] inline void join_vectors(const ShortExtraBits& extra,
                                                const WordsOfOffsets<W>& words_of, W* words) {
  const __m256i first = extra.join<false>(), second = extra.join<true>();
  if constexpr (sizeof(W) == 2) {
    store_halves(words, words_of(first));
    store_halves(words + 8, words_of(second));
  } else {
    store_vector(words, words_of(_mm256_packus_epi16(first, second)));
  }
}

/// The words of 32 symbols without extra bits.
template <class W>
[[gnu::always_inline]] inline void widen_vectors(const WordsOfOffsets<W>& words_of,
                                                 const std::uint8_t* symbols, W* words) {
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

/// The words of symbols, 32 at a time. False if there are not so many extra bits.
template <class W, Extras extras>
[[gnu::noinline]] bool join_symbols(EntropyDecoder& decoder, const std::uint8_t* symbols, W* words,
                                    std::size_t count) {
  const EntropyModel model = decoder.shape.model;
  const WordsOfOffsets<W> words_of(model);
  const SymbolSplitter splitter(model);
  if constexpr (extras == Extras::none) {
    for (std::size_t i = 0; i < count; i += 32) widen_vectors(words_of, symbols + i, words + i);
    return true;
  } else {
    constexpr bool is_short = sizeof(W) <= 2;
    std::conditional_t<is_short, ShortExtraBits, ExtraBits> extra[entropy_batch_words / 32];
    ExtraPosition position{decoder.extra, decoder.extra_bit};
    const std::size_t rows = count / 32;
    for (std::size_t row = 0; row < rows; ++row) {
      const __m256i of_row = load_vector(symbols + 32 * row);
      if constexpr (is_short)
        extra[row].find(splitter, position, of_row);
      else
        extra[row].template find<sizeof(W) == 8 ? 2 : 4>(splitter, position, of_row);
    }
    decoder.extra_bit = position.bit;
    if (position.bit > decoder.extra_end) return false;
    for (std::size_t row = 0; row < rows; ++row) {
      if constexpr (is_short)
        join_vectors(extra[row], words_of, words + 32 * row);
      else
        join_vectors<W, extras>(model, extra[row], words_of, symbols + 32 * row, words + 32 * row);
    }
    return true;
  }
}
template <class W>
bool join_symbols(EntropyDecoder& decoder, const std::uint8_t* symbols, W* words, std::size_t count) {
  if (decoder.max_extra_bits == 0) return join_symbols<W, Extras::none>(decoder, symbols, words, count);
  if constexpr (sizeof(W) >= 4) {
    if (decoder.max_extra_bits > (sizeof(W) == 8 ? 57 : 30))
      return join_symbols<W, Extras::wide>(decoder, symbols, words, count);
    if (sizeof(W) == 4 && decoder.max_extra_bits > 25)
      return join_symbols<W, Extras::many>(decoder, symbols, words, count);
  } else if (decoder.max_extra_bits > 15) {
    return join_words_of_symbols(decoder, symbols, words, count);
  }
  return join_symbols<W, Extras::some>(decoder, symbols, words, count);
}
