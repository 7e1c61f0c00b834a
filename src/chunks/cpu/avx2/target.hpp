// Opens a region whose functions may use the AVX2 instructions of Haswell and Zen. Include the intrinsics,
// and everything else, before it: an inline function compiled in a region could be the one that the linker
// keeps for everybody.
#pragma once

#if defined(__clang__)
#define FLOE_AVX2_BEGIN \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,popcnt\"))), apply_to = function)")
#define FLOE_AVX2_END _Pragma("clang attribute pop")
#else
#define FLOE_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,popcnt\")")
#define FLOE_AVX2_END _Pragma("GCC pop_options")
#endif
