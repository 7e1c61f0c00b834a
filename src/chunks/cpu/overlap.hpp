// Memory work beside the arithmetic of a kernel, with what every CPU of the architecture has.
#pragma once

#include "core/memory_overlap.hpp"

namespace floe::cpu {

/// Starts up to `lines` lines of what memory has to do; null is nothing.
inline void carry_on(core::MemoryOverlap* overlap, std::size_t lines) {
  if (overlap != nullptr) overlap->advance(lines);
}

}  // namespace floe::cpu
