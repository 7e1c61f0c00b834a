#include "format/header.hpp"

#include <algorithm>
#include <cassert>

#include "format/byte_io.hpp"
#include "format/crc32c.hpp"

namespace floe::format {
namespace {

constexpr std::size_t field_head_bytes = 8;

std::size_t field_bytes(const std::vector<std::uint8_t>& field) {
  return field.empty() ? 0 : field_head_bytes + core::align_up(field.size(), 8);
}

std::size_t inner_dimensions(std::uint32_t rank) { return rank == 0 ? 0 : rank - 1; }

void put_field(FieldWriter& out, std::uint16_t tag, const std::vector<std::uint8_t>& field) {
  if (field.empty()) return;
  const std::size_t end = out.position() + field_bytes(field);
  out.put(tag);
  out.put(std::uint16_t{0});
  out.put(static_cast<std::uint32_t>(field.size()));
  out.put_bytes(field);
  out.zero_until(end);
}

Status corrupt(std::size_t offset, const char* detail) { return {ErrorCode::corrupt_frame, offset, detail}; }

/// The header's padding, which begins at `start`: zeros, and no more of them than its length needs.
Status parse_padding(FieldReader& in, std::size_t start, std::size_t end) {
  if (padded(start + 4) != end + 4) return corrupt(20, "the header is longer than its fields");
  return in.zeros_until(end) ? Status{} : corrupt(start, "the header's padding is not zero");
}

/// Reads the fields and the padding. `in` stands at the first field and covers the header without its CRC, which begins at `end`.
Status parse_fields(FieldReader& in, std::size_t end, Header& header) {
  std::uint16_t last_tag = 0;
  while (in.remaining() >= field_head_bytes) {
    const std::size_t start = in.position();
    const auto tag = in.get<std::uint16_t>();
    const auto reserved = in.get<std::uint16_t>();
    const auto length = in.get<std::uint32_t>();
    if (tag == 0) return reserved == 0 && length == 0 ? parse_padding(in, start, end) : corrupt(start, "the header's padding is not zero");
    if (reserved != 0) return corrupt(start + 2, "a reserved number is not zero");
    if (tag <= last_tag) return corrupt(start, "header fields are not in ascending order");
    last_tag = tag;
    if (length == 0) return corrupt(start + 4, "a header field is empty");
    const auto bytes = in.get_bytes(length);
    const std::size_t padding = core::align_up(length, 8) - length;
    if (in.failed() || in.remaining() < padding) return corrupt(start + 4, "a header field is longer than the header");
    if (!in.zeros_until(in.position() + padding)) return corrupt(in.position(), "the padding of a header field is not zero");
    if (tag == prefix_tag) {
      if (length > largest_prefix_bytes) return corrupt(start + 4, "the prefix is too long");
      header.prefix.assign(bytes.begin(), bytes.end());
    } else if (tag == codec_parameters_tag) {
      header.codec_parameters.assign(bytes.begin(), bytes.end());
    } else if (tag >= first_required_tag) {
      return {ErrorCode::unsupported_version, start, "the frame needs a header field that this version does not know"};
    }
  }
  return parse_padding(in, in.position(), end);
}

std::size_t length_of(const Header& header) {
  return padded(fixed_header_bytes + 8 * inner_dimensions(header.rank) + field_bytes(header.prefix) + field_bytes(header.codec_parameters) + 4);
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
  put_field(out, prefix_tag, header.prefix);
  put_field(out, codec_parameters_tag, header.codec_parameters);
  out.zero_until(length - 4);
  out.put(crc32c(std::span(bytes).first(length - 4)));
  return bytes;
}

Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes) {
  assert(first_bytes.size() >= smallest_header_bytes);
  FieldReader in(first_bytes);
  if (in.get<std::uint32_t>() != header_magic) return corrupt(0, "not a floe frame: it does not begin with FLOE");
  if (in.get<std::uint8_t>() != version) return Status{ErrorCode::unsupported_version, 4, "the frame has a format version that this program does not know"};
  in.get_bytes(15);
  const std::size_t length = in.get<std::uint32_t>();
  if (length < smallest_header_bytes || length > largest_header_bytes || length % alignment != 0) return corrupt(20, "the header's length is impossible");
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
  if ((required & ~known_required_features) != 0) return Status{ErrorCode::unsupported_version, 8, "the frame needs a feature that this version does not know"};
  if (size_of(header.dtype) == 0) return corrupt(5, "unknown element type");
  if (header.rank > max_rank) return corrupt(6, "more than 8 dimensions");
  if (log2_chunk != log2_chunk_bytes) return corrupt(7, "the chunk size is not 16384");
  if (header.chunks_per_segment == 0 || header.chunks_per_segment > largest_chunks_per_segment) return corrupt(16, "the segment size is impossible");
  if (reserved != 0) return corrupt(26, "a reserved number is not zero");
  for (std::size_t i = 0; i < inner_dimensions(header.rank); ++i) header.inner_extent[i] = in.get<std::uint64_t>();
  if (in.failed()) return corrupt(6, "the header is too short for its rank");
  if (const Status status = parse_fields(in, end, header); !status.ok()) return status;
  return header;
}

std::uint32_t header_crc(std::span<const std::uint8_t> header) noexcept { return core::load<std::uint32_t>(header.data() + header.size() - 4); }

}  // namespace floe::format
