// Which kernels are there for NEON? cpu/kernels.hpp says what each takes and promises.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

template <>
struct Kernels<Isa::neon> {
#include "chunks/cpu/ratio_and_gfc_kernels.inl"
#include "chunks/cpu/speed_kernels.inl"
};

}  // namespace floe::cpu
