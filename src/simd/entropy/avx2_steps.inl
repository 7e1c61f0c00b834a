// Symbols of 32 lanes with AVX2. simd/entropy/avx2_decode.inl includes this.

/// A vector for every eight lanes.
using LaneVectors = __m256i[4];

/// The states of 32 lanes, and the numbers that they read.
struct Lanes {
  LaneVectors states;
  const std::uint8_t* words;

  void load(const EntropyDecoder& decoder) {
    words = decoder.words;
    for (unsigned k = 0; k < 4; ++k) states[k] = load_vector(decoder.states + 8 * k);
  }
  void store(EntropyDecoder& decoder) const {
    decoder.words = words;
    for (unsigned k = 0; k < 4; ++k) store_vector(decoder.states + 8 * k, states[k]);
  }
};

/// Lanes whose states became too small take the next numbers.
[[gnu::always_inline]] inline __m256i refill(__m256i states, const std::uint8_t*& words) {
  const __m256i is_zero = _mm256_cmpeq_epi16(states, _mm256_setzero_si256());  // upper halves tell
  const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_zero)));
  const __m256i numbers =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)));
  words += 2 * static_cast<unsigned>(_mm_popcnt_u32(set));
  const EntropyLaneTables::Refill& shuffles = lane_tables.refill[set];
  return _mm256_or_si256(_mm256_shuffle_epi8(states, load_vector(shuffles.lanes)),
                         _mm256_shuffle_epi8(numbers, load_vector(shuffles.numbers)));
}

/// A step of all lanes. `symbols` keeps those of up to four steps, a byte each; what is above the last one is
/// left of other bits.
template <unsigned frequency_bits, unsigned step, class Tables>
[[gnu::always_inline]] inline void step_lanes(Lanes& lanes, const Tables& tables, LaneVectors& symbols) {
  const __m256i slot_mask = _mm256_set1_epi32((1 << frequency_bits) - 1),
                offset_mask = _mm256_set1_epi32((1 << long_frequency_bits) - 1);
  LaneVectors entries;
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k)
    entries[k] = look_up(tables.of(k), _mm256_and_si256(lanes.states[k], slot_mask));
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; ++k) {
    const __m256i scaled = _mm256_mullo_epi32(_mm256_srli_epi32(entries[k], 20),
                                              _mm256_srli_epi32(lanes.states[k], frequency_bits));
    lanes.states[k] = _mm256_add_epi32(scaled, _mm256_and_si256(entries[k], offset_mask));
    if (frequency_bits == long_frequency_bits || step % 2 == 1)
      lanes.states[k] = refill(lanes.states[k], lanes.words);
    if constexpr (step % 4 == 0) {
      symbols[k] = _mm256_srli_epi32(entries[k], 12);
    } else if constexpr (step % 4 == 1) {
      symbols[k] =
          _mm256_blendv_epi8(symbols[k], _mm256_srli_epi32(entries[k], 4), _mm256_set1_epi32(0xFF00));
    } else if constexpr (step % 4 == 2) {
      symbols[k] = _mm256_blend_epi16(symbols[k], _mm256_slli_epi32(entries[k], 4), 0xAA);
    } else {
      const __m256i last = _mm256_set1_epi32(static_cast<int>(0xFF000000));
      symbols[k] = _mm256_blendv_epi8(symbols[k], _mm256_slli_epi32(entries[k], 12), last);
    }
  }
}

/// Writes the symbols of a group in the order of the words. Of eight steps, those of the first four are in
/// `first`.
template <unsigned steps>
[[gnu::always_inline]] inline void store_symbols(const LaneVectors& symbols, const LaneVectors& first,
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
      const auto both_of = [&](unsigned i) {
        return _mm256_blend_epi16(symbols[i], _mm256_setzero_si256(), 0xAA);
      };
      store_vector(to + 16 * k,
                   _mm256_permute4x64_epi64(_mm256_packus_epi32(both_of(k), both_of(k + 1)), 0xD8));
    }
  }
}
