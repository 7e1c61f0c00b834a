#include "container/header.hpp"

#include <algorithm>
#include <cassert>

#include "core/byte_io.hpp"
#include "core/crc32c.hpp"
#include "container/fields.hpp"

namespace floe::format {
namespace {

std::size_t inner_dimensions(std::uint32_t rank) { return rank == 0 ? 0 : rank - 1; }

Status corrupt(std::size_t offset, const char* detail) { return {ErrorCode::corrupt_frame, offset, detail}; }

/// For what no damage explains, as the CRC matched: a later version wrote it.
Status unsupported(std::size_t offset, const char* detail) { return {ErrorCode::unsupported_version, offset, detail}; }

/// Keeps a field of the header; false for an unknown one.
Result<bool> keep_field(Header& header, const Field& field) {
  switch (field.tag) {
    case prefix_tag:
      if (field.bytes.size() > largest_prefix_bytes) return corrupt(field.frame_offset, "the prefix is too long");
      header.prefix.assign(field.bytes.begin(), field.bytes.end());
      return true;
    case codec_parameters_tag:
      header.codec_parameters.assign(field.bytes.begin(), field.bytes.end());
      return true;
    default:
      return false;
  }
}

std::size_t length_of(const Header& header) {
  return padded(fixed_header_bytes + 8 * inner_dimensions(header.rank) + field_bytes(header.prefix) + field_bytes(header.codec_parameters) +
                4);
}

}  // namespace

std::vector<std::uint8_t> write_header(const Header& header) {
  const std::size_t length = length_of(header);
  std::vector<std::uint8_t> bytes(length);
  FieldWriter out(bytes);
  out.put(header_magic);
  out.put(version);
  out.put(static_cast<std::uint8_t>(header.dtype));
  out.put(static_cast<std::uint8_t>(header.rank));
  out.put(log2_chunk_bytes);
  out.put(header.checksums ? feature_checksums : std::uint32_t{0});
  out.put(std::uint32_t{0});  // optional features
  out.put(header.chunks_per_segment);
  out.put(static_cast<std::uint32_t>(length));
  out.put(header.codec_id);
  out.put(std::uint16_t{0});
  for (std::size_t i = 0; i < inner_dimensions(header.rank); ++i) out.put(header.inner_extent[i]);
  write_field(out, prefix_tag, header.prefix);
  write_field(out, codec_parameters_tag, header.codec_parameters);
  out.zero_until(length - 4);
  out.put(crc32c(std::span(bytes).first(length - 4)));
  return bytes;
}

Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes) {
  assert(first_bytes.size() >= smallest_header_bytes);
  FieldReader in(first_bytes);
  if (in.get<std::uint32_t>() != header_magic) return corrupt(0, "not a floe frame: it does not begin with FLOE");
  if (in.get<std::uint8_t>() != version)
    return Status{ErrorCode::unsupported_version, 4, "the frame has a format version that this program does not know"};
  in.get_bytes(15);
  const std::size_t length = in.get<std::uint32_t>();
  if (length < smallest_header_bytes || length > largest_header_bytes || length % alignment != 0)
    return corrupt(20, "the header's length is impossible");
  return length;
}

Result<Header> parse_header(std::span<const std::uint8_t> bytes) {
  const Result<std::size_t> length = header_length(bytes);
  if (!length) return length.status();
  assert(bytes.size() == *length);
  const std::size_t end = *length - 4;
  if (crc32c(bytes.first(end)) != header_crc(bytes)) return corrupt(end, "the header's checksum does not match");

  FieldReader in(bytes.first(end));
  Header header;
  in.get_bytes(5);
  header.dtype = static_cast<DType>(in.get<std::uint8_t>());
  header.rank = in.get<std::uint8_t>();
  const auto log2_chunk = in.get<std::uint8_t>();
  const auto required = in.get<std::uint32_t>();
  in.get<std::uint32_t>();  // optional features: none is known, all are ignored
  header.checksums = (required & feature_checksums) != 0;
  header.chunks_per_segment = in.get<std::uint32_t>();
  in.get<std::uint32_t>();
  header.codec_id = in.get<std::uint16_t>();
  const auto reserved = in.get<std::uint16_t>();
  if ((required & ~known_required_features) != 0) return unsupported(8, "the frame needs a feature that this version does not know");
  if (size_of(header.dtype) == 0) return unsupported(5, "the frame has an element type that this version does not know");
  if (log2_chunk != log2_chunk_bytes) return unsupported(7, "the frame has a chunk size that this version does not know");
  if (header.rank > max_rank) return corrupt(6, "more than 8 dimensions");
  if (header.chunks_per_segment == 0 || header.chunks_per_segment > largest_chunks_per_segment)
    return corrupt(16, "the segment size is impossible");
  if (reserved != 0) return corrupt(26, "a reserved number is not zero");
  for (std::size_t i = 0; i < inner_dimensions(header.rank); ++i) header.inner_extent[i] = in.get<std::uint64_t>();
  if (in.failed()) return corrupt(6, "the header is too short for its rank");
  const std::size_t fields = in.position();
  const auto used = read_fields(bytes.first(end).subspan(fields), fields, [&](const Field& field) { return keep_field(header, field); });
  if (!used) return used.status();
  if (padded(fields + *used + 4) != *length) return corrupt(20, "the header is longer than its fields");
  return header;
}

std::uint32_t header_crc(std::span<const std::uint8_t> header) noexcept {
  return core::load<std::uint32_t>(header.data() + header.size() - 4);
}

}  // namespace floe::format
