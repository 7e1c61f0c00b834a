// The speed codecs with NEON.
#include "chunks/cpu/neon/kernels.hpp"

#if defined(__aarch64__)

#include <algorithm>
#include <bit>
#include <cstring>

#include "chunks/cpu/neon/narrow_words.hpp"
#include "chunks/cpu/overlap.hpp"

namespace floe::cpu::neon {
namespace {

#include "chunks/cpu/speed.inl"

}  // namespace
}  // namespace floe::cpu::neon

namespace floe::cpu {
FLOE_DEFINE_KERNEL(neon, NarrowSpeedPipeline, std::uint8_t,
                   encode<neon::Lanes<8>>(chunk, out, scratch, context.overlap),
                   decode<neon::Lanes<8>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(neon, NarrowSpeedPipeline, std::uint16_t,
                   encode<neon::Lanes<16>>(chunk, out, scratch, context.overlap),
                   decode<neon::Lanes<16>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(neon, SpeedPipeline, std::uint32_t,
                   encode<neon::Lanes<32>>(chunk, out, scratch, context.overlap),
                   decode<neon::Lanes<32>>(payload, payload_bytes, chunk, context.overlap))
FLOE_DEFINE_KERNEL(neon, SpeedPipeline, std::uint64_t,
                   encode<neon::Lanes<64>>(chunk, out, scratch, context.overlap),
                   decode<neon::Lanes<64>>(payload, payload_bytes, chunk, context.overlap))
}  // namespace floe::cpu
#endif
