// Encoding with AVX2: the states of 32 lanes. simd/entropy/avx2.cpp includes this.

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
