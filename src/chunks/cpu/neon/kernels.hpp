// The kernels for NEON.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

FLOE_KERNEL(neon, NarrowSpeedPipeline, std::uint8_t, false);
FLOE_KERNEL(neon, NarrowSpeedPipeline, std::uint16_t, false);
FLOE_KERNEL(neon, SpeedPipeline, std::uint32_t, false);
FLOE_KERNEL(neon, SpeedPipeline, std::uint64_t, false);
FLOE_KERNEL(neon, RatioPipeline, std::uint32_t, false);
FLOE_KERNEL(neon, Ratio64Pipeline, std::uint64_t, false);
FLOE_KERNEL(neon, GfcPipeline, std::uint32_t, false);
FLOE_KERNEL(neon, GfcPipeline, std::uint64_t, false);

}  // namespace floe::cpu
