#include "recovery/damaged_frame.hpp"

#include <algorithm>

#include "core/buffer.hpp"
#include "core/crc32c.hpp"

namespace floe::recovery {
namespace {

using namespace container;

constexpr std::size_t max_mended_bytes = 4096;

/// What a footer says, without the header that says what it means.
struct FooterNumbers {
  std::uint64_t outer_size = 0, digest = 0;
  std::vector<IndexEntry> segments;
};

/// Nothing where it is no longer what was found: files may change while they are read.
std::optional<FooterNumbers> read_footer(DamagedBytes& bytes, const FoundFooter& found) {
  std::vector<std::uint8_t> part(static_cast<std::size_t>(found.bytes));
  bytes.read(found.offset, part);
  if (!is_intact_footer(part)) return std::nullopt;
  core::ByteReader in(part);
  in.get_bytes(footer_at::fields_bytes);
  const auto fields_bytes = in.get_word<std::uint32_t>();
  in.get_bytes(footer_at::outer_size - footer_at::header_crc);
  FooterNumbers footer;
  footer.outer_size = in.get_word<std::uint64_t>();
  footer.digest = in.get_word<std::uint64_t>();
  footer.segments.resize((part.size() - fixed_footer_bytes - fields_bytes) / index_entry_bytes);
  for (IndexEntry& segment : footer.segments) {
    segment.offset = in.get_word<std::uint64_t>();
    segment.first = in.get_word<std::uint64_t>();
  }
  return footer;
}

/// The CRC of the header of the frame that most of the bytes belong to; none if there is no segment.
std::optional<std::uint32_t> crc_of_most(const std::vector<FoundSegment>& segments) {
  std::map<std::uint32_t, std::uint64_t> bytes_of;
  for (const FoundSegment& segment : segments) {
    std::uint64_t& bytes = bytes_of[segment.header_crc];
    bytes += std::min(segment.payload_bytes + segment.header_bytes, max_content_bytes - bytes);
  }
  const auto largest = std::max_element(bytes_of.begin(), bytes_of.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return largest == bytes_of.end() ? std::nullopt : std::optional(largest->first);
}

class FrameFinder {
 public:
  FrameFinder(DamagedBytes& bytes, const RecoveryOptions& options, const FoundParts& parts)
      : bytes_(bytes), options_(options), parts_(parts) {}

  Result<DamagedFrame> find() {
    if (!choose_header())
      return Status{ErrorCode::corrupt_frame, 0, "there is neither a header nor a segment of a frame"};
    const auto footer = std::find_if(parts_.footers.rbegin(), parts_.footers.rend(), [&](const auto& found) {
      return found.header_crc == frame_.header_crc;
    });
    if (footer != parts_.footers.rend()) footer_ = read_footer(bytes_, *footer);
    choose_segments();
    find_length();
    describe();
    return std::move(frame_);
  }

 private:
  /// An intact header that segments belong to comes first, or one of a frame without segments.
  bool choose_header() {
    const auto wanted = crc_of_most(parts_.segments);
    for (const FoundHeader& found : parts_.headers) {
      const bool has_segments =
          std::any_of(parts_.segments.begin(), parts_.segments.end(),
                      [&](const FoundSegment& segment) { return segment.header_crc == found.crc; });
      if (wanted && !has_segments) continue;
      std::vector<std::uint8_t> part(static_cast<std::size_t>(found.bytes));
      bytes_.read(found.offset, part);
      auto header = parse_header(part);
      if (header && crc_of_part(part) == found.crc)
        return take(std::move(*header), HeaderSource::intact, found.crc);
    }
    if (!wanted) return false;
    if (auto header = header_before_segments(*wanted))
      return take(std::move(*header), HeaderSource::mended, *wanted);
    if (auto header = similar_header(*wanted))
      return take(std::move(*header), HeaderSource::similar, *wanted);
    return guess(*wanted);
  }
  bool take(Header header, HeaderSource source, std::uint32_t crc) {
    frame_.header = std::move(header);
    frame_.header_source = source;
    frame_.header_crc = crc;
    return true;
  }

  std::optional<Header> header_before_segments(std::uint32_t crc) {
    const auto first = std::find_if(parts_.segments.begin(), parts_.segments.end(),
                                    [&](const FoundSegment& segment) { return segment.header_crc == crc; });
    // Where the first segment is missing, the header is as long as it says.
    std::vector<std::uint64_t> lengths;
    if (first->index == 0) lengths.push_back(first->offset);
    std::uint8_t fixed[fixed_header_bytes];
    bytes_.read(0, fixed);
    lengths.push_back(core::load<std::uint32_t>(fixed + header_at::header_bytes));
    for (const std::uint64_t length : lengths) {
      if (length < min_header_bytes || length > max_mended_bytes || length % alignment != 0) continue;
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(length));
      bytes_.read(0, bytes);
      if (auto header = mended_header(std::move(bytes), crc)) return header;
    }
    return std::nullopt;
  }

  std::optional<Header> similar_header(std::uint32_t crc) const {
    const auto bytes = core::as_u8(options_.similar_frame);
    if (bytes.size() < fixed_header_bytes) return std::nullopt;
    const auto length = header_length(bytes.first(fixed_header_bytes));
    if (!length || *length > bytes.size()) return std::nullopt;
    auto header = parse_header(bytes.first(*length));
    if (!header || crc_of_part(bytes.first(*length)) != crc) return std::nullopt;
    return std::move(*header);
  }

  /// By the first segment that one can be guessed from.
  bool guess(std::uint32_t crc) {
    for (const FoundSegment& segment : parts_.segments) {
      if (segment.header_crc != crc) continue;
      std::vector<std::uint8_t> part(segment.header_bytes);
      bytes_.read(segment.offset, part);
      auto header = guessed_header(part);
      if (!header) continue;
      if (header->content == Content::table && header->table.source == TableSource::csv)
        header->table.separator = options_.separator;
      return take(std::move(*header), HeaderSource::guessed, crc);
    }
    return false;
  }

  /// Those of this frame, each once, that do not contradict the footer or each other.
  void choose_segments() {
    std::vector<FoundSegment>& chosen = frame_.segments;
    for (const FoundSegment& segment : parts_.segments) {
      if (segment.header_crc == frame_.header_crc && segment.count <= frame_.header.max_segment_length &&
          is_expected(segment))
        chosen.push_back(segment);
    }
    const auto order = [&](const FoundSegment& segment) {
      return std::pair(segment.index, !lies_where_expected(segment));
    };
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    std::size_t kept = 0;
    std::uint64_t end = 0;
    for (const FoundSegment& segment : chosen) {
      if (kept != 0 && (segment.index == chosen[kept - 1].index || segment.first < end)) continue;
      if (segment.first > max_content_bytes - segment.count) continue;
      end = segment.first + segment.count;
      chosen[kept++] = segment;
    }
    chosen.resize(kept);
  }
  [[nodiscard]] bool is_expected(const FoundSegment& segment) const {
    if (!footer_) return true;
    const auto& positions = footer_->segments;
    if (segment.index >= positions.size() || positions[segment.index].first != segment.first) return false;
    return segment.index + 1 == positions.size() ||
           positions[segment.index + 1].first == segment.first + segment.count;
  }
  [[nodiscard]] bool lies_where_expected(const FoundSegment& segment) const {
    return footer_ && footer_->segments[segment.index].offset == segment.offset;
  }

  void find_length() {
    const std::uint64_t found_end =
        frame_.segments.empty() ? 0 : frame_.segments.back().first + frame_.segments.back().count;
    frame_.segment_count = frame_.segments.empty() ? 0 : frame_.segments.back().index + 1;
    frame_.element_count = found_end;
    if (!footer_) return;
    const bool has_last = frame_.segment_count == footer_->segments.size();
    frame_.segment_count = footer_->segments.size();
    frame_.is_length_known = has_last;
    if (const auto claimed = claimed_elements(); claimed && *claimed >= found_end) {
      frame_.element_count = *claimed;
      frame_.is_length_known = true;
    }
  }
  /// What the footer says, which needs all dimensions.
  [[nodiscard]] std::optional<std::uint64_t> claimed_elements() const {
    if (frame_.header.content == Content::table) return footer_->outer_size;
    if (frame_.header_source == HeaderSource::guessed) return std::nullopt;
    Footer footer;
    footer.outer_size = footer_->outer_size;
    const auto elements = extent_of(frame_.header, footer).element_count();
    if (!elements || *elements > max_content_bytes / size_of(frame_.header.dtype)) return std::nullopt;
    return elements;
  }

  void describe() {
    Footer footer;
    footer.element_count = footer.outer_size = frame_.element_count;
    if (footer_) footer.digest = footer_->digest;
    if (frame_.header.content == Content::array && frame_.header.rank > 0) {
      footer.outer_size = 1;
      const auto inner = extent_of(frame_.header, footer).element_count();
      footer.outer_size = inner && *inner != 0 ? core::divide_up(frame_.element_count, *inner)
                          : footer_            ? footer_->outer_size
                                               : 0;
    }
    frame_.info = make_info(frame_.header, footer, bytes_.size());
    frame_.info.segment_count = frame_.segment_count;
  }

  DamagedBytes& bytes_;
  const RecoveryOptions& options_;
  const FoundParts& parts_;
  std::optional<FooterNumbers> footer_;
  DamagedFrame frame_;
};

}  // namespace

std::optional<Header> mended_header(std::vector<std::uint8_t> bytes, std::uint32_t crc) {
  const auto checked = std::span(bytes).first(bytes.size() - 4);
  core::store(bytes.data() + checked.size(), crc);
  const auto parsed = [&]() -> std::optional<Header> {
    if (core::crc32c(checked) != crc) return std::nullopt;
    const auto length = header_length(std::span(bytes).first(fixed_header_bytes));
    if (!length || *length != bytes.size()) return std::nullopt;
    auto header = parse_header(bytes);
    return header ? std::optional(std::move(*header)) : std::nullopt;
  };
  if (auto header = parsed()) return header;
  for (std::uint8_t& byte : checked) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      byte = static_cast<std::uint8_t>(byte ^ 1U << bit);
      if (auto header = parsed()) return header;
      byte = static_cast<std::uint8_t>(byte ^ 1U << bit);
    }
  }
  return std::nullopt;
}

Result<DamagedFrame> find_frame(DamagedBytes& bytes, const RecoveryOptions& options) {
  const FoundParts parts = find_parts(bytes, options.memory_limit_bytes);
  return FrameFinder(bytes, options, parts).find();
}

}  // namespace floe::recovery
