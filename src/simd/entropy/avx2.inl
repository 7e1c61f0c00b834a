// What kernels of vectors of 32 bytes share. Those who need it include this inside their region.

inline __m256i load_vector(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline void store_vector(void* to, __m256i vector) { _mm256_storeu_si256(static_cast<__m256i*>(to), vector); }

/// Entries of a decoder's table, by scalar loads.
inline __m128i look_up_four(const std::uint32_t* table, std::uint64_t low, std::uint64_t high) {
  __m128i entries = _mm_cvtsi32_si128(static_cast<int>(table[static_cast<std::uint32_t>(low)]));
  entries = _mm_insert_epi32(entries, static_cast<int>(table[low >> 32]), 1);
  entries = _mm_insert_epi32(entries, static_cast<int>(table[static_cast<std::uint32_t>(high)]), 2);
  return _mm_insert_epi32(entries, static_cast<int>(table[high >> 32]), 3);
}
inline __m256i look_up(const std::uint32_t* table, __m256i slots) {
  const __m128i low = _mm256_castsi256_si128(slots), high = _mm256_extracti128_si256(slots, 1);
  const auto half = [&](__m128i of) {
    return look_up_four(table, static_cast<std::uint64_t>(_mm_cvtsi128_si64(of)),
                        static_cast<std::uint64_t>(_mm_extract_epi64(of, 1)));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(half(low)), half(high), 1);
}

/// The tables of a group: of the k-th eight lanes.
template <unsigned steps, unsigned frequency_bits, bool chooses>
struct GroupTables {
  const std::uint32_t* tables;
  const std::uint8_t* choices;
  [[gnu::always_inline]] const std::uint32_t* of(unsigned k) const {
    if constexpr (!chooses) return tables;
    return tables + (std::size_t{choices[8 * k * steps / entropy_run_words]} << frequency_bits);
  }
};
