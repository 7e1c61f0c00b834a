// Symbols of 32 lanes with AVX2. simd/entropy_avx2_decode.inl includes this.

/// The states of 32 lanes, and the numbers that they read.
struct Lanes {
  __m256i states[4];
  const std::uint8_t* words;
};

/// Lanes whose states became too small take the next numbers.
[[gnu::always_inline]] inline __m256i refill(__m256i states, const std::uint8_t*& words) {
  const __m256i small = _mm256_cmpeq_epi32(_mm256_srli_epi32(states, 16), _mm256_setzero_si256());
  const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(small)));
  const __m256i numbers =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)));
  const __m256i refilled = _mm256_or_si256(
      _mm256_slli_epi32(states, 16), _mm256_shuffle_epi8(numbers, load_vector(lane_tables.refill[set])));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(set));
  return _mm256_blendv_epi8(states, refilled, small);
}

/// A step of all lanes. `symbols` keeps those of up to four steps, a byte each.
template <unsigned frequency_bits, unsigned step>
[[gnu::always_inline]] inline void step_lanes(Lanes& lanes, const std::uint32_t* table,
                                              __m256i (&symbols)[4]) {
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
[[gnu::always_inline]] inline void store_symbols(const __m256i (&symbols)[4], const __m256i (&first)[4],
                                                 std::uint8_t* to) {
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

/// The symbols of whole groups of one block, or of two at the same time: what one waits for, the other hides.
/// False if there are not so many numbers.
template <unsigned steps, unsigned frequency_bits, unsigned blocks>
[[gnu::noinline]] bool decode_symbols(EntropyDecoder* const (&decoders)[blocks], std::uint8_t* symbols,
                                      std::size_t distance, std::size_t groups) {
  const std::uint32_t* const table = decoders[0]->table;
  Lanes lanes[blocks];
  for (unsigned b = 0; b < blocks; ++b) {
    lanes[b].words = decoders[b]->words;
    for (unsigned k = 0; k < 4; ++k) lanes[b].states[k] = load_vector(decoders[b]->states + 8 * k);
  }
  bool is_inside = true;
  for (std::size_t i = 0; i < groups && is_inside; ++i) {
    __m256i of_steps[blocks][4], of_first_steps[blocks][4] = {};
    const auto take = [&]<unsigned step>(std::integral_constant<unsigned, step>)
        __attribute__((always_inline)) {
#pragma GCC unroll 2
      for (unsigned b = 0; b < blocks; ++b) {
        step_lanes<frequency_bits, step>(lanes[b], table, of_steps[b]);
        if constexpr (steps == 8 && step == 3) {
          for (unsigned k = 0; k < 4; ++k) of_first_steps[b][k] = of_steps[b][k];
        }
      }
    };
    [&]<unsigned... all>(std::integer_sequence<unsigned, all...>) __attribute__((always_inline)) {
      (take(std::integral_constant<unsigned, all>{}), ...);
    }
    (std::make_integer_sequence<unsigned, steps>{});
#pragma GCC unroll 2
    for (unsigned b = 0; b < blocks; ++b) {
      store_symbols<steps>(of_steps[b], of_first_steps[b], symbols + b * distance);
      is_inside = is_inside && lanes[b].words <= decoders[b]->words_end;
    }
    symbols += max_entropy_lanes * steps;
  }
  for (unsigned b = 0; b < blocks; ++b) {
    decoders[b]->words = lanes[b].words;
    for (unsigned k = 0; k < 4; ++k) store_vector(decoders[b]->states + 8 * k, lanes[b].states[k]);
  }
  return is_inside;
}
