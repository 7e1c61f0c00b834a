// The order of a frame's parts, for every way of compressing: header, segments, footer.
#pragma once

#include <cstdint>
#include <span>

#include "container/parts.hpp"
#include "core/digest.hpp"

namespace floe::container {

/// Where the bytes of a frame go.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual Status put(std::span<const std::uint8_t> bytes) = 0;
  /// Memory behind what was put, if the frame goes to memory: bytes that are made there are in place when
  /// they are put.
  [[nodiscard]] virtual std::span<std::uint8_t> room() { return {}; }
};

/// Writes one frame. Throws std::bad_alloc. Errors of all calls: those of the sink.
class FrameWriter {
 public:
  explicit FrameWriter(FrameSink& sink) : sink_(sink) {}

  Status begin(const Header& header);
  /// A segment, whose index is filled in, and its streams in their order.
  Status segment(SegmentHeader& segment, std::span<const std::span<const std::uint8_t>> streams);
  /// A segment of an array whose stream is one behind array_segment_header_bytes of room for its header.
  Status segment(SegmentHeader& segment, std::span<std::uint8_t> room_and_stream);
  /// `outer_size`: of the outermost dimension of an array; rows of a table.
  Status finish(std::uint64_t outer_size);

  [[nodiscard]] bool has_begun() const noexcept { return offset_ != 0; }
  [[nodiscard]] std::span<std::uint8_t> room() { return sink_.room(); }
  [[nodiscard]] std::uint64_t frame_bytes() const noexcept { return offset_; }
  /// Of the segments so far.
  [[nodiscard]] std::uint64_t element_count() const noexcept { return footer_.element_count; }
  [[nodiscard]] std::uint64_t segment_count() const noexcept { return footer_.segments.size(); }
  [[nodiscard]] std::uint64_t segment_offset() const noexcept { return footer_.segments.back().offset; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }

 private:
  Status put(std::span<const std::uint8_t> bytes);
  void count(SegmentHeader& segment);

  FrameSink& sink_;
  std::uint64_t offset_ = 0;
  std::uint32_t header_crc_ = 0;
  Footer footer_;
  core::Digest digest_;
};

}  // namespace floe::container
