// A frame as its header and footer describe it, and access to its segments wherever the bytes are.
#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.hpp"
#include "container/frame_plan.hpp"
#include "chunks/segment_decoder.hpp"
#include "container/footer.hpp"

namespace floe::api {

/// Where the bytes of a frame come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The bytes [offset, offset + count), which lie within the frame: in place, or read into `scratch`. Valid until the next use of
  /// `scratch`.
  virtual Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count, Buffer& scratch) = 0;
  /// Whether `scratch` is used.
  [[nodiscard]] virtual bool copies() const noexcept = 0;
};

/// A frame in memory. Thread-safe.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::uint8_t> frame) : frame_(frame) {}
  Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count, Buffer&) override {
    return frame_.subspan(offset, count);
  }
  [[nodiscard]] bool copies() const noexcept override { return false; }

 private:
  std::span<const std::uint8_t> frame_;
};

/// A frame behind a caller's function.
class CallbackSource final : public ByteSource {
 public:
  explicit CallbackSource(ReadAt read_at) : read_at_(std::move(read_at)) {}
  Result<std::span<const std::uint8_t>> bytes(std::uint64_t offset, std::uint64_t count, Buffer& scratch) override {
    const auto to = scratch.reserve(count);
    if (const Status status = read_at_(offset, std::as_writable_bytes(to)); !status.ok()) return status;
    return std::span<const std::uint8_t>(to);
  }
  [[nodiscard]] bool copies() const noexcept override { return true; }

 private:
  ReadAt read_at_;
};

struct FrameIndex {
  FramePlan plan;
  format::Footer footer;
  FrameInfo info;
  std::uint64_t footer_offset = 0;

  [[nodiscard]] std::uint64_t segment_offset(std::uint64_t segment) const {
    return segment < footer.segment_offsets.size() ? footer.segment_offsets[segment] : footer_offset;
  }
  [[nodiscard]] std::uint64_t content_bytes_of(std::uint64_t segment) const;
};

/// Reads and checks header and footer, and that the segments could be where the footer says. The footer and what is made of it take at
/// most the given memory. Throws std::bad_alloc.
Result<FrameIndex> read_frame_index(ByteSource& source, std::uint64_t frame_bytes,
                                    std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes);

/// What header and footer say together.
FrameInfo make_info(const FramePlan& plan, const format::Footer& footer, std::uint64_t frame_bytes);

/// Decodes elements of a frame. Throws std::bad_alloc.
Status decode_slice(ByteSource& source, const FrameIndex& index, std::span<std::uint8_t> out, Slice slice, const DecodeOptions& options);

/// Verifies all segment heads and counts. Throws std::bad_alloc.
Result<ChunkCounts> count_chunks(ByteSource& source, const FrameIndex& index);

}  // namespace floe::api
