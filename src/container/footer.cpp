#include "container/parts.hpp"

#include <cassert>

#include "container/fields.hpp"
#include "core/byte_stream.hpp"
#include "core/crc32c.hpp"

namespace floe::container {
namespace {

/// Null, or what is wrong with the positions of segments and the number of elements.
const char* check_index(const Footer& footer, const Header& header, std::uint64_t footer_offset) {
  for (std::size_t i = 0; i < footer.segments.size(); ++i) {
    const IndexEntry& at = footer.segments[i];
    const bool is_last = i + 1 == footer.segments.size();
    const IndexEntry next =
        is_last ? IndexEntry{footer_offset, footer.element_count} : footer.segments[i + 1];
    // Segments of a table may have no rows, but malformed ones.
    const bool has_elements =
        header.content == Content::table ? next.first >= at.first : next.first > at.first;
    if (!has_elements || next.first - at.first > header.max_segment_length)
      return "the lengths of segments are impossible";
    if (next.offset <= at.offset || next.offset - at.offset < min_segment_header_bytes ||
        at.offset % alignment != 0)
      return "the offsets of segments are impossible";
  }
  if (footer.segments.empty() ? footer.element_count != 0 : footer.segments[0].first != 0)
    return "the segments do not hold all elements";
  return nullptr;
}

}  // namespace

std::vector<std::uint8_t> write_footer(const Footer& footer, std::uint32_t header_crc) {
  core::ByteWriter out;
  const std::uint64_t bytes = footer_bytes(footer.segments.size());
  out.reserve(bytes);
  out.put_word(footer_magic);
  out.put_word(std::uint32_t{0});  // fields
  out.put_word(header_crc);
  out.put_word(std::uint32_t{0});
  out.put_word(footer.outer_size);
  out.put_word(footer.digest);
  for (const IndexEntry& segment : footer.segments) {
    out.put_word(segment.offset);
    out.put_word(segment.first);
  }
  out.put_word(bytes);
  out.put_word(core::crc32c(out.bytes()));
  out.put_word(end_magic);
  return out.release();
}

Result<std::uint64_t> footer_length_from_start(std::span<const std::uint8_t> first_bytes,
                                               std::uint64_t frame_offset, std::uint64_t segment_count) {
  const auto fields_bytes = core::load<std::uint32_t>(first_bytes.data() + footer_at::fields_bytes);
  if (fields_bytes % 8 != 0 || fields_bytes > max_fields_bytes)
    return Status{ErrorCode::corrupt_frame, frame_offset + footer_at::fields_bytes,
                  "the fields of the footer have an impossible length"};
  return footer_bytes(segment_count, fields_bytes);
}

Result<std::uint64_t> footer_length(std::span<const std::uint8_t> last_bytes, std::uint64_t frame_bytes) {
  assert(last_bytes.size() == footer_end_bytes);
  core::ByteReader in(last_bytes);
  const auto length = in.get_word<std::uint64_t>();
  in.get_word<std::uint32_t>();
  if (in.get_word<std::uint32_t>() != end_magic)
    return Status{ErrorCode::truncated_frame, frame_bytes,
                  "the frame does not end with its footer: it was cut short, or bytes were added"};
  if (length < fixed_footer_bytes || length % 8 != 0 || length > frame_bytes - min_header_bytes)
    return Status{ErrorCode::corrupt_frame, frame_bytes - footer_end_bytes,
                  "the footer's length is impossible"};
  return length;
}

Result<Footer> parse_footer(std::span<const std::uint8_t> bytes, std::uint64_t frame_offset,
                            const Header& header, std::uint32_t header_crc) {
  const auto corrupt = [&](std::uint64_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, frame_offset + offset, detail};
  };
  assert(bytes.size() >= fixed_footer_bytes);
  assert(header.content != Content::array || size_of(header.dtype) != 0);
  const std::size_t crc_at = bytes.size() - 8;
  if (core::load<std::uint32_t>(bytes.data() + crc_at) != core::crc32c(bytes.first(crc_at)))
    return corrupt(crc_at, "the footer's checksum does not match");

  core::ByteReader in(bytes);
  Footer footer;
  if (in.get_word<std::uint32_t>() != footer_magic) return corrupt(0, "the footer does not begin with FEND");
  const auto fields_bytes = in.get_word<std::uint32_t>();
  if (in.get_word<std::uint32_t>() != header_crc)
    return corrupt(footer_at::header_crc, "the footer of another frame");
  if (in.get_word<std::uint32_t>() != 0) return corrupt(footer_at::reserved, "a reserved number is not zero");
  footer.outer_size = in.get_word<std::uint64_t>();
  footer.digest = in.get_word<std::uint64_t>();
  const auto without_segments = footer_length_from_start(bytes, frame_offset, 0);
  if (!without_segments) return without_segments.status();
  if (*without_segments > bytes.size() || (bytes.size() - *without_segments) % index_entry_bytes != 0)
    return corrupt(footer_at::fields_bytes, "the fields of the footer have an impossible length");
  footer.segments.resize((bytes.size() - *without_segments) / index_entry_bytes);
  for (IndexEntry& segment : footer.segments) {
    segment.offset = in.get_word<std::uint64_t>();
    segment.first = in.get_word<std::uint64_t>();
  }
  const std::uint64_t fields_offset = frame_offset + in.position();
  if (const Status status = skip_fields(in.get_bytes(fields_bytes), fields_offset); !status.ok())
    return status;
  if (in.get_word<std::uint64_t>() != bytes.size())
    return corrupt(bytes.size() - 16, "the footer's length is wrong");
  in.get_word<std::uint32_t>();
  if (in.get_word<std::uint32_t>() != end_magic)
    return corrupt(bytes.size() - 4, "the footer does not end with EOLF");

  footer.element_count = footer.outer_size;
  if (header.content == Content::array) {
    if (header.rank == 0 && footer.outer_size != 1)
      return corrupt(footer_at::outer_size, "a scalar with more than one element");
    const auto elements = extent_of(header, footer).element_count();
    if (!elements || *elements > max_content_bytes / size_of(header.dtype))
      return corrupt(footer_at::outer_size, "the number of elements is impossible");
    footer.element_count = *elements;
  }
  if (const char* const detail = check_index(footer, header, frame_offset))
    return corrupt(footer_at::index, detail);
  return footer;
}

Extent extent_of(const Header& header, const Footer& footer) {
  Extent extent;
  extent.rank = header.rank;
  if (header.rank > 0) extent.size[0] = footer.outer_size;
  for (std::uint32_t d = 1; d < header.rank; ++d) extent.size[d] = header.inner_extent[d - 1];
  return extent;
}

}  // namespace floe::container
