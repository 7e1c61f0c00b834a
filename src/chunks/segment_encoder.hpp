// Content of one segment to its bytes in the frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "chunks/coded_content.hpp"
#include "container/frame_plan.hpp"
#include "core/parallel.hpp"
#include "container/digest.hpp"

namespace floe::api {

/// Encodes the segments of one frame, in order. Keeps its threads and its scratch memory from segment to segment; for one thread.
class SegmentEncoder {
 public:
  SegmentEncoder(const FramePlan& plan, const Options& options) : plan_(plan), workers_(options.threads, options.executor) {}

  /// Encodes the next segment and returns its bytes, which are in `out` if that has room for the worst case, else in memory of the
  /// encoder that the next call uses again. Throws std::bad_alloc.
  std::span<const std::uint8_t> encode(std::span<const std::uint8_t> content, std::span<std::uint8_t> out);

  /// The same in pieces, for codecs without history: begin() says how long the segment may become, add() takes content that is a whole
  /// number of chunks but for the last piece, finish() returns the segment's bytes.
  void begin(std::uint64_t most_content_bytes, std::span<std::uint8_t> out = {});
  void add(std::span<const std::uint8_t> content);
  std::span<const std::uint8_t> finish();

  /// How much content should be given to add() at once, so that all threads have work: a multiple of the chunk.
  [[nodiscard]] std::uint64_t good_piece_bytes();
  [[nodiscard]] std::uint64_t digest() const noexcept { return plan_.header.checksums ? digest_.value() : 0; }

 private:
  CodedContent with_matches(std::span<const std::uint8_t> content);
  void add(const CodedContent& content);
  std::span<const std::uint8_t> write_head(std::uint8_t kind, std::uint64_t content_bytes);
  void count_segment(std::uint64_t content_bytes);

  const FramePlan& plan_;
  Workers workers_;
  std::uint64_t index_ = 0;
  std::uint64_t first_word_ = 0;
  format::Digest digest_;
  Buffer history_;
  Buffer memory_;
  Buffer workspace_;

  // Of the segment that is being encoded.
  std::span<std::uint8_t> segment_;    ///< Room for the worst case.
  std::uint64_t payloads_offset_ = 0;  ///< In segment_; the head ends here.
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t coded_bytes_ = 0;  ///< That the payloads stand for.
  std::vector<format::ChunkEntry> entries_;
};

/// Bytes that a segment needs while it is encoded: its head, and every chunk as if it were raw.
std::uint64_t segment_bound(std::uint64_t coded_bytes, bool checksums);

}  // namespace floe::api
