// Work beside the arithmetic of a kernel, by whole vectors.
#pragma once

#include "chunks/cpu/avx512/checksum_rows.hpp"
#include "chunks/cpu/avx512/intrinsics.hpp"
#include "chunks/cpu/avx512/target.hpp"
#include "core/memory_overlap.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {

/// Starts up to `lines` lines of what memory has to do, and adds the rows of a checksum that belong to them;
/// null is nothing.
inline void carry_on(core::MemoryOverlap* overlap, std::size_t lines) {
  if (overlap == nullptr) return;
  add_rows(overlap->checksum(), overlap->checksum().take(lines));
  if (!overlap->has_lines()) return;
  const core::MemoryOverlap::Lines copies = overlap->take(lines);
  for (std::size_t at = 0; at < copies.count * core::MemoryOverlap::line_bytes;
       at += core::MemoryOverlap::line_bytes) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(copies.to + at), _mm512_loadu_si512(copies.from + at));
  }
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
