#include "recovery/part_scan.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "container/fields.hpp"
#include "core/crc32c.hpp"

namespace floe::recovery {
namespace {

using namespace container;

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t max_headers = 64, max_footers = 64;
/// Parts that are so short are looked at in any case.
constexpr std::uint64_t short_part_bytes = 4096;

std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  return core::load<std::uint32_t>(bytes.data() + offset);
}
std::uint64_t long_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  return core::load<std::uint64_t>(bytes.data() + offset);
}

class Scanner {
 public:
  Scanner(DamagedBytes& bytes, std::uint64_t memory_limit_bytes)
      : bytes_(bytes),
        max_part_bytes_(memory_limit_bytes / 2),
        budget_bytes_((std::uint64_t{64} << 20) + 8 * bytes.size()) {}

  FoundParts scan() {
    for (std::uint64_t at = next_candidate(0); at < bytes_.size();) at = next_candidate(look_at(at));
    return std::move(found_);
  }

 private:
  /// Where the next magic number of a part stands; the end if there is none.
  std::uint64_t next_candidate(std::uint64_t from) {
    while (from + 4 <= bytes_.size()) {
      if (from < window_begin_ || from + 4 > window_begin_ + window_.size()) fill_window(from);
      const auto* const begin = window_.data() + (from - window_begin_);
      const auto* const end = window_.data() + window_.size() - 3;
      for (const auto* at = begin; at < end; ++at) {
        at = static_cast<const std::uint8_t*>(std::memchr(at, 'F', static_cast<std::size_t>(end + 3 - at)));
        if (at == nullptr) break;
        // The last magic number ends with F; the others begin with it.
        if (at - window_.data() >= 3 && core::load<std::uint32_t>(at - 3) == end_magic && at - 3 >= begin)
          return position_of(at - 3);
        if (at >= end) break;
        const auto word = core::load<std::uint32_t>(at);
        if (word == header_magic || word == segment_magic) return position_of(at);
      }
      from = window_begin_ + window_.size() - 3;
    }
    return bytes_.size();
  }
  [[nodiscard]] std::uint64_t position_of(const std::uint8_t* at) const {
    return window_begin_ + static_cast<std::uint64_t>(at - window_.data());
  }
  void fill_window(std::uint64_t from) {
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(window_bytes, bytes_.size() - from)));
    window_begin_ = from;
    bytes_.read(from, window_);
  }

  std::uint32_t magic_at(std::uint64_t offset) {
    std::uint8_t magic[4];
    bytes_.read(offset, magic);
    return core::load<std::uint32_t>(magic);
  }

  /// The bytes of a part, if it may be so long.
  std::optional<std::span<const std::uint8_t>> part_at(std::uint64_t offset, std::uint64_t length) {
    if (offset > bytes_.size() || length > bytes_.size() - offset || length > max_part_bytes_)
      return std::nullopt;
    if (length > short_part_bytes) {
      if (length > budget_bytes_) return std::nullopt;
      budget_bytes_ -= length;
    }
    part_.resize(static_cast<std::size_t>(length));
    if (!bytes_.read(offset, part_)) return std::nullopt;
    return part_;
  }

  /// Takes the part there, if it is one. Returns where the search goes on.
  std::uint64_t look_at(std::uint64_t offset) {
    std::uint64_t next = offset + 1;
    switch (magic_at(offset)) {
      case header_magic:
        take_header(offset, next);
        break;
      case segment_magic:
        take_segment(offset, next);
        break;
      default:
        take_footer(offset + 4);
    }
    return next;
  }

  void take_header(std::uint64_t offset, std::uint64_t& next) {
    const auto begin = part_at(offset, fixed_header_bytes);
    if (!begin || found_.headers.size() == max_headers) return;
    const auto length = header_length(*begin);
    if (!length) return;
    const auto whole = part_at(offset, *length);
    if (!whole || !parse_header(*whole)) return;
    found_.headers.push_back({offset, *length, crc_of_part(*whole)});
    next = offset + *length;
  }

  void take_segment(std::uint64_t offset, std::uint64_t& next) {
    const auto begin = part_at(offset, fixed_segment_bytes);
    if (!begin) return;
    const auto length = segment_header_length(*begin, offset);
    if (!length) return;
    const std::uint64_t entries =
        std::uint64_t{word_at(*begin, segment_at::column_count)} * column_entry_bytes +
        std::uint64_t{word_at(*begin, segment_at::stream_count)} * stream_entry_bytes;
    if (*length != padded(fixed_segment_bytes + word_at(*begin, segment_at::fields_bytes) + entries + 4))
      return;
    const auto whole = part_at(offset, *length);
    if (!whole || !is_sealed(*whole)) return;
    const auto header = guessed_header(*whole);
    if (!header) return;
    const std::uint32_t crc = word_at(*whole, segment_at::header_crc);
    const auto parsed = parse_segment_header(*whole, *header, crc, offset);
    if (!parsed) return;
    const FoundSegment segment{
        offset, parsed->index, parsed->first, parsed->payload_bytes(), *length, parsed->count, crc};
    // A frame may hold another one, whose segments lie within one of the frame.
    const auto last = last_of_.find(crc);
    if (last != last_of_.end() && offset < last->second.end() && !continues(last->second, segment)) return;
    last_of_.insert_or_assign(crc, segment);
    found_.segments.push_back(segment);
    // The bytes behind it are looked at unless another part follows.
    const std::uint64_t end = segment.end();
    next = offset + *length;
    if (end == bytes_.size()) {
      next = end;
    } else if (end >= next && end < bytes_.size()) {
      const std::uint32_t follows = magic_at(end);
      if (follows == segment_magic || follows == footer_magic || follows == header_magic) next = end;
    }
  }
  static bool continues(const FoundSegment& last, const FoundSegment& next) {
    return next.index > last.index && next.first >= last.first + last.count;
  }

  /// `end`: of the footer.
  void take_footer(std::uint64_t end) {
    if (end < fixed_footer_bytes || found_.footers.size() == max_footers) return;
    const auto last = part_at(end - footer_end_bytes, footer_end_bytes);
    if (!last) return;
    const std::uint64_t length = long_at(*last, 0);
    if (length < fixed_footer_bytes || length % 8 != 0 || length > end) return;
    if (magic_at(end - length) != footer_magic) return;
    const auto whole = part_at(end - length, length);
    if (!whole || !is_intact_footer(*whole)) return;
    found_.footers.push_back({end - length, length, word_at(*whole, footer_at::header_crc)});
  }

  DamagedBytes& bytes_;
  std::uint64_t max_part_bytes_;
  std::uint64_t budget_bytes_;  ///< Of long parts that are still looked at.
  std::vector<std::uint8_t> window_, part_;
  std::uint64_t window_begin_ = 0;
  std::map<std::uint32_t, FoundSegment> last_of_;  ///< By the CRC of the frame's header.
  FoundParts found_;
};

}  // namespace

std::optional<Header> guessed_header(std::span<const std::uint8_t> segment_header) {
  core::ByteReader in(segment_header);
  in.get_bytes(segment_at::count);
  const auto rows = in.get_word<std::uint32_t>(), flags = in.get_word<std::uint32_t>();
  in.get_bytes(segment_at::column_count - segment_at::header_crc);
  const auto column_count = in.get_word<std::uint32_t>(), fields = in.get_word<std::uint32_t>();
  in.get_bytes(fields);
  constexpr std::uint32_t flag_malformed = 2, flag_padding = 4;
  if ((flags & flag_malformed) != 0) in.get_bytes(3 * stream_entry_bytes);
  Header header;
  header.content = Content::table;
  header.max_segment_length = max_segment_rows;
  if ((flags & flag_padding) != 0) {
    const auto padding = in.get_bytes(stream_entry_bytes);
    if (in.failed() || rows == 0) return std::nullopt;
    header.table.padding_bytes = word_at(padding, stream_at::count) / rows;
  }
  if (column_count == 0 || column_count > max_columns) return std::nullopt;
  bool is_native = true;
  for (std::uint32_t i = 0; i < column_count; ++i) {
    CellFormat format;
    if (in.failed() || !get_cell_format(in, format).ok()) return std::nullopt;
    in.get_bytes(column_entry_bytes - cell_format_bytes);
    const auto streams = in.get_bytes(stream_count(format) * stream_entry_bytes);
    if (in.failed()) return std::nullopt;
    is_native = is_native && format.kind == CellKind::native;
    header.table.schema.push_back({"column" + std::to_string(i + 1), format.kind == CellKind::native
                                                                         ? static_cast<DType>(streams[0])
                                                                         : DType::text});
  }
  if (is_native && column_count == 1 && flags == 0) {
    const DType type = header.table.schema[0].type;
    if (!is_element_type(type)) return std::nullopt;
    header.content = Content::array;
    header.dtype = type;
    header.max_segment_length = max_segment_bytes / size_of(type);
    header.table = {};
    return header;
  }
  header.table.source = is_native ? TableSource::records : TableSource::csv;
  header.table.separator = is_native ? '\0' : ',';
  return header;
}

bool is_intact_footer(std::span<const std::uint8_t> footer) {
  const auto checked = footer.first(footer.size() - 8);
  if (word_at(footer, checked.size()) != core::crc32c(checked)) return false;
  const std::uint64_t fields = word_at(footer, footer_at::fields_bytes),
                      rest = footer.size() - fixed_footer_bytes;
  return fields % 8 == 0 && fields <= rest && (rest - fields) % index_entry_bytes == 0;
}

FoundParts find_parts(DamagedBytes& bytes, std::uint64_t memory_limit_bytes) {
  return Scanner(bytes, memory_limit_bytes).scan();
}

}  // namespace floe::recovery
