// The speed codecs with AVX2.
#include "chunks/cpu/avx2/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstring>

#include "chunks/cpu/avx2/narrow_words.hpp"
#include "chunks/cpu/avx2/overlap.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {
namespace {

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::avx2

namespace floe::cpu {
FLOE_DEFINE_KERNEL(avx2, NarrowSpeedPipeline, std::uint8_t,
                   encode<avx2::Lanes<8>>(chunk, out, scratch, context.overlap),
                   decode<avx2::Lanes<8>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(avx2, NarrowSpeedPipeline, std::uint16_t,
                   encode<avx2::Lanes<16>>(chunk, out, scratch, context.overlap),
                   decode<avx2::Lanes<16>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(avx2, SpeedPipeline, std::uint32_t,
                   encode<avx2::Lanes<32>>(chunk, out, scratch, context.overlap),
                   decode<avx2::Lanes<32>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(avx2, SpeedPipeline, std::uint64_t,
                   encode<avx2::Lanes<64>>(chunk, out, scratch, context.overlap),
                   decode<avx2::Lanes<64>>(payload, payload_bytes, chunk, context.overlap))
}  // namespace floe::cpu
FLOE_AVX2_END
#endif
