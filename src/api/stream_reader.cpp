// A frame that arrives in pieces. Its parts follow each other; of each the length is known first, from its
// first bytes, then it is collected and read.
#include <algorithm>
#include <optional>

#include "container/compact_frame.hpp"
#include "container/frame_index.hpp"
#include "core/digest.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/restorer.hpp"

namespace floe {

struct StreamReader::State {
  State(Sink to, const DecodeOptions& from) : sink(std::move(to)), options(from) {}

  enum class Part {
    frame_begin,
    compact,
    header_begin,
    header,
    part_begin,
    segment_header,
    payload,
    footer,
    end
  };

  Sink sink;
  DecodeOptions options;
  bool with_prefix = false;
  Part part = Part::frame_begin;
  std::vector<std::uint8_t> collected;
  std::uint64_t wanted_bytes = container::compact_begin_bytes;
  std::uint64_t part_offset = 0;
  container::Header header;
  std::uint32_t header_crc = 0;
  container::SegmentHeader segment;
  container::Footer expected;  ///< What the footer must say.
  core::Digest digest;
  std::optional<FrameInfo> info;
  std::optional<pipeline::Restorer> restorer;
  Status failure;

  [[nodiscard]] Status corrupt(std::uint64_t offset, const char* detail) const {
    return {ErrorCode::corrupt_frame, part_offset + offset, detail};
  }

  Status write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty() || collected.size() == wanted_bytes) {
      if (part == Part::end) return corrupt(0, "bytes follow the end of the frame");
      const std::size_t count = std::min<std::uint64_t>(bytes.size(), wanted_bytes - collected.size());
      collected.insert(collected.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
      if (collected.size() < wanted_bytes) break;
      if (const Status status = use_part(); !status.ok()) {
        const Status before = drain();  // what came before is delivered
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
    part_offset += wanted_bytes;
    collected.clear();
    want(next, bytes);
  }
  Status drain() { return restorer ? restorer->finish() : Status{}; }

  Status use_part() {
    switch (part) {
      case Part::frame_begin: {
        if (!container::is_compact(collected)) {
          want(Part::header_begin, container::fixed_header_bytes);
          return {};
        }
        const auto length = container::compact_frame_length(collected);
        if (length) want(Part::compact, *length);
        return length.status();
      }
      case Part::header_begin: {
        const auto length = container::header_length(collected);
        if (length) want(Part::header, *length);
        return length.status();
      }
      case Part::compact:
        return use_compact();
      case Part::header:
        return use_header();
      case Part::part_begin:
        return use_part_begin();
      case Part::segment_header:
        return use_segment_header();
      case Part::payload:
        return use_payload();
      case Part::footer:
        return use_footer();
      case Part::end:
        break;
    }
    return {};
  }

  /// The same table as an ordinary frame takes its place.
  Status use_compact() {
    const auto expanded = pipeline::expand_compact(collected, options.memory_limit_bytes);
    if (!expanded) return expanded.status();
    const std::uint64_t frame_bytes = collected.size();
    collected.clear();
    want(Part::header_begin, container::fixed_header_bytes);
    if (const Status status = write(expanded->frame); !status.ok()) return status;
    part_offset = frame_bytes;
    container::note_compact(*info, frame_bytes);
    return {};
  }

  Status use_header() {
    auto parsed = container::parse_header(collected);
    if (!parsed) return parsed.status();
    header = std::move(*parsed);
    header_crc = container::crc_of_part(collected);
    info = container::make_info(header, {}, 0);
    restorer.emplace(header, options, sink);
    begin(Part::part_begin, container::fixed_segment_bytes);
    const bool is_wanted = with_prefix || header.content == Content::table;
    return header.prefix.empty() || !is_wanted ? Status{} : sink(std::as_bytes(std::span(header.prefix)));
  }

  /// Both kinds of parts are at least as long as the fixed bytes of a segment's header.
  static_assert(container::fixed_footer_bytes >= container::fixed_segment_bytes);
  Status use_part_begin() {
    if (core::load<std::uint32_t>(collected.data()) == container::footer_magic) {
      const auto length =
          container::footer_length_from_start(collected, part_offset, expected.segments.size());
      if (length) want(Part::footer, *length);
      return length.status();
    }
    const auto length = container::segment_header_length(collected, part_offset);
    if (length) want(Part::segment_header, *length);
    return length.status();
  }

  Status use_segment_header() {
    auto parsed = container::parse_segment_header(collected, header, header_crc, part_offset);
    if (!parsed) return parsed.status();
    segment = std::move(*parsed);
    if (segment.index != expected.segments.size() || segment.first != expected.element_count)
      return corrupt(container::segment_at::index, "a segment that is not the next one");
    const std::uint64_t payload_bytes = segment.payload_bytes();
    if (payload_bytes > options.memory_limit_bytes)
      return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
    expected.segments.push_back({part_offset, segment.first});
    expected.element_count += segment.count;
    segment.for_each_stream([this](const container::StreamEntry& stream) { digest.add(stream.digest); });
    begin(Part::payload, payload_bytes);
    if (collected.capacity() < payload_bytes) collected = restorer->take_payload_memory();
    return {};
  }

  Status use_payload() {
    const std::uint64_t offset = part_offset;
    std::vector<std::uint8_t> payload;
    payload.swap(collected);
    begin(Part::part_begin, container::fixed_segment_bytes);
    return restorer->add(std::move(segment), std::move(payload), offset);
  }

  Status use_footer() {
    const auto footer = container::parse_footer(collected, part_offset, header, header_crc);
    if (!footer) return footer.status();
    if (const Status status = drain(); !status.ok()) return status;
    if (footer->element_count != expected.element_count)
      return corrupt(container::footer_at::outer_size, "the number of elements does not match the segments");
    if (footer->segments != expected.segments)
      return corrupt(container::footer_at::index, "the footer's index is wrong");
    if (footer->digest != digest.value())
      return corrupt(container::footer_at::digest, "the frame's digest does not match its streams");
    begin(Part::end, 1);
    info = container::make_info(header, *footer, part_offset);
    return {};
  }
};

StreamReader::StreamReader(Sink sink, const DecodeOptions& options)
    : state_(std::make_unique<State>(std::move(sink), options)) {}
StreamReader::StreamReader(StreamReader&&) noexcept = default;
StreamReader& StreamReader::operator=(StreamReader&&) noexcept = default;
StreamReader::~StreamReader() = default;

Status StreamReader::write(std::span<const std::byte> bytes) {
  return core::run_until_failure(state_->failure, [&]() -> Status {
    if (!state_->sink) return {ErrorCode::invalid_argument, 0, "there is no sink"};
    return state_->write(core::as_u8(bytes));
  });
}

Status StreamReader::finish() {
  return core::run_until_failure(state_->failure, [&]() -> Status {
    if (state_->part == State::Part::end) return {};
    if (const Status status = state_->drain(); !status.ok()) return status;
    const std::uint64_t offset = state_->part_offset + state_->collected.size();
    const bool has_no_header =
        state_->part == State::Part::frame_begin || state_->part == State::Part::header_begin;
    const bool is_foreign = has_no_header && state_->collected.size() >= 4 &&
                            core::load<std::uint32_t>(state_->collected.data()) != container::header_magic;
    if (is_foreign)
      return {ErrorCode::corrupt_frame, 0, "this is no floe frame: it does not begin with FLOE"};
    return {ErrorCode::truncated_frame, offset, "the frame ends before its footer"};
  });
}

void StreamReader::with_prefix(bool yes) noexcept { state_->with_prefix = yes; }
const FrameInfo* StreamReader::info() const noexcept { return state_->info ? &*state_->info : nullptr; }

}  // namespace floe
