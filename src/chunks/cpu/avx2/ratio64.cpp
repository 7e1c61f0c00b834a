// The chunks of dpratio with AVX2. Bit lengths are counted one word at a time, as everywhere (drop_tops.hpp).
#include "chunks/cpu/avx2/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "chunks/cpu/avx2/drop_tops.hpp"
#include "chunks/cpu/avx2/overlap.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

/// Folded residuals of a chunk, and what the first drop stage makes of them.
KeepChoice fold_chunk(const std::uint8_t* chunk, std::uint8_t* folded, core::MemoryOverlap* overlap) {
  constexpr std::size_t lines = 16, lines_bytes = lines * core::MemoryOverlap::line_bytes;
  alignas(32) std::uint8_t first[64] = {};  // with the zero before it
  std::memcpy(first + 32, chunk, 32);
  __m256i before;
  store256(folded, Lanes64::fold(Lanes64::residuals(first + 32, before)));
  for (std::size_t i = 32; i < core::chunk_bytes; i += 32) {
    store256(folded + i, Lanes64::fold(Lanes64::residuals(chunk + i, before)));
    if (i % lines_bytes == 32) carry_on(overlap, lines);
  }
  return choose_keep<stages::DropZeroTops, std::uint64_t>(folded, core::chunk_bytes / word_bytes);
}

/// The choice of the second drop stage for the payload of the first.
KeepChoice choose_repeated(const std::uint8_t* in, std::size_t bytes) {
  return choose_keep<stages::DropRepeatedTops, std::uint64_t>(in, bytes / word_bytes);
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio64.inl"

}  // namespace
}  // namespace floe::cpu::avx2

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx2, Ratio64Pipeline, std::uint64_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
FLOE_AVX2_END
#endif
