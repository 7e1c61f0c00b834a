// The head of a segment with its chunk table: docs/format/frame.md section 3.
#pragma once

#include <cstdint>
#include <span>

#include "core/word.hpp"
#include "floe/error.hpp"
#include "container/header.hpp"
#include "container/layout.hpp"

namespace floe::format {

/// What a chunk table says of one chunk.
struct ChunkEntry {
  std::uint32_t checksum = 0;  ///< 0 without checksums
  std::uint16_t stored_bytes = 0;
  std::uint8_t mode = mode_raw;
};

/// The chunk table of a segment head in memory, for reading and writing. Owns nothing.
template <class Byte>
class ChunkTable {
 public:
  /// `fields_bytes` lie between the group offsets and the rest of the table.
  ChunkTable(std::span<Byte> head, std::uint64_t chunk_count, bool checksums, std::uint64_t fields_bytes = 0)
      : head_(head), chunk_count_(chunk_count), fields_bytes_(fields_bytes), checksums_(checksums) {}

  [[nodiscard]] std::uint64_t chunk_count() const { return chunk_count_; }
  [[nodiscard]] ChunkEntry entry(std::uint64_t chunk) const {
    return {checksums_ ? core::load<std::uint32_t>(checksum_at(chunk)) : 0, core::load<std::uint16_t>(stored_bytes_at(chunk)),
            *mode_at(chunk)};
  }
  void set_entry(std::uint64_t chunk, const ChunkEntry& entry) const {
    if (checksums_) core::store(checksum_at(chunk), entry.checksum);
    core::store(stored_bytes_at(chunk), entry.stored_bytes);
    *mode_at(chunk) = entry.mode;
  }
  /// Offset from the end of the head of the payload of chunk 256 · group; group 0 has none stored: it is 0.
  [[nodiscard]] std::uint64_t group_offset(std::uint64_t group) const {
    return group == 0 ? 0 : core::load<std::uint64_t>(group_at(group));
  }
  void set_group_offset(std::uint64_t group, std::uint64_t offset) const {
    if (group != 0) core::store(group_at(group), offset);
  }
  /// Offset from the end of the head of a chunk's payload; adds at most 255 sizes.
  [[nodiscard]] std::uint64_t payload_offset(std::uint64_t chunk) const {
    std::uint64_t offset = group_offset(chunk / chunks_per_group);
    for (std::uint64_t i = chunk / chunks_per_group * chunks_per_group; i < chunk; ++i) offset += padded(entry(i).stored_bytes);
    return offset;
  }
  [[nodiscard]] std::span<Byte> fields() const { return head_.subspan(fixed_segment_head_bytes + 8 * stored_groups(), fields_bytes_); }
  /// Where the table ends and the padding begins.
  [[nodiscard]] std::size_t end() const { return static_cast<std::size_t>(mode_at(chunk_count_) - head_.data()); }

 private:
  [[nodiscard]] std::uint64_t stored_groups() const { return core::divide_up(chunk_count_, chunks_per_group) - 1; }
  [[nodiscard]] Byte* group_at(std::uint64_t group) const { return head_.data() + fixed_segment_head_bytes + 8 * (group - 1); }
  [[nodiscard]] Byte* checksum_at(std::uint64_t chunk) const {
    return head_.data() + fixed_segment_head_bytes + 8 * stored_groups() + fields_bytes_ + 4 * chunk;
  }
  [[nodiscard]] Byte* stored_bytes_at(std::uint64_t chunk) const { return checksum_at(checksums_ ? chunk_count_ : 0) + 2 * chunk; }
  [[nodiscard]] Byte* mode_at(std::uint64_t chunk) const { return stored_bytes_at(chunk_count_) + chunk; }

  std::span<Byte> head_;
  std::uint64_t chunk_count_;
  std::uint64_t fields_bytes_;
  bool checksums_;
};

/// The fixed part of a segment head.
struct SegmentHead {
  std::uint64_t head_bytes = 0;
  std::uint64_t index = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t chunk_count = 0;
  std::uint8_t kind = kind_content;
  std::uint32_t header_crc = 0;
  std::uint64_t fields_bytes = 0;  ///< This version writes none, and skips those that it may skip.

  /// What the chunks of this segment decode to together: more than the content for kind_history.
  [[nodiscard]] std::uint64_t coded_bytes() const { return kind == kind_history ? 2 * content_bytes : content_bytes; }
  /// Bytes that one of its chunks decodes to.
  [[nodiscard]] std::size_t chunk_bytes(std::uint64_t chunk) const {
    const std::uint64_t rest = coded_bytes() - chunk * core::chunk_bytes;
    return rest < core::chunk_bytes ? static_cast<std::size_t>(rest) : core::chunk_bytes;
  }
};

/// The table of a head in memory.
template <class Byte>
ChunkTable<Byte> table_of(std::span<Byte> head_bytes, const SegmentHead& head, bool checksums) {
  return {head_bytes, head.chunk_count, checksums, head.fields_bytes};
}

/// Writes the fixed part, the padding and the CRC around a table that is complete. `head` has head.head_bytes bytes.
void finish_segment_head(std::span<std::uint8_t> head_bytes, const SegmentHead& head, const ChunkTable<std::uint8_t>& table);

/// What the frame says of the segment that is read.
struct ExpectedSegment {
  const Header& header;
  std::uint32_t header_crc;
  std::uint64_t index;
  std::uint64_t frame_offset;  ///< For error messages: where the segment begins in the frame.
  bool history_allowed;        ///< Whether the codec has a stage over the segment.
};

/// Reads the fixed part only: enough to know how long head and segment are. Errors: corrupt_frame, unsupported_version.
Result<SegmentHead> parse_fixed_segment_head(std::span<const std::uint8_t> first_bytes, const ExpectedSegment& expected);

/// Verifies a whole head of head.head_bytes bytes: CRC, fields, padding, and every entry of the table. Afterwards every payload lies within
/// payload_bytes. Errors: corrupt_frame, unsupported_version.
Status check_segment_head(std::span<const std::uint8_t> head_bytes, const SegmentHead& head, const ExpectedSegment& expected);

}  // namespace floe::format
