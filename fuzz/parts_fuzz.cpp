// Are any bytes safe to take for a header, a segment head or a footer, and is what was read also what is
// written? The CRC is made right first: it would stop all but one of 2^32 inputs.
#include "container/footer.hpp"
#include "container/header.hpp"
#include "container/segment_head.hpp"
#include "core/crc32c.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

using namespace format;

void make_crc_right(Bytes& bytes, std::size_t from_end) {
  const std::size_t at = bytes.size() - from_end;
  core::store(bytes.data() + at, crc32c(std::span(bytes).first(at)));
}

void run_header(Bytes bytes) {
  if (bytes.size() < smallest_header_bytes) return;
  static_cast<void>(header_length(bytes));
  bytes.resize(padded(bytes.size()));
  core::store(bytes.data(), header_magic);
  core::store(bytes.data() + 4, version);
  core::store(bytes.data() + 20, static_cast<std::uint32_t>(bytes.size()));
  make_crc_right(bytes, 4);
  const auto header = parse_header(bytes);
  if (!header) return;
  // Optional features and unknown fields are skipped, so the header is written shorter, but reads the same.
  const Bytes written = write_header(*header);
  require(written.size() <= bytes.size());
  const auto again = parse_header(written);
  require(again && write_header(*again) == written);
  require(again->prefix == header->prefix && again->codec_parameters == header->codec_parameters);
  require(again->inner_extent == header->inner_extent &&
          again->chunks_per_segment == header->chunks_per_segment);
}

Header any_header(Input& input) {
  Header header;
  header.dtype = static_cast<DType>(1 + input.take<std::uint8_t>() % 12);
  header.rank = input.take<std::uint8_t>() % (max_rank + 1);
  for (std::uint32_t d = 1; d < header.rank; ++d) header.inner_extent[d - 1] = input.take<std::uint8_t>();
  header.checksums = input.take<std::uint8_t>() % 2 == 0;
  header.chunks_per_segment = 1 + input.take<std::uint16_t>();
  return header;
}

void run_footer(Input input) {
  const Header header = any_header(input);
  Bytes bytes = input.rest();
  if (bytes.size() < footer_end_bytes) return;
  static_cast<void>(
      footer_length(std::span(bytes).last(footer_end_bytes), bytes.size() + smallest_header_bytes));
  if (bytes.size() < fixed_footer_bytes) return;
  core::store(bytes.data(), footer_magic);
  core::store(bytes.data() + bytes.size() - footer_end_bytes, std::uint64_t{bytes.size()});
  core::store(bytes.data() + bytes.size() - 4, end_magic);
  make_crc_right(bytes, 8);
  const auto footer = parse_footer(bytes, 0, header);
  if (!footer) return;
  require(extent_of(header, *footer).element_count() == footer->element_count);
  require(footer->segment_offsets.size() <= bytes.size() / 8);
  const Bytes written = write_footer(*footer);
  require(written.size() <= bytes.size() && parse_footer(written, 0, header));
}

void run_segment_head(Input input) {
  const Header header = any_header(input);
  const bool history = input.take<std::uint8_t>() % 2 == 0;
  Bytes bytes = input.rest();
  if (bytes.size() < fixed_segment_head_bytes) return;
  core::store(bytes.data(), segment_magic);
  const std::uint64_t chunks = core::load<std::uint16_t>(bytes.data() + 32),
                      fields_bytes = core::load<std::uint16_t>(bytes.data() + 44);
  if (chunks > 0)
    core::store(bytes.data() + 4,
                static_cast<std::uint32_t>(segment_head_bytes(chunks, header.checksums, fields_bytes)));
  const ExpectedSegment expected{header, core::load<std::uint32_t>(bytes.data() + 40),
                                 core::load<std::uint64_t>(bytes.data() + 8), 0, history};
  const auto head = parse_fixed_segment_head(bytes, expected);
  if (!head || head->head_bytes > bytes.size()) return;
  bytes.resize(head->head_bytes);
  make_crc_right(bytes, 4);
  if (!check_segment_head(bytes, *head, expected).ok()) return;
  const auto table = table_of(std::span<const std::uint8_t>(bytes), *head, header.checksums);
  std::uint64_t offset = 0, content = 0;
  for (std::uint64_t chunk = 0; chunk < head->chunk_count; ++chunk) {
    require(table.payload_offset(chunk) == offset);
    offset += padded(table.entry(chunk).stored_bytes);
    content += head->chunk_bytes(chunk);
  }
  require(offset == head->payload_bytes && content == head->coded_bytes());
}

void run(Input input) {
  switch (input.take<std::uint8_t>() % 3) {
    case 0:
      return run_header(input.rest());
    case 1:
      return run_footer(input);
    default:
      return run_segment_head(input);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run({data, size});
  return 0;
}
