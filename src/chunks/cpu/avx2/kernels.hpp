// The kernels for AVX2.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

FLOE_KERNEL(avx2, NarrowSpeedPipeline, std::uint8_t, false);
FLOE_KERNEL(avx2, NarrowSpeedPipeline, std::uint16_t, false);
FLOE_KERNEL(avx2, SpeedPipeline, std::uint32_t, false);
FLOE_KERNEL(avx2, SpeedPipeline, std::uint64_t, false);
FLOE_KERNEL(avx2, RatioPipeline, std::uint32_t, false);
FLOE_KERNEL(avx2, Ratio64Pipeline, std::uint64_t, false);
FLOE_KERNEL(avx2, GfcPipeline, std::uint32_t, false);
FLOE_KERNEL(avx2, GfcPipeline, std::uint64_t, false);

}  // namespace floe::cpu
