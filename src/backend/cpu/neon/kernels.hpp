// Which kernels are there for NEON? cpu/kernels.hpp says what each takes and promises.
#pragma once

#include "backend/cpu/kernels.hpp"

namespace floe::cpu {

template <>
struct Kernels<Isa::neon> {
#include "backend/cpu/ratio_and_gfc_kernels.inl"
#include "backend/cpu/speed_kernels.inl"
};

}  // namespace floe::cpu
