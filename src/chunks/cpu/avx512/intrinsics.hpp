// <immintrin.h> for files of AVX-512 kernels, without the warnings that g++ 12 gives of it.
#pragma once

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
