// Work beside the arithmetic of a kernel.
#pragma once

#include "chunks/cpu/avx2/checksum_rows.hpp"
#include "chunks/cpu/avx2/target.hpp"
#include "core/memory_overlap.hpp"

FLOE_AVX2_BEGIN
namespace floe::cpu::avx2 {

/// Starts up to `lines` lines of what memory has to do, and adds the rows of a checksum that belong to them;
/// null is nothing.
inline void carry_on(core::MemoryOverlap* overlap, std::size_t lines) {
  if (overlap == nullptr) return;
  add_rows(overlap->checksum(), overlap->checksum().take(lines));
  if (overlap->has_lines()) overlap->advance(lines);
}

}  // namespace floe::cpu::avx2
FLOE_AVX2_END
