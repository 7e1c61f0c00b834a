// Patterns of 32 bits in memory of a device: written, and compared with what came back.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace floe::test {

/// Word i of `words` becomes (first + i) * factor, modulo 2^32.
void write_patterns(std::uint32_t* words, std::uint64_t count, std::uint32_t first, std::uint32_t factor);
/// Adds to `total` how many words are another one.
void count_other_patterns(const std::uint32_t* words, std::uint64_t count, std::uint32_t first,
                          std::uint32_t factor, unsigned long long* total);

}  // namespace floe::test
