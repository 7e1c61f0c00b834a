// The stream of a chunked leaf back to words, or to a part of them, with several threads. Nothing of it is
// believed before it is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "chunks/leaf.hpp"
#include "core/buffer.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"

namespace floe::chunks {

/// The leaf that is the whole tree of a stream of `word_bytes` words, by the first front_bytes of the stream;
/// none if it is another tree. Without a codec if this version does not know it: check_leaf() then refuses
/// the leaf, if it is intact.
std::optional<Leaf> leaf_of_front(std::span<const std::uint8_t> front, std::size_t word_bytes);

/// What a segment says of such a stream.
struct LeafStream {
  Leaf leaf;
  bool checksums = true;
  std::uint64_t content_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t digest = 0;
  std::uint64_t frame_offset = 0;  ///< Of the stream, for error messages.

  /// Bytes at the front of the stream that must be read before payloads, table included. Precondition:
  /// `front` is of this leaf.
  [[nodiscard]] std::uint64_t header_bytes(std::span<const std::uint8_t> front) const;
};

/// A stream whose front and table were checked.
struct CheckedLeaf {
  LeafStream stream;
  std::uint8_t kind = kind_content;
  std::uint64_t chunk_count = 0;
  std::uint64_t payloads_offset = 0;  ///< In the stream.
  ChunkTable<const std::uint8_t> table;

  /// Bytes that one of its chunks decodes to.
  [[nodiscard]] std::size_t chunk_bytes(std::uint64_t chunk) const {
    const std::uint64_t left = coded_bytes_of(stream.content_bytes, kind) - chunk * core::chunk_bytes;
    return static_cast<std::size_t>(left < core::chunk_bytes ? left : core::chunk_bytes);
  }
};
/// `bytes`: the stream, or the first header_bytes of it, which must remain. Errors: corrupt_frame,
/// unsupported_version.
Result<CheckedLeaf> check_leaf(const LeafStream& stream, std::span<const std::uint8_t> bytes);

/// The digest of a stream of this leaf whose table makes sense; none otherwise.
std::optional<std::uint64_t> digest_of_leaf(const Leaf& leaf, std::uint64_t content_bytes, bool checksums,
                                            std::span<const std::uint8_t> stream);

/// A leaf below other nodes, or in a part of a segment: its kind, table and payloads are the front of
/// `bytes`, which must remain, without checksums; stream.stored_bytes says how long they are. None if they
/// contradict the format.
std::optional<CheckedLeaf> nested_leaf(const Leaf& leaf, std::uint64_t content_bytes, std::uint8_t kind,
                                       std::span<const std::uint8_t> bytes);

/// The chunks that a range of content lies in: [first, end). All of them for kind_history.
struct ChunkRange {
  std::uint64_t first = 0, end = 0;
};
ChunkRange chunks_of(const CheckedLeaf& leaf, std::uint64_t first_byte, std::uint64_t byte_count);
/// Where the payloads of these chunks lie in the stream: [first, end).
ChunkRange payloads_of(const CheckedLeaf& leaf, const ChunkRange& chunks);

/// Decodes parts of streams. Keeps its scratch memory from call to call; for one thread at a time.
class LeafDecoder {
 public:
  /// `written_bytes`: how much will have been written before any of it is used, if that is known to be more
  /// than what a call writes.
  explicit LeafDecoder(core::Workers& workers, std::uint64_t written_bytes = 0)
      : workers_(workers), written_bytes_(written_bytes) {}

  /// Writes the content's bytes [first_byte, first_byte + out.size()) to `out`. `payloads` are those of
  /// chunks_of(...), beginning with the first one's. Errors: corrupt_frame. Throws std::bad_alloc.
  Status decode(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                std::span<std::uint8_t> out);

 private:
  Status decode_chunks(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
                       std::uint64_t first_byte, std::span<std::uint8_t> out);
  Status decode_history(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
                        std::uint64_t first_byte, std::span<std::uint8_t> out);

  core::Workers& workers_;
  std::uint64_t written_bytes_;
  core::Buffer workspace_;
  core::Buffer history_;
  core::Buffer distances_;
};

/// What a decoder allocates besides scratch memory of some chunks per thread.
std::uint64_t decoding_bytes(const CheckedLeaf& leaf);

}  // namespace floe::chunks
