// Are any bytes safe to take for a header, a segment header or a footer, and is what was read also what is
// written? The CRC is made right first: it would stop all but one of 2^32 inputs.
#include "container/parts.hpp"
#include "core/crc32c.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

using namespace container;

constexpr std::uint32_t header_crc = 0x12345678;

void make_crc_right(Bytes& bytes, std::size_t from_end) {
  const std::size_t at = bytes.size() - from_end;
  core::store(bytes.data() + at, core::crc32c(std::span(bytes).first(at)));
}

void run_header(Bytes bytes) {
  if (bytes.size() < min_header_bytes) return;
  static_cast<void>(header_length(bytes));
  bytes.resize(padded(bytes.size()));
  core::store(bytes.data(), header_magic);
  bytes[header_at::version] = container::version;
  core::store(bytes.data() + header_at::header_bytes, static_cast<std::uint32_t>(bytes.size()));
  make_crc_right(bytes, 4);
  const auto header = parse_header(bytes);
  if (!header) return;
  // Optional features and unknown fields are skipped, so the header is written shorter, but reads the same.
  const Bytes written = write_header(*header);
  require(written.size() <= bytes.size());
  const auto again = parse_header(written);
  require(again && write_header(*again) == written);
  require(again->prefix == header->prefix && again->table.schema == header->table.schema);
  require(again->inner_extent == header->inner_extent &&
          again->max_segment_length == header->max_segment_length);
}

Header any_header(Input& input) {
  Header header;
  const auto content = input.take<std::uint8_t>();
  header.dtype = static_cast<DType>(1 + input.take<std::uint8_t>() % 13);
  header.checksums = (content & 2) == 0;
  header.max_segment_length = 1 + input.take<std::uint16_t>();
  header.rank = input.take<std::uint8_t>() % (max_rank + 1);
  for (std::uint32_t d = 1; d < header.rank; ++d) header.inner_extent[d - 1] = input.take<std::uint8_t>();
  if ((content & 1) == 0) return header;
  header.content = Content::table;
  header.rank = 1;
  header.table.source = static_cast<TableSource>((content >> 2) % 3);
  if (header.table.source == TableSource::records) header.table.padding_bytes = content >> 5;
  for (unsigned i = 0; i <= (content >> 4) % 4; ++i)
    header.table.schema.push_back({"", static_cast<DType>(1 + (content + i) % 14), 0});
  return header;
}

void run_footer(Input input) {
  const Header header = any_header(input);
  Bytes bytes = input.rest();
  if (bytes.size() < footer_end_bytes) return;
  static_cast<void>(footer_length(std::span(bytes).last(footer_end_bytes), bytes.size() + min_header_bytes));
  if (bytes.size() < fixed_footer_bytes) return;
  core::store(bytes.data(), footer_magic);
  core::store(bytes.data() + footer_at::header_crc, header_crc);
  core::store(bytes.data() + bytes.size() - footer_end_bytes, std::uint64_t{bytes.size()});
  core::store(bytes.data() + bytes.size() - 4, end_magic);
  make_crc_right(bytes, 8);
  const auto footer = parse_footer(bytes, 1 << 20, header, header_crc);
  if (!footer) return;
  if (header.content == Content::array)
    require(extent_of(header, *footer).element_count() == footer->element_count);
  require(footer->segments.size() <= bytes.size() / index_entry_bytes);
  const Bytes written = write_footer(*footer, header_crc);
  require(written.size() <= bytes.size() && parse_footer(written, 1 << 20, header, header_crc));
}

void run_segment(Input input) {
  const Header header = any_header(input);
  Bytes bytes = input.rest();
  if (bytes.size() < fixed_segment_bytes) return;
  bytes.resize(padded(bytes.size() + 4));
  core::store(bytes.data(), segment_magic);
  core::store(bytes.data() + segment_at::header_bytes, static_cast<std::uint32_t>(bytes.size()));
  core::store(bytes.data() + segment_at::header_crc, header_crc);
  make_crc_right(bytes, 4);
  const auto segment = parse_segment_header(bytes, header, header_crc, 0);
  if (!segment) return;
  std::uint64_t payload_bytes = 0;
  segment->for_each_stream([&](const StreamEntry& stream) { payload_bytes += padded(stream.stored_bytes); });
  require(segment->payload_bytes() == payload_bytes);
  require(segment->count <= header.max_segment_length && segment->columns.size() == header.column_count());
  const Bytes written = write_segment_header(*segment, header_crc);
  require(written.size() <= bytes.size());
  const auto again = parse_segment_header(written, header, header_crc, 0);
  require(again && write_segment_header(*again, header_crc) == written);
}

void run_parts(Input input) {
  count_decoded();
  switch (input.take<std::uint8_t>() % 3) {
    case 0:
      return run_header(input.rest());
    case 1:
      return run_footer(input);
    default:
      return run_segment(input);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_parts({data, size});
  return 0;
}
