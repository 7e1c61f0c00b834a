// TableDecompressor: how a table that arrives in pieces becomes text or records again.
#include <algorithm>

#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "pipeline/tables/batch_decoder.hpp"
#include "pipeline/tables/segment_decoder.hpp"

namespace floe::tables {
namespace {

constexpr Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

}  // namespace

/// The parts of a table follow each other. Of each the length is known first, from its first bytes; then it is collected and read.
struct TableDecompressor::State {
  State(Sink to, const DecodeOptions& from, StreamDecoder* beside) : sink(std::move(to)), options(from), streams(beside) {}

  enum class Part { header_begin, header, part_begin, segment_head, payload, footer_begin, footer, end };

  Sink sink;
  DecodeOptions options;
  StreamDecoder* streams;  ///< Null if the CPU decodes alone.
  Part part = Part::header_begin;
  std::vector<std::uint8_t> collected;
  std::uint64_t wanted_bytes = fixed_header_bytes;
  std::uint64_t part_offset = 0;
  TableHeader header;
  std::uint32_t header_checksum = 0;
  SegmentHead head;
  TableFooter expected;  ///< What the footer must say.
  std::optional<TableInfo> info;
  std::optional<SegmentDecoder> decoder;
  std::optional<BatchDecoder> batches;  ///< With `streams`.
  Status failure;

  Status write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty() || collected.size() == wanted_bytes) {
      if (part == Part::end) return {ErrorCode::corrupt_frame, part_offset, "bytes follow the end of the table"};
      const std::size_t count = std::min<std::uint64_t>(bytes.size(), wanted_bytes - collected.size());
      collected.insert(collected.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
      if (collected.size() < wanted_bytes) break;
      Status status = part == Part::payload && batches ? use_payload_later() : use_part();
      if (!status.ok()) {
        if (status.code == ErrorCode::corrupt_frame) status.byte_offset += part_offset;
        const Status before = drain();
        return before.ok() ? status : before;
      }
    }
    return {};
  }

  void want(Part next, std::uint64_t bytes) {
    part = next;
    wanted_bytes = bytes;
  }
  /// What was collected is used up.
  void begin(Part next, std::uint64_t bytes) {
    part_offset += collected.size();
    collected.clear();
    want(next, bytes);
  }

  Status use_part() {
    switch (part) {
      case Part::header_begin: {
        const Result<std::uint32_t> length = header_length(collected);
        if (length) want(Part::header, *length);
        return length.status();
      }
      case Part::header:
        return use_header();
      case Part::part_begin:
        return use_part_begin();
      case Part::segment_head:
        return use_segment_head();
      case Part::payload:
        return use_payload();
      case Part::footer_begin:
        return use_footer_begin();
      case Part::footer:
        return use_footer();
      case Part::end:
        break;
    }
    return {};
  }

  Status use_header() {
    Result<TableHeader> read = read_header(collected);
    if (!read) return read.status();
    header = std::move(*read);
    header_checksum = checksum_of(collected);
    info = TableInfo{header.source, header.schema, 0, 0, 0, header.padding_bytes};
    decoder.emplace(header, options);
    if (streams != nullptr) batches.emplace(*decoder, options, *streams);
    begin(Part::part_begin, 8);
    return header.preamble.empty() ? Status{} : sink(std::as_bytes(std::span(header.preamble)));
  }

  Status use_part_begin() {
    if (core::load<std::uint32_t>(collected.data()) == footer_magic) {
      want(Part::footer_begin, 32);
      return {};
    }
    const Result<std::uint32_t> length = segment_head_length(collected);
    if (length) want(Part::segment_head, *length);
    return length.status();
  }

  Status use_segment_head() {
    Result<SegmentHead> read = read_segment_head(collected, header, header_checksum);
    if (!read) return read.status();
    head = std::move(*read);
    if (head.index != info->segment_count || head.first_row != info->row_count) return corrupt("a segment that is not the next one");
    const std::uint64_t payload_bytes = head.payload_bytes();
    if (payload_bytes > options.memory_limit_bytes) return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
    expected.segments.push_back({part_offset, head.first_row});
    begin(Part::payload, payload_bytes);
    return {};
  }

  Status use_payload() {
    if (const Status status = decoder->decode(head, collected, sink); !status.ok()) return status;
    info->row_count += head.row_count;
    ++info->segment_count;
    begin(Part::part_begin, 8);
    return {};
  }

  /// Errors of segments before come with their own place.
  Status use_payload_later() {
    Status status = batches->add(head, std::move(collected), part_offset, sink);
    if (!status.ok()) {
      if (status.code == ErrorCode::corrupt_frame) status.byte_offset -= part_offset;
      return status;
    }
    info->row_count += head.row_count;
    ++info->segment_count;
    collected.clear();
    part_offset += wanted_bytes;
    want(Part::part_begin, 8);
    return {};
  }
  /// Delivers the segments that are being decoded.
  Status drain() { return batches ? batches->finish(sink) : Status{}; }

  Status use_footer_begin() {
    const std::uint64_t count = core::load<std::uint64_t>(collected.data() + 16);
    if (count != info->segment_count) return corrupt("the footer counts other segments");
    want(Part::footer, fixed_footer_bytes + 16 * count);
    return {};
  }

  Status use_footer() {
    const Result<TableFooter> footer = read_footer(collected, header_checksum);
    if (!footer) return footer.status();
    if (const Status status = drain(); !status.ok()) return status;
    const auto same_place = [](const SegmentPlace& a, const SegmentPlace& b) { return a.offset == b.offset && a.first_row == b.first_row; };
    if (footer->row_count != info->row_count ||
        !std::equal(footer->segments.begin(), footer->segments.end(), expected.segments.begin(), expected.segments.end(), same_place)) {
      return corrupt("the footer contradicts the segments");
    }
    begin(Part::end, 1);
    info->table_bytes = part_offset;
    return {};
  }
};

TableDecompressor::TableDecompressor(Sink sink, const DecodeOptions& options, StreamDecoder* streams)
    : state_(std::make_unique<State>(std::move(sink), options, streams)) {}
TableDecompressor::TableDecompressor(TableDecompressor&&) noexcept = default;
TableDecompressor& TableDecompressor::operator=(TableDecompressor&&) noexcept = default;
TableDecompressor::~TableDecompressor() = default;

Status TableDecompressor::write(std::span<const std::byte> bytes) {
  return api::run_until_failure(state_->failure, [&] { return state_->write(api::as_u8(bytes)); });
}

Status TableDecompressor::finish() {
  return api::run_until_failure(state_->failure, [&]() -> Status {
    if (state_->part == State::Part::end) return {};
    if (const Status status = state_->drain(); !status.ok()) return status;
    return {ErrorCode::truncated_frame, state_->part_offset + state_->collected.size(), "the table ends too early"};
  });
}

const TableInfo* TableDecompressor::info() const noexcept { return state_->info ? &*state_->info : nullptr; }

}  // namespace floe::tables
