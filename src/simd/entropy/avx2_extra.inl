// Where the extra bits of 32 words are, with AVX2. simd/entropy/avx2_decode.inl includes this.

/// What symbols mean, in vectors of bytes.
class SymbolSplitter {
 public:
  explicit SymbolSplitter(const EntropyModel& model)
      : mantissa_bits_(_mm_cvtsi32_si128(static_cast<int>(model.mantissa_bits))),
        exponent_mask_(_mm256_set1_epi8(static_cast<char>(0xFF >> model.mantissa_bits))),
        raw_bits_(_mm256_set1_epi8(static_cast<char>(model.raw_bits))) {}
  /// How many extra bits they have, and what stands above those.
  [[gnu::always_inline]] void split(__m256i symbols, __m256i& lengths, __m256i& tops) const {
    const __m256i exponents = _mm256_and_si256(_mm256_srl_epi16(symbols, mantissa_bits_), exponent_mask_);
    const __m256i dropped = _mm256_subs_epu8(exponents, _mm256_set1_epi8(1));
    // No byte reaches the next one: exponents have no more than 8 bits less those of mantissas.
    tops = _mm256_sub_epi8(symbols, _mm256_sll_epi16(dropped, mantissa_bits_));
    lengths = _mm256_add_epi8(dropped, raw_bits_);
  }

 private:
  __m128i mantissa_bits_;
  __m256i exponent_mask_, raw_bits_;
};

/// Where the extra bits of each pair of 32 words begin, in bits from `begin`, which may be up to 7 too many.
struct PairStarts {
  __m256i bits;
  const std::uint8_t* begin;
};

/// Moves behind the extra bits of 32 words, whose numbers are given.
[[gnu::always_inline]] inline PairStarts take_extra_bits(ExtraPosition& position, __m256i lengths) {
  const __m256i pairs = _mm256_maddubs_epi16(lengths, _mm256_set1_epi8(1));
  __m256i sums = _mm256_add_epi16(pairs, _mm256_slli_si256(pairs, 2));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 4));
  sums = _mm256_add_epi16(sums, _mm256_slli_si256(sums, 8));
  const __m256i lower = _mm256_permute2x128_si256(sums, sums, 0x08);
  sums = _mm256_add_epi16(sums, _mm256_shuffle_epi8(lower, _mm256_set1_epi16(0x0F0E)));
  const auto first_shift = static_cast<short>(position.bit % 8);
  const PairStarts starts{_mm256_add_epi16(_mm256_sub_epi16(sums, pairs), _mm256_set1_epi16(first_shift)),
                          position.begin + position.bit / 8};
  position.bit += static_cast<std::uint16_t>(_mm256_extract_epi16(sums, 15));
  return starts;
}

/// Where the extra bits of each of 32 words begin, in bits from the first byte of its window. A window of 16
/// bytes begins with the first bit of two, four or eight words.
template <unsigned words_of_window>
[[gnu::always_inline]] inline __m256i bits_in_windows(__m256i starts, __m256i lengths) {
  const __m256i second_of_pair = _mm256_slli_epi16(lengths, 8), in_byte = _mm256_set1_epi16(7);
  if constexpr (words_of_window == 2) {
    return _mm256_add_epi8(second_of_pair,
                           _mm256_mullo_epi16(_mm256_and_si256(starts, in_byte), _mm256_set1_epi16(0x0101)));
  } else {
    const __m256i order = _mm256_broadcastsi128_si256(
        words_of_window == 4 ? _mm_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13)
                             : _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9));
    const __m256i first = _mm256_shuffle_epi8(starts, order);
    const __m256i before =
        _mm256_add_epi16(_mm256_and_si256(first, in_byte), _mm256_sub_epi16(starts, first));
    return _mm256_add_epi8(second_of_pair, _mm256_or_si256(before, _mm256_slli_epi16(before, 8)));
  }
}

/// The windows of 32 words.
struct Windows {
  alignas(32) std::uint16_t starts[16];  ///< Of each pair, in bytes from `begin`.
  const std::uint8_t* begin;

  [[gnu::always_inline]] void set(const PairStarts& pairs) {
    store_vector(starts, _mm256_srli_epi16(pairs.bits, 3));
    begin = pairs.begin;
  }
  /// Those of a pair in the first half of the words, and of the same one in the second half.
  [[nodiscard, gnu::always_inline]] __m256i of_halves(unsigned pair) const {
    const auto load = [&](unsigned i) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + starts[i]));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(pair)), load(pair + 8), 1);
  }
};

/// What 32 words are made of: tops, and extra bits. Of each word there is the number of the byte in its
/// window, and the shift in that byte.
struct ExtraBits {
  alignas(32) std::uint8_t lengths[32], tops[32], bytes[32], shifts[32];
  Windows windows;

  template <unsigned words_of_window>
  [[gnu::always_inline]] void find(const SymbolSplitter& splitter, ExtraPosition& position, __m256i symbols) {
    __m256i of_lengths, of_tops;
    splitter.split(symbols, of_lengths, of_tops);
    store_vector(lengths, of_lengths);
    store_vector(tops, of_tops);
    const PairStarts starts = take_extra_bits(position, of_lengths);
    windows.set(starts);
    const __m256i bits = bits_in_windows<words_of_window>(starts.bits, of_lengths);
    store_vector(bytes, _mm256_and_si256(_mm256_srli_epi16(bits, 3), _mm256_set1_epi8(0x1F)));
    store_vector(shifts, _mm256_and_si256(bits, _mm256_set1_epi8(7)));
  }
};

/// The same of words of up to 16 bits with up to 15 extra bits, whose windows are those of eight. There are
/// no shifts of 16 bits by vectors, so shifts are powers of two to multiply with.
struct ShortExtraBits {
  alignas(32) std::uint8_t tops[32], bytes[32];
  alignas(32) std::uint8_t shift_powers[32];                 ///< 2^(7 - shift).
  alignas(32) std::uint8_t low_powers[32], high_powers[32];  ///< The two bytes of 2^length.
  Windows windows;

  [[gnu::always_inline]] void find(const SymbolSplitter& splitter, ExtraPosition& position, __m256i symbols) {
    __m256i of_lengths, of_tops;
    splitter.split(symbols, of_lengths, of_tops);
    store_vector(tops, of_tops);
    const PairStarts starts = take_extra_bits(position, of_lengths);
    windows.set(starts);
    const __m256i bits = bits_in_windows<8>(starts.bits, of_lengths);
    store_vector(bytes, _mm256_and_si256(_mm256_srli_epi16(bits, 3), _mm256_set1_epi8(0x1F)));
    const __m256i falling = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, -128, 64, 32, 16, 8, 4, 2, 1));
    store_vector(shift_powers, _mm256_shuffle_epi8(falling, _mm256_and_si256(bits, _mm256_set1_epi8(15))));
    const __m256i low =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0));
    store_vector(low_powers, _mm256_shuffle_epi8(low, of_lengths));
    store_vector(high_powers, _mm256_shuffle_epi8(_mm256_slli_si256(low, 8), of_lengths));
  }

  template <bool from_eight>
  [[gnu::always_inline]] static __m256i unpack(__m256i a, __m256i b) {
    return from_eight ? _mm256_unpackhi_epi8(a, b) : _mm256_unpacklo_epi8(a, b);
  }
  /// The offsets of 16 words: eight of each half, from word 0 or from word 8 on.
  template <bool from_eight>
  [[nodiscard, gnu::always_inline]] __m256i join() const {
    const __m256i zero = _mm256_setzero_si256(), window = windows.of_halves(from_eight ? 4 : 0);
    const __m256i byte = load_vector(bytes),
                  first_two = _mm256_add_epi8(unpack<from_eight>(byte, byte), _mm256_set1_epi16(0x0100)),
                  last_two = _mm256_add_epi8(first_two, _mm256_set1_epi16(0x0101));
    const __m256i power =
        _mm256_srli_epi16(unpack<from_eight>(zero, load_vector(shift_powers)), 7);  // 2^(8 - shift)
    const __m256i low = _mm256_mullo_epi16(_mm256_shuffle_epi8(window, first_two), power),
                  high = _mm256_mullo_epi16(_mm256_shuffle_epi8(window, last_two), power);
    const __m256i bits = _mm256_or_si256(
        _mm256_srli_epi16(low, 8), _mm256_and_si256(high, _mm256_set1_epi16(static_cast<short>(0xFF00))));
    const __m256i above = unpack<from_eight>(load_vector(low_powers), load_vector(high_powers)),
                  below = _mm256_add_epi16(above, _mm256_set1_epi16(-1));
    return _mm256_or_si256(_mm256_mullo_epi16(unpack<from_eight>(load_vector(tops), zero), above),
                           _mm256_and_si256(bits, below));
  }
};
