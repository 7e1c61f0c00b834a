// A chunked leaf: words in chunks of 16 KiB, each through a codec of the publications. docs/format/leaves.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "chunks/chunk_table.hpp"
#include "chunks/registry/codec_entry.hpp"

namespace floe::chunks {

inline constexpr std::uint8_t encoding_id = 12;  ///< Of this leaf in plans.

/// A codec with its parameter.
struct Leaf {
  const registry::CodecEntry* codec = nullptr;
  std::uint32_t dimensionality = 1;

  [[nodiscard]] core::ChunkContext context() const {
    core::ChunkContext context;
    context.parameters.dimensionality = dimensionality;
    return context;
  }
};

/// A stream whose whole tree is one leaf begins with its plan, and the kind of the leaf. It is verified chunk
/// by chunk, so a slice of it costs the chunks that it overlaps.
inline constexpr std::size_t front_bytes = 16, kind_at = 5;

/// What the chunks hold together.
constexpr std::uint64_t coded_bytes_of(std::uint64_t content_bytes, std::uint8_t kind) {
  return kind == kind_history ? 2 * content_bytes : content_bytes;
}
constexpr std::uint64_t chunk_count_of(std::uint64_t content_bytes, std::uint8_t kind) {
  return core::divide_up(coded_bytes_of(content_bytes, kind), core::chunk_bytes);
}

/// The most bytes of the stream of a leaf.
constexpr std::uint64_t stream_bound(std::uint64_t content_bytes, bool checksums) {
  return front_bytes + table_bytes(chunk_count_of(content_bytes, kind_content), checksums) +
         padded(content_bytes);
}

/// The front of a leaf's stream.
std::array<std::uint8_t, front_bytes> front_of(const Leaf& leaf, std::uint8_t kind);

/// Digest entry of up to 16 KiB, which are followed by their zero padding if they need some.
core::BlockEntry block_of(std::span<const std::uint8_t> bytes, bool checksums);
/// The digest of a stream that is no chunked leaf: of pieces of 16 KiB. `bytes` are followed by their
/// padding.
std::uint64_t digest_of_bytes(std::span<const std::uint8_t> bytes, bool checksums);

/// How many bytes a leaf makes of content, going by a sample of its chunks. Does not see a history.
struct LeafEstimate {
  std::uint64_t bytes = 0;
  std::uint64_t error = 0;  ///< It hardly errs by more than this.
};
/// Of every `step`-th chunk, but `min_chunks` at least.
LeafEstimate estimate_leaf(const Leaf& leaf, std::span<const std::uint8_t> content, std::size_t step,
                           std::size_t min_chunks = 8);
inline std::uint64_t estimated_leaf_bytes(const Leaf& leaf, std::span<const std::uint8_t> content) {
  return estimate_leaf(leaf, content, 3).bytes;
}

}  // namespace floe::chunks
