#include "container/segment_head.hpp"

#include <algorithm>
#include <cassert>

#include "core/byte_io.hpp"
#include "core/crc32c.hpp"
#include "container/fields.hpp"

namespace floe::format {
namespace {

Status corrupt(const ExpectedSegment& expected, std::uint64_t offset, const char* detail) {
  return {ErrorCode::corrupt_frame, expected.frame_offset + offset, detail};
}

bool entry_is_possible(const ChunkEntry& entry, std::size_t chunk_bytes) {
  if (entry.mode == mode_raw) return entry.stored_bytes == chunk_bytes;
  return entry.mode == mode_coded && entry.stored_bytes > 0 && entry.stored_bytes < chunk_bytes;
}

}  // namespace

void finish_segment_head(std::span<std::uint8_t> head_bytes, const SegmentHead& head, const ChunkTable<std::uint8_t>& table) {
  FieldWriter out(head_bytes);
  out.put(segment_magic);
  out.put(static_cast<std::uint32_t>(head.head_bytes));
  out.put(head.index);
  out.put(head.content_bytes);
  out.put(head.payload_bytes);
  out.put(static_cast<std::uint32_t>(head.chunk_count));
  out.put(head.kind);
  out.zero_until(40);
  out.put(head.header_crc);
  out.put(static_cast<std::uint32_t>(head.fields_bytes));

  FieldWriter end(head_bytes.subspan(table.end()));
  end.zero_until(head_bytes.size() - 4 - table.end());
  end.put(crc32c(head_bytes.first(head_bytes.size() - 4)));
}

Result<SegmentHead> parse_fixed_segment_head(std::span<const std::uint8_t> first_bytes, const ExpectedSegment& expected) {
  assert(first_bytes.size() >= fixed_segment_head_bytes);
  FieldReader in(first_bytes.first(fixed_segment_head_bytes));
  if (in.get<std::uint32_t>() != segment_magic) return corrupt(expected, 0, "a segment does not begin with FSEG");
  SegmentHead head;
  head.head_bytes = in.get<std::uint32_t>();
  head.index = in.get<std::uint64_t>();
  head.content_bytes = in.get<std::uint64_t>();
  head.payload_bytes = in.get<std::uint64_t>();
  head.chunk_count = in.get<std::uint32_t>();
  head.kind = in.get<std::uint8_t>();
  const bool zeros = in.zeros_until(40);
  head.header_crc = in.get<std::uint32_t>();
  head.fields_bytes = in.get<std::uint32_t>();
  if (!zeros) return corrupt(expected, 37, "a reserved number is not zero");

  if (head.index != expected.index) return corrupt(expected, 8, "a segment is out of order");
  if (head.header_crc != expected.header_crc) return corrupt(expected, 40, "a segment belongs to another frame");
  if (head.content_bytes == 0 || head.content_bytes > expected.header.segment_bytes())
    return corrupt(expected, 16, "a segment's content is too long");
  if (head.content_bytes % size_of(expected.header.dtype) != 0)
    return corrupt(expected, 16, "a segment's content is no whole number of elements");
  if (head.kind != kind_content && !(head.kind == kind_history && expected.history_allowed))
    return corrupt(expected, 36, "unknown kind of segment");
  if (head.chunk_count != core::divide_up(head.coded_bytes(), core::chunk_bytes))
    return corrupt(expected, 32, "a segment has the wrong number of chunks");
  if (head.fields_bytes % 8 != 0 || head.fields_bytes > largest_fields_bytes)
    return corrupt(expected, 44, "the fields of a segment head have an impossible length");
  if (head.head_bytes != segment_head_bytes(head.chunk_count, expected.header.checksums, head.fields_bytes))
    return corrupt(expected, 4, "a segment head has the wrong length");
  if (head.payload_bytes > padded(head.coded_bytes()) || head.payload_bytes % alignment != 0)
    return corrupt(expected, 24, "a segment's payloads are too long");
  return head;
}

Status check_segment_head(std::span<const std::uint8_t> head_bytes, const SegmentHead& head, const ExpectedSegment& expected) {
  assert(head_bytes.size() == head.head_bytes);
  const std::size_t end = head_bytes.size() - 4;
  if (crc32c(head_bytes.first(end)) != core::load<std::uint32_t>(head_bytes.data() + end)) {
    return corrupt(expected, end, "the checksum of a segment head does not match");
  }
  const ChunkTable table = table_of(head_bytes, head, expected.header.checksums);
  const std::uint64_t fields_offset = expected.frame_offset + static_cast<std::uint64_t>(table.fields().data() - head_bytes.data());
  if (const Status status = skip_fields(table.fields(), fields_offset); !status.ok()) return status;
  std::uint64_t offset = 0;
  for (std::uint64_t chunk = 0; chunk < head.chunk_count; ++chunk) {
    if (chunk % chunks_per_group == 0 && table.group_offset(chunk / chunks_per_group) != offset) {
      return corrupt(expected, fixed_segment_head_bytes, "a group offset of a chunk table is wrong");
    }
    const ChunkEntry entry = table.entry(chunk);
    if (!entry_is_possible(entry, head.chunk_bytes(chunk)))
      return corrupt(expected, fixed_segment_head_bytes, "an entry of a chunk table is impossible");
    offset += padded(entry.stored_bytes);
  }
  if (offset != head.payload_bytes) return corrupt(expected, 24, "the payloads of a segment do not add up");
  FieldReader padding(head_bytes.first(end).subspan(table.end()));
  if (!padding.zeros_until(padding.remaining())) return corrupt(expected, table.end(), "the padding of a segment head is not zero");
  return {};
}

}  // namespace floe::format
