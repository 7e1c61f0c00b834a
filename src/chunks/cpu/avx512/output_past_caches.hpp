// Vectors of a chunk that is aligned to words only go to their position, past the caches if that is wanted.
#pragma once

#include <cstdint>

#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/memory_overlap.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

struct PlainOutput {
  std::uint8_t* to;
  void put(__m512i v) {
    _mm512_storeu_si512(to, v);
    to += 64;
  }
};

/// Only whole aligned lines can go past the caches. So each line is put together from the end of one vector
/// and the begin of the next; the lines at both ends, which somebody else may have a part of, are written as
/// usual, without that part.
class OutputPastCaches {
 public:
  /// `to` is aligned to 4.
  explicit OutputPastCaches(std::uint8_t* to)
      : words_before_(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) % 64 / 4)),
        line_(to - 4 * words_before_),
        last_(_mm512_setzero_si512()) {
    const __m512i positions = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    joined_ = _mm512_add_epi32(positions, _mm512_set1_epi32(static_cast<int>(16 - words_before_)));
  }

  void put(__m512i v) {
    const __m512i line = _mm512_permutex2var_epi32(last_, joined_, v);
    if (is_first_) {
      _mm512_mask_storeu_epi32(line_, static_cast<__mmask16>(0xFFFFu << words_before_), line);
      is_first_ = false;
    } else {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(line_), line);
    }
    line_ += 64;
    last_ = v;
  }
  void finish() {
    const auto rest = static_cast<__mmask16>((1u << words_before_) - 1);
    _mm512_mask_storeu_epi32(line_, rest, _mm512_permutex2var_epi32(last_, joined_, last_));
  }

 private:
  unsigned words_before_;  ///< Words of 32 bits of the line that `to` lies in.
  std::uint8_t* line_;
  __m512i last_, joined_;
  bool is_first_ = true;
};

/// Lets `decode(output)` put all vectors of a chunk, one after the other, and returns what it returns.
template <class Decode>
bool decode_with_output(std::uint8_t* chunk, const core::MemoryOverlap* overlap, const Decode& decode) {
  if (overlap == nullptr || !overlap->writes_past_caches()) {
    PlainOutput out{chunk};
    return decode(out);
  }
  OutputPastCaches out(chunk);
  const bool ok = decode(out);
  if (ok) out.finish();
  return ok;
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
