// Frames that can be read at any position.
#include <algorithm>

#include "chunks/leaf_decoder.hpp"
#include "container/compact_frame.hpp"
#include "container/frame_index.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/describe.hpp"
#include "pipeline/frame_readers.hpp"
#include "pipeline/restorer.hpp"
#include "rows/cells/column_values.hpp"
#include "rows/rows_output.hpp"

namespace floe {
namespace {

/// More than any plan of a tree takes at the begin of a stream.
constexpr std::uint64_t max_plan_bytes = 4096;

}  // namespace

struct Reader::State {
  std::unique_ptr<container::ByteSource> source;
  container::FrameIndex index;
  std::vector<pipeline::CompactShare> compact;  ///< Of a compact frame: what it stores of each stream.

  static Result<Reader> open(std::unique_ptr<container::ByteSource> from, std::uint64_t frame_bytes,
                             std::uint64_t memory_limit_bytes) {
    auto opened = container::read_frame_index(*from, frame_bytes, memory_limit_bytes);
    // A compact frame may be shorter than the header of another one.
    if (!opened && (opened.status().code == ErrorCode::unsupported_version ||
                    opened.status().code == ErrorCode::truncated_frame)) {
      auto expanded = pipeline::expand_if_compact(*from, frame_bytes, memory_limit_bytes);
      if (!expanded) return expanded.status();
      if (!*expanded) return opened.status();
      const std::uint64_t usual_bytes = (*expanded)->frame.size();
      from = std::make_unique<container::OwnedSource>(std::move((*expanded)->frame));
      opened = container::read_frame_index(*from, usual_bytes, memory_limit_bytes);
      if (!opened) return opened.status();
      container::note_compact(opened->info, frame_bytes);
      return Reader(std::make_unique<State>(
          State{std::move(from), std::move(*opened), std::move((*expanded)->shares)}));
    }
    if (!opened) return opened.status();
    return Reader(std::make_unique<State>(State{std::move(from), std::move(*opened), {}}));
  }

  /// What is stored of a stream, as far as it is needed to describe it: its plan, the table of its chunks if
  /// it is a codec, or everything.
  Result<std::vector<std::uint8_t>> stored(const container::StreamEntry& entry, std::uint64_t offset,
                                           bool is_needed) const {
    core::Buffer scratch;
    const auto read = [&](std::uint64_t count) {
      return source->bytes(offset, std::min(count, entry.stored_bytes), scratch);
    };
    auto bytes = read(is_needed ? entry.stored_bytes : max_plan_bytes);
    if (!bytes) return bytes.status();
    if (const auto leaf = chunks::leaf_of_front(*bytes, size_of(entry.type))) {
      const chunks::LeafStream stream{*leaf, index.header.checksums, entry.words_bytes(), entry.stored_bytes};
      if (const std::uint64_t header = stream.header_bytes(*bytes); header > bytes->size())
        bytes = read(header);
      if (!bytes) return bytes.status();
    }
    return std::vector<std::uint8_t>(bytes->begin(), bytes->end());
  }

  /// Counts the chunks of a stream that is a codec.
  Status count_chunks(const container::StreamEntry& entry, std::span<const std::uint8_t> bytes,
                      std::uint64_t offset, ChunkCounts& counts) const {
    const auto leaf = chunks::leaf_of_front(bytes, size_of(entry.type));
    if (!leaf) return {};
    const chunks::LeafStream stream{
        *leaf, index.header.checksums, entry.words_bytes(), entry.stored_bytes, entry.digest, offset};
    const auto checked = chunks::check_leaf(stream, bytes);
    if (!checked) return checked.status();
    counts.chunks += checked->chunk_count;
    for (std::uint64_t chunk = 0; chunk < checked->chunk_count; ++chunk) {
      const core::BlockEntry block = checked->table.entry(chunk);
      (block.mode == chunks::mode_raw ? counts.raw : counts.coded) += 1;
      counts.payload_bytes += block.stored_bytes;
    }
    return {};
  }

  Result<StoredSegment> describe(std::uint64_t number) const {
    core::Buffer scratch;
    const auto open = container::open_segment(*source, index, number, scratch);
    if (!open) return open.status();
    const container::IndexEntry begin = index.begin_of(number);
    StoredSegment segment;
    segment.first = begin.first;
    segment.count = open->header.count;
    segment.offset = begin.offset;
    segment.stored_bytes = index.end_of(number).offset - begin.offset;
    std::uint64_t offset = open->payload_offset;
    for (const auto& entry : open->header.malformed) offset += chunks::padded(entry.stored_bytes);
    for (const auto& entry : open->header.padding) offset += chunks::padded(entry.stored_bytes);
    for (const container::ColumnEntry& column : open->header.columns) {
      const std::uint64_t column_offset = offset;
      std::vector<std::vector<std::uint8_t>> bytes;
      for (std::size_t i = 0; i < column.streams.size(); ++i) {
        const container::StreamEntry& entry = column.streams[i];
        const bool holds_exceptions = column.format.has_exceptions && i + 3 == column.streams.size();
        auto stream = stored(entry, offset, holds_exceptions);
        if (!stream) return stream.status();
        if (const Status status = count_chunks(entry, *stream, offset, segment.chunks); !status.ok())
          return status;
        bytes.push_back(std::move(*stream));
        offset += chunks::padded(entry.stored_bytes);
      }
      Result<StoredColumn> described =
          pipeline::describe_column(column, index.header.table.schema, index.header.checksums,
                                    std::vector<std::span<const std::uint8_t>>(bytes.begin(), bytes.end()));
      if (!described) {
        Status status = described.status();
        status.byte_offset += column_offset;
        return status;
      }
      segment.columns.push_back(std::move(*described));
    }
    if (!compact.empty()) pipeline::take_shares(segment, open->header, compact, index.info.frame_bytes);
    return segment;
  }

  Status restore(const Sink& sink, const DecodeOptions& options) const {
    const auto& prefix = index.header.prefix;
    if (index.header.content == Content::table && !prefix.empty()) {
      if (const Status status = sink(std::as_bytes(std::span(prefix))); !status.ok()) return status;
    }
    pipeline::Restorer restorer(index.header, options, sink);
    core::Buffer scratch;
    core::Digest digest;
    for (std::uint64_t number = 0; number < index.segment_count(); ++number) {
      auto open = container::open_segment(*source, index, number, scratch);
      if (!open) return open.status();
      open->header.for_each_stream([&](const container::StreamEntry& stream) { digest.add(stream.digest); });
      const std::uint64_t bytes = open->header.payload_bytes();
      if (bytes > options.memory_limit_bytes)
        return {ErrorCode::out_of_memory, 0, "a segment is larger than memory_limit_bytes"};
      const auto payload = source->bytes(open->payload_offset, bytes, scratch);
      if (!payload) return payload.status();
      std::vector<std::uint8_t> copy = restorer.take_payload_memory();
      copy.assign(payload->begin(), payload->end());
      if (const Status status = restorer.add(std::move(open->header), std::move(copy), open->payload_offset);
          !status.ok())
        return status;
    }
    if (const Status status = restorer.finish(); !status.ok()) return status;
    if (digest.value() != index.footer.digest)
      return {ErrorCode::corrupt_frame, index.footer_offset + container::footer_at::digest,
              "the frame's digest does not match its streams"};
    return {};
  }
};

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(std::span<const std::byte> frame) {
  return core::guarded([&] {
    return State::open(std::make_unique<container::MemorySource>(core::as_u8(frame)), frame.size(),
                       DecodeOptions{}.memory_limit_bytes);
  });
}

Result<Reader> Reader::open(ReadAt read_at, std::uint64_t frame_bytes, std::uint64_t memory_limit_bytes) {
  if (!read_at) return Status{ErrorCode::invalid_argument, 0, "there is no function to read with"};
  return core::guarded([&] {
    return State::open(std::make_unique<container::CallbackSource>(std::move(read_at)), frame_bytes,
                       memory_limit_bytes);
  });
}

const FrameInfo& Reader::info() const noexcept { return state_->index.info; }

Result<StoredSegment> Reader::segment(std::uint64_t index) const {
  if (index >= state_->index.segment_count())
    return Status{ErrorCode::invalid_argument, 0, "the frame has no such segment"};
  return core::guarded([&] { return state_->describe(index); });
}

Status Reader::decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options) const {
  return core::guarded([&] {
    return pipeline::decode_slice(*state_->source, state_->index, core::as_u8(out), slice, options);
  });
}

Status Reader::decompress(std::span<std::byte> out, const DecodeOptions& options) const {
  return decompress_slice(out, {0, info().element_count}, options);
}

Status Reader::restore(const Sink& sink, const DecodeOptions& options) const {
  if (!sink) return {ErrorCode::invalid_argument, 0, "there is no sink"};
  return core::guarded([&] { return state_->restore(sink, options); });
}

Status Reader::read_values(std::size_t column, Slice rows, std::span<std::byte> out,
                           std::span<std::uint8_t> valid, const DecodeOptions& options) const {
  const Schema& schema = state_->index.header.table.schema;
  if (column >= schema.size()) return {ErrorCode::invalid_argument, 0, "the table has no such column"};
  const DType type = schema[column].type;
  if (type == DType::text) return {ErrorCode::invalid_argument, 0, "a column of texts has no values"};
  if (out.size() / size_of(type) != rows.count || out.size() % size_of(type) != 0 ||
      (!valid.empty() && valid.size() != rows.count))
    return {ErrorCode::invalid_argument, 0, "the output has another size than the values"};
  return core::guarded([&] {
    core::Workers workers(options.threads, options.executor);
    std::uint64_t done = 0;
    return pipeline::for_each_part(
        *state_->source, state_->index, {&column, 1}, rows, workers, options,
        [&](const pipeline::RowsOfSegment& part) {
          const std::uint32_t count = part.end - part.first;
          const auto values = core::as_u8(out.subspan(done * size_of(type), count * size_of(type)));
          const Status status =
              rows::convert_values(part.columns.contents[0], part.columns.printers[0], part.first, count,
                                   type, values, valid.empty() ? valid : valid.subspan(done, count));
          done += count;
          return status;
        });
  });
}

Result<std::vector<std::string>> Reader::read_texts(std::size_t column, Slice rows,
                                                    const DecodeOptions& options) const {
  return core::guarded([&]() -> Result<std::vector<std::string>> {
    core::Workers workers(options.threads, options.executor);
    std::vector<std::string> texts;
    const container::TableDescription& table = state_->index.header.table;
    const Status status = pipeline::for_each_part(
        *state_->source, state_->index, {&column, 1}, rows, workers, options,
        [&](const pipeline::RowsOfSegment& part) {
          const rows::ColumnPrinter& printer = part.columns.printers[0];
          std::vector<char> cell(printer.longest_bytes());
          for (std::uint32_t row = part.first; row < part.end; ++row) {
            if (table.source != TableSource::csv) {
              texts.push_back(rows::native_text(part.columns.contents[0], row, table.schema[column]));
            } else {
              texts.emplace_back(cell.data(), printer.print(cell.data(), row));
            }
          }
          return Status{};
        });
    if (!status.ok()) return status;
    return texts;
  });
}

Status Reader::print_rows(std::span<const std::size_t> columns, Slice rows, const Sink& sink,
                          const DecodeOptions& options) const {
  if (columns.empty() || !sink)
    return {ErrorCode::invalid_argument, 0, columns.empty() ? "no columns are chosen" : "there is no sink"};
  return core::guarded([&]() -> Status {
    core::Workers workers(options.threads, options.executor);
    const Schema& schema = state_->index.header.table.schema;
    if (std::any_of(columns.begin(), columns.end(),
                    [&](std::size_t column) { return column >= schema.size(); }))
      return {ErrorCode::invalid_argument, 0, "the table has no such column"};
    const rows::RowsText text(state_->index.header.table, columns);
    // The request is checked before the names are written.
    const Status checked =
        pipeline::for_each_part(*state_->source, state_->index, columns, {rows.first + rows.count, 0},
                                workers, options, [](const pipeline::RowsOfSegment&) { return Status{}; });
    if (!checked.ok()) return checked;
    const std::string names = text.names();
    if (const Status status = sink(std::as_bytes(std::span(names))); !status.ok()) return status;
    return pipeline::for_each_part(*state_->source, state_->index, columns, rows, workers, options,
                                   [&](const pipeline::RowsOfSegment& part) {
                                     return text.print(part.columns, part.first, part.end, workers, sink);
                                   });
  });
}

Status Reader::write_records(std::span<const std::size_t> columns, Slice rows, const Sink& sink,
                             const DecodeOptions& options, MissingValue* missing) const {
  if (columns.empty() || !sink)
    return {ErrorCode::invalid_argument, 0, columns.empty() ? "no columns are chosen" : "there is no sink"};
  const Schema& schema = state_->index.header.table.schema;
  for (const std::size_t column : columns) {
    if (column < schema.size() && schema[column].type == DType::text)
      return {ErrorCode::invalid_argument, 0, "a column of texts has no values"};
  }
  return core::guarded([&]() -> Status {
    if (std::any_of(columns.begin(), columns.end(),
                    [&](std::size_t column) { return column >= schema.size(); }))
      return {ErrorCode::invalid_argument, 0, "the table has no such column"};
    core::Workers workers(options.threads, options.executor);
    const rows::RowsRecords records(schema, columns);
    MissingValue nowhere;
    MissingValue& found = missing == nullptr ? nowhere : *missing;
    return pipeline::for_each_part(*state_->source, state_->index, columns, rows, workers, options,
                                   [&](const pipeline::RowsOfSegment& part) {
                                     const Status status = records.write(part.columns, part.first, part.end,
                                                                         workers, sink, found);
                                     found.row += part.first_row;
                                     return status;
                                   });
  });
}

}  // namespace floe
