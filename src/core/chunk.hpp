// What a stage may know about the chunk it works on, besides the chunk's words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace floe::core {

class MemoryTraffic;

/// The published streams and frame format version 1 cut data into chunks of this size.
inline constexpr std::size_t chunk_bytes = 16384;

/// What chunk encoders return instead of a size for chunks that are stored raw.
inline constexpr std::size_t raw_chunk = static_cast<std::size_t>(-1);

/// The numbers of words that share parameters inside a full chunk differ per stage; the number of sub-chunks does not.
inline constexpr unsigned subchunks_per_chunk = 32;

/// Parameters of a codec, the same for a whole frame and stored in its header.
struct CodecParameters {
  std::uint32_t dimensionality = 1;  ///< gfc: 1 to 32 values that belong together (x, y, z ...).
};

/// Where a chunk sits. Only predictors that know the shape of the array look at more than `bytes` and `parameters`.
struct ChunkContext {
  std::size_t bytes = 0;                  ///< Length of the chunk's original bytes.
  std::uint64_t first_word = 0;           ///< Index in the array of the chunk's first word.
  std::array<std::uint64_t, 8> extent{};  ///< Shape of the array, slowest dimension first; extent[0] may be 0: unknown.
  std::uint32_t rank = 1;
  CodecParameters parameters{};
  MemoryTraffic* traffic = nullptr;  ///< What kernels may do beside their own work. Null: nothing.
};

}  // namespace floe::core
