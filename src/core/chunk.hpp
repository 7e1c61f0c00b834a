// Chunks: how long they are, and what a codec is told of one besides its words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::core {

class MemoryOverlap;

/// The published streams and chunked leaves cut data into chunks of this size.
inline constexpr std::size_t chunk_bytes = 16384;

/// What chunk encoders return instead of a size for chunks that are stored raw.
inline constexpr std::size_t raw_chunk = static_cast<std::size_t>(-1);

/// The numbers of words that share parameters inside a full chunk differ per stage; the number of sub-chunks
/// does not.
inline constexpr unsigned subchunks_per_chunk = 32;

/// Parameters of a codec, the same for a whole stream.
struct CodecParameters {
  std::uint32_t dimensionality = 1;  ///< gfc: 1 to 32 values that belong together (x, y, z ...).
};

/// What a codec is told of a chunk besides its words.
struct ChunkContext {
  std::size_t bytes = 0;  ///< Length of the chunk's original bytes.
  CodecParameters parameters{};
  MemoryOverlap* overlap = nullptr;  ///< What kernels may do beside their own work. Null: nothing.
};

}  // namespace floe::core
