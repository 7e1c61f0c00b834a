// Instruction sets that the CPU backend has kernels for, and which of them this process uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace floe::cpu {

enum class Isa : std::uint8_t {
  generic,  ///< What every CPU of the architecture has.
  avx2,     ///< x86 with AVX2, BMI1, BMI2 and POPCNT: Haswell, Zen and later.
  avx512,   ///< x86 with AVX-512 F, BW, CD, DQ, VL, VBMI, VBMI2, VNNI and GFNI: Ice Lake, Zen 4 and later.
  neon,     ///< 64-bit Arm, all of which have it.
};

std::string_view name_of(Isa isa) noexcept;

/// What this CPU can run, from the least to the most capable.
std::span<const Isa> available_isas() noexcept;

/// The most capable one, or the one that the environment variable FLOE_ISA names, if it is available. Chosen
/// once per process; never changes results.
Isa active_isa() noexcept;

}  // namespace floe::cpu
