// spratio with NEON.
#include "chunks/cpu/neon/kernels.hpp"

#if defined(__aarch64__)

#include <algorithm>
#include <cstring>
#include <span>

#include "chunks/cpu/chunk_levels.hpp"
#include "chunks/cpu/neon/bit_planes.hpp"
#include "chunks/cpu/neon/zero_bytes.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {
namespace {

/// Puts the kept bytes back where the bitmap says, and makes words of these planes; reads nothing from `end`
/// on.
bool expand_to_words(std::span<const std::uint8_t> kept, const std::uint8_t* /*end*/,
                     const std::uint8_t* bitmap, std::uint8_t* scratch, std::uint8_t* chunk,
                     core::MemoryOverlap* overlap) {
  if (popcount_of(bitmap, level_bytes[0]) != kept.size()) return false;
  expand_bytes(kept.data(), bitmap, scratch, overlap);
  planes_to_words(scratch, chunk, overlap);
  return true;
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio32.inl"

}  // namespace
}  // namespace floe::cpu::neon

namespace floe::cpu {
FLOE_DEFINE_KERNEL(neon, RatioPipeline, std::uint32_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
#endif
