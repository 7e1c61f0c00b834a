#include "container/footer.hpp"

#include <algorithm>
#include <cassert>

#include "core/byte_io.hpp"
#include "core/crc32c.hpp"
#include "container/fields.hpp"

namespace floe::format {

std::vector<std::uint8_t> write_footer(const Footer& footer) {
  std::vector<std::uint8_t> bytes(footer_bytes(footer.segment_offsets.size()));
  FieldWriter out(bytes);
  out.put(footer_magic);
  out.put(std::uint32_t{0});
  out.put(footer.outer_size);
  out.put(footer.element_count);
  out.put(footer.digest);
  out.put(std::uint64_t{footer.segment_offsets.size()});
  for (const std::uint64_t offset : footer.segment_offsets) out.put(offset);
  out.put(std::uint64_t{bytes.size()});
  out.put(crc32c(std::span(bytes).first(bytes.size() - 8)));
  out.put(end_magic);
  return bytes;
}

Result<std::uint64_t> footer_length_from_start(std::span<const std::uint8_t> first_bytes, std::uint64_t frame_offset,
                                               std::uint64_t segment_count) {
  FieldReader in(first_bytes);
  in.get<std::uint32_t>();
  const auto fields_bytes = in.get<std::uint32_t>();
  if (fields_bytes % 8 != 0 || fields_bytes > largest_fields_bytes)
    return Status{ErrorCode::corrupt_frame, frame_offset + 4, "the fields of the footer have an impossible length"};
  return footer_bytes(segment_count, fields_bytes);
}

Result<std::uint64_t> footer_length(std::span<const std::uint8_t> last_bytes, std::uint64_t frame_bytes) {
  assert(last_bytes.size() == footer_end_bytes);
  FieldReader in(last_bytes);
  const auto length = in.get<std::uint64_t>();
  in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != end_magic)
    return Status{ErrorCode::truncated_frame, frame_bytes, "the frame does not end with its footer: it was cut short, or bytes were added"};
  if (length < fixed_footer_bytes || length % 8 != 0 || length > frame_bytes - smallest_header_bytes) {
    return Status{ErrorCode::corrupt_frame, frame_bytes - footer_end_bytes, "the footer's length is impossible"};
  }
  return length;
}

Result<Footer> parse_footer(std::span<const std::uint8_t> bytes, std::uint64_t frame_offset, const Header& header) {
  const auto corrupt = [&](std::uint64_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, frame_offset + offset, detail};
  };
  assert(bytes.size() >= fixed_footer_bytes);
  const std::size_t crc_at = bytes.size() - 8;
  if (core::load<std::uint32_t>(bytes.data() + crc_at) != crc32c(bytes.first(crc_at)))
    return corrupt(crc_at, "the footer's checksum does not match");

  FieldReader in(bytes);
  Footer footer;
  if (in.get<std::uint32_t>() != footer_magic) return corrupt(0, "the footer does not begin with FEND");
  const auto fields_bytes = in.get<std::uint32_t>();
  footer.outer_size = in.get<std::uint64_t>();
  footer.element_count = in.get<std::uint64_t>();
  footer.digest = in.get<std::uint64_t>();
  const auto segment_count = in.get<std::uint64_t>();
  if (segment_count > bytes.size() / 8) return corrupt(32, "the number of segments does not fit the footer");
  const auto length = footer_length_from_start(bytes, frame_offset, segment_count);
  if (!length) return length.status();
  if (*length != bytes.size()) return corrupt(32, "the number of segments does not fit the footer");
  footer.segment_offsets.resize(segment_count);
  for (std::uint64_t& offset : footer.segment_offsets) offset = in.get<std::uint64_t>();
  const std::uint64_t fields_offset = frame_offset + in.position();
  if (const Status status = skip_fields(in.get_bytes(fields_bytes), fields_offset); !status.ok()) return status;
  if (in.get<std::uint64_t>() != bytes.size()) return corrupt(bytes.size() - 16, "the footer's length is wrong");
  in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != end_magic) return corrupt(bytes.size() - 4, "the footer does not end with EOLF");

  if (header.rank == 0 && footer.outer_size != 1) return corrupt(8, "a scalar with more than one element");
  const auto elements = extent_of(header, footer).element_count();
  if (!elements || *elements != footer.element_count) return corrupt(16, "the number of elements does not match the shape");
  const std::size_t word_bytes = size_of(header.dtype);
  if (footer.element_count > largest_content_bytes / word_bytes) return corrupt(16, "the number of elements is impossible");
  if (segment_count != core::divide_up(footer.element_count * word_bytes, header.segment_bytes()))
    return corrupt(32, "the number of segments does not match the content");
  return footer;
}

Extent extent_of(const Header& header, const Footer& footer) {
  Extent extent;
  extent.rank = header.rank;
  if (header.rank > 0) extent.size[0] = footer.outer_size;
  for (std::uint32_t d = 1; d < header.rank; ++d) extent.size[d] = header.inner_extent[d - 1];
  return extent;
}

}  // namespace floe::format
