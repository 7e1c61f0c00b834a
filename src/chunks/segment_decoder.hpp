// Bytes of one segment back to its content, or to a part of it.
#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.hpp"
#include "container/frame_plan.hpp"
#include "core/parallel.hpp"
#include "container/digest.hpp"
#include "container/segment_head.hpp"

namespace floe::api {

/// A segment whose head was checked, as far as it is in memory.
struct CheckedSegment {
  const format::SegmentHead& head;
  std::span<const std::uint8_t> head_bytes;
  std::uint64_t frame_offset;  ///< Of the segment, for error messages.
};

/// The chunks that a range of a segment's content lies in: [first, end). All of them for kind_history.
struct ChunkRange {
  std::uint64_t first = 0, end = 0;
};
ChunkRange chunks_of(const format::SegmentHead& head, std::uint64_t first_byte, std::uint64_t byte_count);

/// Decodes parts of the segments of one frame. Keeps its threads and its scratch memory from call to call; for one thread at a time.
class SegmentDecoder {
 public:
  SegmentDecoder(const FramePlan& plan, const DecodeOptions& options) : plan_(plan), workers_(options.threads, options.executor) {}

  /// Writes the content's bytes [first_byte, first_byte + out.size()) to `out`. `payloads` are those of chunks_of(...), beginning with
  /// the first one's. Errors: corrupt_frame. Throws std::bad_alloc.
  Status decode(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                std::span<std::uint8_t> out);

  /// How much content should be decoded at once, so that all threads have work: a multiple of the chunk.
  [[nodiscard]] std::uint64_t good_piece_bytes();

 private:
  Status decode_chunks(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                       std::span<std::uint8_t> out);
  Status decode_history(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                        std::span<std::uint8_t> out);

  const FramePlan& plan_;
  Workers workers_;
  Buffer workspace_;
  Buffer history_;
  Buffer distances_;
};

/// Whether a segment can be decoded within the memory limit if the caller needs `caller_bytes` for it, too. Errors: out_of_memory.
Status check_memory(const format::SegmentHead& head, std::uint64_t caller_bytes, const DecodeOptions& options);

/// Adds a segment's chunks to a frame's digest, which stays 0 without checksums.
void add_to_digest(format::Digest& digest, const CheckedSegment& segment, bool checksums);

}  // namespace floe::api
