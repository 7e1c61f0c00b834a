// A compact frame as an ordinary one, which all readers read.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "chunks/chunk_table.hpp"
#include "chunks/leaf.hpp"
#include "container/compact_frame.hpp"
#include "container/frame_writer.hpp"
#include "pipeline/base_column.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/compact/text/compact_text.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

constexpr unsigned type_count = 14;
/// Words are there by type, by stream, with quotes, encoded by nothing, and in the ordinary frame.
constexpr std::uint64_t memory_of_words = 8;

Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

class VectorSink final : public container::FrameSink {
 public:
  Status put(std::span<const std::uint8_t> bytes) override {
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    return {};
  }
  std::vector<std::uint8_t> frame;
};

/// The words of all types.
class WordsOfTypes {
 public:
  Status decode(std::span<const std::uint8_t> body, std::uint64_t memory_limit_bytes) {
    core::ByteReader in(body);
    const std::uint64_t mask = in.get_varint();
    if (in.failed() || mask >> type_count != 0 || (mask & 1) != 0)
      return corrupt("a compact frame with words of unknown types");
    std::array<std::uint64_t, type_count> stored{};
    for (unsigned type = 1; type < type_count; ++type) {
      if ((mask >> type & 1) == 0) continue;
      const std::uint64_t count = in.get_varint();
      stored[type] = in.get_varint();
      if (count == 0 || count > max_compact_words_bytes)
        return corrupt("a compact frame has more words than it may have");
      bytes_ += count * size_of(static_cast<DType>(type));
      if (bytes_ > max_compact_words_bytes) return corrupt("a compact frame has more words than it may have");
      if (memory_bytes() > memory_limit_bytes)
        return {ErrorCode::out_of_memory, 0, "a compact frame takes more than memory_limit_bytes"};
      words_[type] = {static_cast<DType>(type), count};
    }
    core::MemoryBudget budget(memory_limit_bytes, memory_bytes());
    for (unsigned type = 1; type < type_count; ++type) {
      if (words_[type].count() == 0) continue;
      const auto stream = in.get_bytes(stored[type]);
      const auto number = static_cast<DType>(type);
      const std::uint64_t count = words_[type].count();
      const Status status = trees::decode_compact_stream(stream, number, count, words_[type].data(), &budget);
      if (!status.ok()) return status;
      auto parts = trees::parts_of(stream, number, count, trees::Alignment::compact);
      if (!parts) return parts.status();
      parts_[type] = std::move(*parts);
    }
    return in.failed() || in.remaining() > 0 ? corrupt("a compact frame has another length than its streams")
                                             : Status{};
  }

  /// What they take, wherever they are.
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_of_words * bytes_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return of(DType::u8).bytes(); }
  /// The next words of a type; fails if there are fewer.
  std::optional<std::span<const std::uint8_t>> take(DType type, std::uint64_t count) {
    const rows::Words& words = of(type);
    std::uint64_t& taken = taken_[static_cast<unsigned>(type)];
    if (count > words.count() - taken) return std::nullopt;
    const std::size_t width = size_of(type);
    const auto part = words.bytes().subspan(static_cast<std::size_t>(taken) * width,
                                            static_cast<std::size_t>(count) * width);
    taken += count;
    return part;
  }
  /// Of the next words of a type.
  [[nodiscard]] CompactShare share_of(DType type, std::uint64_t count) const {
    CompactShare share;
    std::uint64_t begin = 0;
    const std::uint64_t first = taken_[static_cast<unsigned>(type)], end = first + count;
    for (const trees::StreamPart& part : parts_[static_cast<unsigned>(type)]) {
      const std::uint64_t from = std::max(first, begin), to = std::min(end, begin + part.count);
      begin += part.count;
      if (from >= to) continue;
      if (share.tree.empty()) share.tree = trees::text_of(part.plan);
      share.stored_bytes += (part.stored_bytes * (to - from) + part.count / 2) / part.count;
    }
    return share;
  }
  [[nodiscard]] bool are_all_taken() const {
    for (unsigned type = 1; type < type_count; ++type) {
      if (taken_[type] != words_[type].count()) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] const rows::Words& of(DType type) const { return words_[static_cast<unsigned>(type)]; }

  std::uint64_t bytes_ = 0;
  std::array<rows::Words, type_count> words_;
  std::array<std::vector<trees::StreamPart>, type_count> parts_;
  std::array<std::uint64_t, type_count> taken_{};
};

/// Entries of all streams in the order of an ordinary frame.
std::vector<container::StreamEntry*> entries_of(container::SegmentHeader& segment) {
  std::vector<container::StreamEntry*> entries;
  for (auto& entry : segment.malformed) entries.push_back(&entry);
  for (auto& column : segment.columns) {
    for (auto& entry : column.streams) entries.push_back(&entry);
  }
  return entries;
}

/// The words of each stream.
Result<std::vector<rows::Words>> words_of_streams(const CompactTable& table, WordsOfTypes& words,
                                                  std::vector<CompactShare>& shares) {
  const std::vector<CompactStream> order = compact_order(table.segment);
  std::vector<rows::Words> streams(order.size());
  shares.resize(order.size());
  for (const CompactStream& stream : order) {
    shares[stream.index] = words.share_of(stream.type, stream.count);
    const auto taken = words.take(stream.type, stream.count);
    if (!taken) return corrupt("a compact frame has fewer words than its streams");
    streams[stream.index] = rows::Words(stream.type, stream.count);
    if (!taken->empty()) std::memcpy(streams[stream.index].data(), taken->data(), taken->size());
  }
  if (!words.are_all_taken()) return corrupt("a compact frame has more words than its streams");
  return streams;
}

bool put_quotes_back(CompactTable& table, std::span<rows::Words> streams) {
  std::size_t first = table.segment.malformed.size();
  for (std::size_t i = 0; i < table.segment.columns.size(); ++i) {
    if (table.has_quotes[i] && !put_quotes_on(streams[first], streams[first + 1])) return false;
    first += table.segment.columns[i].streams.size();
  }
  return true;
}

/// Ranges of numbers that are no differences.
void find_ranges(CompactTable& table, std::span<const rows::Words> streams) {
  std::size_t first = table.segment.malformed.size();
  for (container::ColumnEntry& column : table.segment.columns) {
    const rows::Words& words = streams[first];
    first += column.streams.size();
    const container::CellKind kind = column.format.kind;
    const bool has_numbers = kind == container::CellKind::decimal || kind == container::CellKind::time ||
                             kind == container::CellKind::f32 || kind == container::CellKind::f64;
    if (has_numbers && !column.base)
      column.range = container::range_of(words.type(), words.data(), words.count());
  }
}

/// A stream of one part, encoded by nothing, and what its entry says.
std::vector<std::uint8_t> raw_stream(const rows::Words& words, container::StreamEntry& entry) {
  entry.count = static_cast<std::uint32_t>(words.count());
  if (words.count() == 0) return {};
  std::vector<std::uint8_t> stream{1, 0, static_cast<std::uint8_t>(trees::EncodingId::raw)};
  stream.insert(stream.end(), words.bytes().begin(), words.bytes().end());
  const std::size_t stored = stream.size();
  stream.resize(static_cast<std::size_t>(chunks::padded(stored)));  // digests are of padded bytes
  entry.stored_bytes = stored;
  entry.digest = chunks::digest_of_bytes(std::span<const std::uint8_t>(stream).first(stored), true);
  stream.resize(stored);
  return stream;
}

/// Header and segment header say what they may say. Positions in this frame would mean nothing to anybody.
Status check_frame(std::span<const std::uint8_t> frame) {
  const container::MemorySource source(frame);
  const auto index = container::read_frame_index(source, frame.size(), ~std::uint64_t{0});
  if (!index) return {index.status().code, 0, index.status().detail};
  core::Buffer scratch;
  const auto segment = container::open_segment(source, *index, 0, scratch);
  return {segment.status().code, 0, segment.status().detail};
}

Result<OpenedTable> open_words(std::span<const std::uint8_t> body, std::uint64_t memory_limit_bytes) {
  WordsOfTypes words;
  if (const Status status = words.decode(body, memory_limit_bytes); !status.ok()) return status;
  core::ByteReader in(words.bytes());
  Result<CompactTable> table = get_description(in, memory_limit_bytes - words.memory_bytes());
  if (!table) return table.status();
  static_cast<void>(words.take(DType::u8, in.position()));
  OpenedTable opened{std::move(*table), {}, {}};
  Result<std::vector<rows::Words>> streams = words_of_streams(opened.table, words, opened.shares);
  if (!streams) return streams.status();
  opened.streams = std::move(*streams);
  if (!put_quotes_back(opened.table, opened.streams))
    return corrupt("lengths of texts do not fit their bytes");
  find_ranges(opened.table, opened.streams);
  return opened;
}

}  // namespace

void take_shares(StoredSegment& segment, const container::SegmentHeader& header,
                 std::span<const CompactShare> shares, std::uint64_t frame_bytes) {
  segment.offset = 0;
  segment.stored_bytes = frame_bytes;
  auto share = shares.begin() + static_cast<std::ptrdiff_t>(header.malformed.size());
  for (StoredColumn& column : segment.columns) {
    column.stored_bytes = 0;
    for (std::string& tree : column.trees) {
      tree = share->tree;
      column.stored_bytes += share->stored_bytes;
      ++share;
    }
  }
}

Result<ExpandedFrame> expand_table(OpenedTable opened) {
  CompactTable& table = opened.table;
  ExpandedFrame expanded;
  expanded.shares = std::move(opened.shares);
  const std::vector<container::StreamEntry*> entries = entries_of(table.segment);
  std::vector<std::vector<std::uint8_t>> stored;
  for (std::size_t i = 0; i < entries.size(); ++i)
    stored.push_back(raw_stream(opened.streams[i], *entries[i]));
  VectorSink sink;
  container::FrameWriter writer(sink);
  if (const Status status = writer.begin(table.header); !status.ok()) return status;
  if (!entries.empty()) {
    const std::vector<std::span<const std::uint8_t>> spans(stored.begin(), stored.end());
    if (const Status status = writer.segment(table.segment, spans); !status.ok()) return status;
  }
  if (const Status status = writer.finish(table.segment.count); !status.ok()) return status;
  if (const Status status = check_frame(sink.frame); !status.ok()) return status;
  expanded.frame = std::move(sink.frame);
  return expanded;
}

Result<ExpandedFrame> expand_compact(std::span<const std::uint8_t> frame, std::uint64_t memory_limit_bytes) {
  const auto body = container::compact_body(frame);
  if (!body) return body.status();
  Result<OpenedTable> opened =
      is_text(*body) ? open_text(*body, memory_limit_bytes) : open_words(*body, memory_limit_bytes);
  return opened ? expand_table(std::move(*opened)) : opened.status();
}

Result<std::optional<ExpandedFrame>> expand_if_compact(const container::ByteSource& source,
                                                       std::uint64_t frame_bytes,
                                                       std::uint64_t memory_limit_bytes) {
  core::Buffer scratch;
  if (frame_bytes < container::compact_begin_bytes) return std::optional<ExpandedFrame>();
  const auto begin = source.bytes(0, container::compact_begin_bytes, scratch);
  if (!begin) return begin.status();
  if (!container::is_compact(*begin)) return std::optional<ExpandedFrame>();
  const auto length = container::compact_frame_length(*begin);
  if (!length) return length.status();
  if (*length > frame_bytes)
    return Status{ErrorCode::truncated_frame, frame_bytes, "a compact frame ends early"};
  if (*length < frame_bytes)
    return Status{ErrorCode::corrupt_frame, *length, "bytes follow the end of the frame"};
  const auto frame = source.bytes(0, frame_bytes, scratch);
  if (!frame) return frame.status();
  auto expanded = expand_compact(*frame, memory_limit_bytes);
  if (!expanded) return expanded.status();
  return std::optional(std::move(*expanded));
}

}  // namespace floe::pipeline
