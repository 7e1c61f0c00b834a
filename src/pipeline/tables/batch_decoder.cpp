#include "pipeline/tables/batch_decoder.hpp"

#include <algorithm>
#include <utility>

#include "core/crc32c.hpp"
#include "pipeline/column_codec.hpp"
#include "pipeline/tables/parallel_tasks.hpp"

namespace floe::tables {
namespace {

constexpr Status corrupt(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

/// Makes room for the words of streams, and says where their bytes are. Takes these off `stored`.
Status open_streams(std::span<const StreamEntry> entries, std::span<const std::uint8_t>& stored, std::vector<Words>& words,
                    std::vector<EncodedStream>& streams) {
  for (const StreamEntry& entry : entries) {
    if (entry.stored_bytes > stored.size()) return corrupt("a stream is longer than its segment");
    const auto bytes = stored.first(entry.stored_bytes);
    stored = stored.subspan(entry.stored_bytes);
    if (format::crc32c(bytes) != entry.checksum) return corrupt("the checksum of a column does not match");
    words.emplace_back(entry.type, entry.count);
    streams.push_back({std::as_bytes(bytes), entry.type, entry.count, words.back().data(), false});
  }
  return {};
}

/// Calls work(words) for the streams of a segment, in the order of open_streams.
template <class Work>
void for_each_stream(DecodedSegment& segment, const Work& work) {
  for (Words& words : segment.strays) work(words);
  for (Words& words : segment.padding) work(words);
  for (ColumnContent& column : segment.columns) {
    for (Words& words : column.streams) work(words);
  }
}

}  // namespace

Status BatchDecoder::add(const SegmentHead& head, std::vector<std::uint8_t> payload, std::uint64_t offset, const Sink& sink) {
  if (const Status status = segments_.check_memory_of(head); !status.ok()) return status;
  Batch& filling = filling_.front();
  Segment& segment = filling.segments.emplace_back(Segment{head, std::move(payload), offset, {}});
  const std::size_t streams_before = filling.streams.size();
  std::span<const std::uint8_t> stored = segment.payload;
  Status status = open_streams(head.strays, stored, segment.decoded.strays, filling.streams);
  if (status.ok()) status = open_streams(head.padding, stored, segment.decoded.padding, filling.streams);
  for (const ColumnEntry& entry : head.columns) {
    ColumnContent& column = segment.decoded.columns.emplace_back(ColumnContent{entry.writing, {}, entry.range});
    if (status.ok()) status = open_streams(entry.streams, stored, column.streams, filling.streams);
  }
  if (!status.ok()) {
    filling.streams.resize(streams_before);
    filling.segments.pop_back();
    status.byte_offset = offset;
    return status;
  }
  for_each_stream(segment.decoded, [&filling](const Words& words) { filling.bytes += words.bytes().size(); });
  filling.bytes += segment.payload.size();
  if (filling.bytes < streams_.batch_bytes()) return {};
  status = begin_batch();
  if (status.ok() && begun_.size() == streams_.batches_at_once()) status = finish_batch(sink);
  return status;
}

Status BatchDecoder::finish(const Sink& sink) {
  Status status = filling_.front().segments.empty() ? Status{} : begin_batch();
  while (status.ok() && !begun_.empty()) status = finish_batch(sink);
  return status;
}

/// Waits for batches that nobody wants any more.
void BatchDecoder::forget() {
  for (; !begun_.empty(); begun_.pop_front()) (void)streams_.finish();
  Batch& filling = filling_.front();
  filling.streams.clear();
  filling.segments.clear();
  filling.bytes = 0;
}

Status BatchDecoder::begin_batch() {
  std::list<Batch> batch(1);
  batch.swap(filling_);
  const Status status = streams_.begin(batch.front().streams);
  if (status.ok()) begun_.splice(begun_.end(), batch);
  if (!status.ok()) forget();
  return status;
}

Status BatchDecoder::finish_batch(const Sink& sink) {
  std::list<Batch> oldest;
  oldest.splice(oldest.end(), begun_, begun_.begin());
  Status status = streams_.finish();
  if (status.ok()) status = print_batch(oldest.front(), sink);
  if (!status.ok()) forget();
  return status;
}

Status BatchDecoder::print_batch(Batch& batch, const Sink& sink) const {
  // What was left to the CPU.
  std::vector<DType> types;
  for (Segment& segment : batch.segments) for_each_stream(segment.decoded, [&types](const Words& words) { types.push_back(words.type()); });
  std::vector<Status> outcomes(batch.streams.size());
  run_tasks(static_cast<std::uint32_t>(outcomes.size()), options_.threads, [&](std::uint32_t i) {
    const EncodedStream& stream = batch.streams[i];
    if (stream.is_decoded) return;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(stream.bytes.data()), stream.bytes.size());
    outcomes[i] = series::decode_column(bytes, types[i], stream.count, stream.words);
  });
  auto outcome = outcomes.cbegin();
  for (Segment& segment : batch.segments) {
    Status status;
    for_each_stream(segment.decoded, [&](const Words&) {
      if (status.ok()) status = *outcome;
      ++outcome;
    });
    if (status.ok()) status = segments_.print(segment.head, segment.decoded, sink);
    if (status.code == ErrorCode::corrupt_frame) status.byte_offset += segment.offset;
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace floe::tables
