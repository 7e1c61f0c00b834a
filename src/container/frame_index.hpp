// Where what is in a frame that can be read at any position, in memory or elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "core/buffer.hpp"

namespace floe::container {

/// Where the bytes of a frame come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The bytes [offset, offset + count), which lie within the frame: in place, or read into `scratch`. Valid
  /// until the next use of `scratch`.
  virtual Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count,
                                                      core::Buffer& scratch) const = 0;
  /// Whether `scratch` is used.
  [[nodiscard]] virtual bool copies() const noexcept = 0;
};

/// A frame in memory. Thread-safe.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::uint8_t> frame) : frame_(frame) {}
  Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count,
                                              core::Buffer&) const override {
    return frame_.subspan(offset, count);
  }
  [[nodiscard]] bool copies() const noexcept override { return false; }

 private:
  std::span<const std::uint8_t> frame_;
};

/// The same with memory of its own.
class OwnedSource final : public ByteSource {
 public:
  explicit OwnedSource(std::vector<std::uint8_t> frame) : frame_(std::move(frame)) {}
  Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count,
                                              core::Buffer&) const override {
    return std::span<const std::uint8_t>(frame_).subspan(offset, count);
  }
  [[nodiscard]] bool copies() const noexcept override { return false; }

 private:
  std::vector<std::uint8_t> frame_;
};

/// A frame behind a caller's function.
class CallbackSource final : public ByteSource {
 public:
  explicit CallbackSource(ReadAt read_at) : read_at_(std::move(read_at)) {}
  Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count,
                                              core::Buffer& scratch) const override {
    const auto to = scratch.reserve(count);
    if (const Status status = read_at_(offset, std::as_writable_bytes(to)); !status.ok()) return status;
    return std::span<const std::uint8_t>(to);
  }
  [[nodiscard]] bool copies() const noexcept override { return true; }

 private:
  ReadAt read_at_;
};

struct FrameIndex {
  Header header;
  std::uint32_t header_crc = 0;
  std::uint64_t header_bytes = 0;
  Footer footer;
  std::uint64_t footer_offset = 0;
  FrameInfo info;

  [[nodiscard]] std::uint64_t segment_count() const { return footer.segments.size(); }
  /// Of the segment, and where the next part begins; its first element, and that of the next one.
  [[nodiscard]] IndexEntry begin_of(std::uint64_t segment) const { return footer.segments[segment]; }
  [[nodiscard]] IndexEntry end_of(std::uint64_t segment) const {
    return segment + 1 < footer.segments.size() ? footer.segments[segment + 1]
                                                : IndexEntry{footer_offset, footer.element_count};
  }
  /// The segment that holds an element. Precondition: there is one.
  [[nodiscard]] std::uint64_t segment_of(std::uint64_t element) const;
};

/// Reads and checks header and footer, and that the segments could be where the footer says. The footer and
/// what is made of it take at most the given memory. Throws std::bad_alloc.
Result<FrameIndex> read_frame_index(const ByteSource& source, std::uint64_t frame_bytes,
                                    std::uint64_t memory_limit_bytes);

/// What header and footer say together.
FrameInfo make_info(const Header& header, const Footer& footer, std::uint64_t frame_bytes);

/// A segment whose header was read.
struct OpenSegment {
  SegmentHeader header;
  std::uint64_t payload_offset = 0;  ///< In the frame.
};
/// Errors: corrupt_frame, those of the source.
Result<OpenSegment> open_segment(const ByteSource& source, const FrameIndex& index, std::uint64_t segment,
                                 core::Buffer& scratch);

}  // namespace floe::container
