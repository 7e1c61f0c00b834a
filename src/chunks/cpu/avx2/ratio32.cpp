// spratio with AVX2.
#include "chunks/cpu/avx2/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>
#include <span>

#include "chunks/cpu/avx2/bit_planes.hpp"
#include "chunks/cpu/avx2/zero_bytes.hpp"
#include "chunks/cpu/chunk_levels.hpp"
#include "core/chunk.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

/// Puts the kept bytes back where the bitmap says, and makes words of these planes; reads nothing from `end`
/// on.
bool expand_to_words(std::span<const std::uint8_t> kept, const std::uint8_t* end, const std::uint8_t* bitmap,
                     std::uint8_t* scratch, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  if (popcount_of(bitmap, level_bytes[0]) != kept.size()) return false;
  expand_bytes(kept.data(), end, bitmap, scratch, overlap);
  planes_to_words(scratch, chunk, overlap);
  return true;
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio32.inl"

}  // namespace
}  // namespace floe::cpu::avx2

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx2, RatioPipeline, std::uint32_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
FLOE_AVX2_END
#endif
