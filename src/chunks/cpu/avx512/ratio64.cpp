// The chunks of dpratio with AVX-512. Each of the two drop stages counts what it needs to choose while its
// words are made, and then runs over them once more.
#include "chunks/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "chunks/cpu/avx512/drop_tops.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr std::size_t vectors_per_chunk = core::chunk_bytes / 64;

/// Folded residuals of a chunk, and what the first drop stage makes of them.
KeepChoice fold_chunk(const std::uint8_t* chunk, std::uint8_t* folded, core::MemoryOverlap* overlap) {
  BitCounts counts;
  __m512i before = _mm512_setzero_si512();
  for (std::size_t v = 0; v < vectors_per_chunk; v += BitCounts::vectors_per_step) {
    counts.add([&](unsigned k) {
      const std::size_t at = 64 * (v + k);
      const __m512i y = Lanes64::fold(Lanes64::residuals(chunk + at, before));
      _mm512_store_si512(folded + at, y);
      return smear(y);
    });
    carry_on(overlap, BitCounts::vectors_per_step);
  }
  return choose_keep(counts, core::chunk_bytes / word_bytes);
}

/// The choice of the second drop stage for the payload of the first. It is followed by a vector that may be
/// overwritten.
KeepChoice choose_repeated(std::uint8_t* in, std::size_t bytes) {
  const std::size_t words = bytes / word_bytes;
  BitCounts counts;
  for (std::size_t first = 0; first < words; first += BitCounts::vectors_per_step * words_per_vector) {
    counts.add([&](unsigned k) {
      const std::size_t i = first + k * words_per_vector;
      const auto present = static_cast<__mmask8>(
          i >= words ? 0 : _bzhi_u32(0xFF, static_cast<unsigned>(std::min<std::size_t>(words - i, 8))));
      const std::uint8_t* const at = in + i * word_bytes;
      const __m512i now = _mm512_maskz_loadu_epi64(present, at);
      return smear(_mm512_maskz_xor_epi64(present, now, _mm512_maskz_loadu_epi64(present, at - word_bytes)));
    });
  }
  return choose_keep(counts, words);
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio64.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx512, Ratio64Pipeline, std::uint64_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
FLOE_AVX512_END
#endif
