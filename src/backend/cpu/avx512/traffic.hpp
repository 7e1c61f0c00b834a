// Memory work beside the arithmetic of a kernel, by whole vectors.
#pragma once

#include "backend/cpu/avx512/intrinsics.hpp"
#include "backend/cpu/avx512/target.hpp"
#include "core/memory_traffic.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// Starts up to `lines` lines of what memory has to do; null is nothing.
inline void carry_on(core::MemoryTraffic* traffic, std::size_t lines) {
  if (traffic == nullptr) return;
  traffic->advance(lines, [](const std::uint8_t* from, std::uint8_t* to) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
  });
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
