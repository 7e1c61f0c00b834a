// When do payloads and decoded chunks go past the caches, and how much of them waits for that?
#pragma once

#include <cstdint>

#include "core/chunk.hpp"

namespace floe::chunks {

/// From this size on, nothing of what is written would still be in a cache near the core when it is used.
inline constexpr std::uint64_t streaming_bytes = std::uint64_t{8} << 20;

/// Scratch memory of a thread in which chunks wait: the one that is being made and the one before
/// (core::MemoryOverlap).
inline constexpr std::size_t waiting_bytes = 2 * core::chunk_bytes;

}  // namespace floe::chunks
