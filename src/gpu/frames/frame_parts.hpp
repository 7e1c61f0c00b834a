// Parts of an array's frame as they lie in memory: docs/format/container.md describes them, and
// container::write_segment_header and write_footer write them on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "container/parts.hpp"
#include "container/value_range.hpp"

namespace floe::gpu {

/// The beginning of a segment's header. Fields of later versions may follow it.
struct SegmentStart {
  std::uint32_t magic = container::segment_magic;
  std::uint32_t header_bytes = container::array_segment_header_bytes;
  std::uint64_t index = 0, first = 0;
  std::uint32_t count = 0, flags = 0, header_crc = 0;
  std::uint32_t stream_count = 1, column_count = 1, fields_bytes = 0;
};
/// The column of an array, and its stream.
struct SegmentColumn {
  std::uint64_t cell_format = 0;  ///< Zeros: native.
  std::uint32_t cell_format_4 = 0;
  std::uint8_t cell_format_1 = 0, range_kind = 0;
  std::uint16_t reserved = 0;
  std::uint64_t range_min = 0, range_max = 0;
  std::uint32_t type = 0;  ///< In the first byte.
  std::uint32_t count = 0;
  std::uint64_t stored_bytes = 0, digest = 0;
};
/// A header without fields.
struct alignas(16) SegmentHeader {
  SegmentStart start;
  SegmentColumn column;
  std::uint32_t padding = 0, crc = 0;
};
static_assert(sizeof(SegmentStart) == container::fixed_segment_bytes &&
              sizeof(SegmentColumn) == container::column_entry_bytes + container::stream_entry_bytes &&
              sizeof(SegmentHeader) == container::array_segment_header_bytes);
static_assert(container::segment_at::first == offsetof(SegmentStart, first) &&
              container::segment_at::count == offsetof(SegmentStart, count) &&
              container::segment_at::header_crc == offsetof(SegmentStart, header_crc) &&
              container::segment_at::fields_bytes == offsetof(SegmentStart, fields_bytes));
static_assert(container::column_at::range_kind == offsetof(SegmentColumn, range_kind) &&
              container::column_at::range_min == offsetof(SegmentColumn, range_min) &&
              container::column_entry_bytes == offsetof(SegmentColumn, type));

/// What a footer says before and behind its index.
struct FooterStart {
  std::uint32_t magic = container::footer_magic;
  std::uint32_t fields_bytes = 0, header_crc = 0, reserved = 0;
  std::uint64_t outer_size = 0, digest = 0;
};
struct FooterEnd {
  std::uint64_t footer_bytes = 0;
  std::uint32_t crc = 0, magic = container::end_magic;
};
static_assert(sizeof(FooterStart) + sizeof(FooterEnd) == container::fixed_footer_bytes &&
              sizeof(FooterEnd) == container::footer_end_bytes &&
              sizeof(FooterStart) == container::footer_at::index &&
              offsetof(FooterStart, digest) == container::footer_at::digest);

using container::IndexEntry;
static_assert(sizeof(IndexEntry) == container::index_entry_bytes);

}  // namespace floe::gpu
