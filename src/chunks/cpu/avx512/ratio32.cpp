// spratio with AVX-512: planes with GFNI, zero bytes with VBMI2.
#include "chunks/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>
#include <span>

#include "chunks/cpu/avx512/bit_planes.hpp"
#include "chunks/cpu/avx512/overlap.hpp"
#include "chunks/cpu/avx512/zero_bytes.hpp"
#include "chunks/cpu/chunk_levels.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

/// The planes of a chunk, made of the bytes that were kept as they are needed: one position per plane, so
/// that no chunk of planes has to be kept in between, which the first cache has no room for.
class KeptPlanes {
 public:
  /// Reads nothing from `end` on.
  KeptPlanes(const std::uint8_t* kept, const std::uint8_t* end, const std::uint8_t* bitmap)
      : bitmap_(bitmap), end_(end) {
    const std::uint8_t* position = kept;
    for (unsigned plane = 0; plane < planes; ++plane) {
      positions_[plane] = position;
      position += popcount_of(bitmap + plane * plane_bytes / 8, plane_bytes / 8);
    }
    bytes_ = static_cast<std::size_t>(position - kept);
  }
  /// Of all planes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// The next vector of a plane, number `block`.
  __m512i next(unsigned plane, unsigned block) {
    std::uint64_t mask;
    std::memcpy(&mask, bitmap_ + plane * plane_bytes / 8 + 8 * block, 8);
    const std::uint8_t* const position = positions_[plane];
    const std::uint64_t count = popcount(mask);
    positions_[plane] = position + count;
    const __m512i bytes =
        end_ - position >= 64
            ? _mm512_loadu_si512(position)
            : _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), position);
    return _mm512_maskz_expand_epi8(mask, bytes);
  }

 private:
  const std::uint8_t* bitmap_;
  const std::uint8_t* end_;
  const std::uint8_t* positions_[planes];
  std::size_t bytes_;
};

/// Puts the kept bytes back where the bitmap says, and makes words of these planes; reads nothing from `end`
/// on.
bool expand_to_words(std::span<const std::uint8_t> kept, const std::uint8_t* end, const std::uint8_t* bitmap,
                     std::uint8_t* /*scratch*/, std::uint8_t* chunk, core::MemoryOverlap* overlap) {
  KeptPlanes from(kept.data(), end, bitmap);
  if (from.bytes() != kept.size()) return false;
  planes_to_words(from, chunk, overlap);
  return true;
}

#include "chunks/cpu/levels.inl"
#include "chunks/cpu/ratio32.inl"

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx512, RatioPipeline, std::uint32_t, encode(chunk, out, scratch, context.overlap),
                   decode(payload, payload_bytes, chunk, scratch, context.overlap))
}  // namespace floe::cpu
FLOE_AVX512_END
#endif
