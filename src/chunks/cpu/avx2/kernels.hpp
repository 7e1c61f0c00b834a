// Which kernels are there for AVX2? cpu/kernels.hpp says what each takes and promises.
#pragma once

#include "chunks/cpu/kernels.hpp"

namespace floe::cpu {

template <>
struct Kernels<Isa::avx2> {
#include "chunks/cpu/ratio_and_gfc_kernels.inl"
#include "chunks/cpu/speed_kernels.inl"
};

}  // namespace floe::cpu
