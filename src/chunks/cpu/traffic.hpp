// Memory work beside the arithmetic of a kernel, with what every CPU of the architecture has.
#pragma once

#include "core/memory_traffic.hpp"

namespace floe::cpu {

/// Starts up to `lines` lines of what memory has to do; null is nothing.
inline void carry_on(core::MemoryTraffic* traffic, std::size_t lines) {
  if (traffic != nullptr) traffic->advance(lines);
}

}  // namespace floe::cpu
