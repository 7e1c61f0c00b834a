// The kernels for AVX-512.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

FLOE_KERNEL(avx512, NarrowSpeedPipeline, std::uint8_t, true);
FLOE_KERNEL(avx512, NarrowSpeedPipeline, std::uint16_t, true);
FLOE_KERNEL(avx512, SpeedPipeline, std::uint32_t, true);
FLOE_KERNEL(avx512, SpeedPipeline, std::uint64_t, true);
FLOE_KERNEL(avx512, RatioPipeline, std::uint32_t, true);
FLOE_KERNEL(avx512, Ratio64Pipeline, std::uint64_t, false);
FLOE_KERNEL(avx512, GfcPipeline, std::uint32_t, true);
FLOE_KERNEL(avx512, GfcPipeline, std::uint64_t, true);

}  // namespace floe::cpu
