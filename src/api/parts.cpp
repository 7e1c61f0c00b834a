// Arrays whose parts are compressed apart.
#include "floe/floe.hpp"

#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "pipeline/array_writer.hpp"

namespace floe {
namespace {

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// Keeps what follows a frame's header.
class SegmentSink final : public container::FrameSink {
 public:
  Status put(std::span<const std::uint8_t> part) override {
    const auto put = std::as_bytes(part);
    if (has_header_) bytes.insert(bytes.end(), put.begin(), put.end());
    has_header_ = true;
    return {};
  }
  std::vector<std::byte> bytes;

 private:
  bool has_header_ = false;
};

}  // namespace

struct PartedArray::State {
  pipeline::ArrayPlan plan;
  Options options;
  std::uint64_t element_count = 0, outer_size = 0;
  std::vector<std::uint8_t> header;
  std::uint32_t header_crc = 0;

  /// The segment at the front of a part's bytes, and all its bytes.
  struct Front {
    container::SegmentHeader segment;
    std::span<std::uint8_t> bytes;
    std::size_t header_bytes = 0;
  };
  Result<Front> front_of(std::span<std::uint8_t> bytes) const {
    if (bytes.size() < container::min_segment_header_bytes) return invalid("this is no part of an array");
    const auto length = container::segment_header_length(bytes.first(8), 0);
    if (!length || *length > bytes.size()) return invalid("this is no part of an array");
    const auto segment_header = bytes.first(*length);
    auto segment = container::parse_segment_header(segment_header, plan.header, header_crc, 0);
    if (!segment) return invalid("this is no part of this array");
    const std::uint64_t payload = segment->payload_bytes();
    if (payload > bytes.size() - *length) return invalid("this part is cut short");
    return Front{std::move(*segment), bytes.first(*length + payload), *length};
  }
};

PartedArray::PartedArray(std::unique_ptr<State> state) : state_(std::move(state)) {}
PartedArray::PartedArray(PartedArray&&) noexcept = default;
PartedArray& PartedArray::operator=(PartedArray&&) noexcept = default;
PartedArray::~PartedArray() = default;

Result<PartedArray> PartedArray::create(DType dtype, const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<PartedArray> {
    auto plan = pipeline::plan_array(dtype, extent, options);
    if (!plan) return plan.status();
    auto state = std::make_unique<State>();
    state->plan = std::move(*plan);
    state->options = options;
    state->options.on_segment = {};
    state->options.accelerator = nullptr;
    state->options.accelerator_share = nullptr;
    state->element_count = *extent.element_count();
    state->outer_size = extent.rank == 0 ? 1 : extent.size[0];
    state->header = container::write_header(state->plan.header);
    state->header_crc = container::crc_of_part(state->header);
    return PartedArray(std::move(state));
  });
}

std::span<const std::byte> PartedArray::header() const noexcept {
  return std::as_bytes(std::span(state_->header));
}

std::uint64_t PartedArray::unit() const noexcept { return state_->plan.header.max_segment_length; }

Result<CompressedPart> PartedArray::compress(std::span<const std::byte> elements) const {
  if (elements.size() % state_->plan.word_bytes() != 0) return invalid("a part has no whole elements");
  return core::guarded([&]() -> Result<CompressedPart> {
    SegmentSink sink;
    pipeline::ArrayWriter writer(pipeline::ArrayPlan(state_->plan), state_->options, sink);
    if (const Status status = writer.write_whole(core::as_u8(elements)); !status.ok()) return status;
    CompressedPart part;
    if (elements.empty()) return part;
    part.bytes = std::move(sink.bytes);
    part.element_count = elements.size() / state_->plan.word_bytes();
    part.segment_count = writer.frame().segment_count();
    return part;
  });
}

Result<std::vector<PlacedSegment>> PartedArray::place(CompressedPart& part, const PartPosition& where) const {
  return core::guarded([&]() -> Result<std::vector<PlacedSegment>> {
    std::vector<PlacedSegment> placed;
    std::uint64_t element = where.first_element;
    for (auto rest = core::as_u8(std::span(part.bytes)); !rest.empty();) {
      const auto front = state_->front_of(rest);
      if (!front) return front.status();
      container::SegmentHeader segment = front->segment;
      segment.index = where.first_segment + placed.size();
      segment.first = element;
      const auto segment_header = container::write_segment_header(segment, state_->header_crc);
      if (segment_header.size() != front->header_bytes) return invalid("this is no part of this array");
      std::copy(segment_header.begin(), segment_header.end(), rest.begin());
      const std::uint64_t offset = where.offset + (part.bytes.size() - rest.size());
      placed.push_back({offset, element, segment.columns[0].streams[0].digest});
      element += segment.count;
      rest = rest.subspan(front->bytes.size());
    }
    if (placed.size() != part.segment_count || element - where.first_element != part.element_count)
      return invalid("this is no part of this array");
    return placed;
  });
}

Result<std::vector<std::byte>> PartedArray::footer(std::span<const PlacedSegment> segments) const {
  return core::guarded([&]() -> Result<std::vector<std::byte>> {
    if (segments.empty() != (state_->element_count == 0)) return invalid("segments are missing");
    container::Footer footer;
    footer.outer_size = state_->outer_size;
    footer.element_count = state_->element_count;
    core::Digest digest;
    footer.segments.reserve(segments.size());
    PlacedSegment next{state_->header.size(), 0, 0};  // what it must begin with, or behind
    for (const PlacedSegment& segment : segments) {
      const bool is_next = footer.segments.empty()
                               ? segment.offset == next.offset && segment.first_element == 0
                               : segment.offset > next.offset && segment.first_element > next.first_element;
      if (!is_next || segment.first_element >= state_->element_count)
        return invalid("segments do not follow each other");
      next = segment;
      footer.segments.push_back({segment.offset, segment.first_element});
      digest.add(segment.digest);
    }
    footer.digest = digest.value();
    const auto written = container::write_footer(footer, state_->header_crc);
    const auto bytes = std::as_bytes(std::span(written));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

}  // namespace floe
