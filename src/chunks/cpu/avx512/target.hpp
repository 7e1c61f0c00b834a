// Opens a region whose functions may use the AVX-512 instructions of Ice Lake and Zen 4. Include the
// intrinsics, and everything else, before it: an inline function compiled in a region could be the one that
// the linker keeps for everybody.
#pragma once

// Clang takes one string only, however long.
// clang-format off
#if defined(__clang__)
#define FLOE_AVX512_BEGIN _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,gfni,bmi,bmi2,lzcnt,popcnt\"))), apply_to = function)")
#define FLOE_AVX512_END _Pragma("clang attribute pop")
#else
#define FLOE_AVX512_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,gfni,bmi,bmi2,lzcnt,popcnt\")")
#define FLOE_AVX512_END _Pragma("GCC pop_options")
#endif
// clang-format on
