// Finds three characters among 64 bytes: the inner loop of reading CSV.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace floe::rows {

/// Bit i is set if byte i of the 64 is a separator, a line feed or a quote.
class StructureMask {
 public:
  StructureMask(char separator, char line_end, char quote) noexcept
      : characters_{separator, line_end, quote} {}

#if defined(__SSE2__)
  [[nodiscard]] std::uint64_t of(const char* bytes) const noexcept {
    const __m128i separator = _mm_set1_epi8(characters_[0]), line_end = _mm_set1_epi8(characters_[1]),
                  quote = _mm_set1_epi8(characters_[2]);
    std::uint64_t mask = 0;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
      const __m128i hits =
          _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(sixteen, separator), _mm_cmpeq_epi8(sixteen, line_end)),
                       _mm_cmpeq_epi8(sixteen, quote));
      mask |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(hits))} << (16 * part);
    }
    return mask;
  }
#else
  [[nodiscard]] std::uint64_t of(const char* bytes) const noexcept {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) {
      const bool hit = bytes[i] == characters_[0] || bytes[i] == characters_[1] || bytes[i] == characters_[2];
      mask |= std::uint64_t{hit} << i;
    }
    return mask;
  }
#endif

 private:
  char characters_[3];
};

}  // namespace floe::rows
