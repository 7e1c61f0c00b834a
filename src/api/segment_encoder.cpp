#include "api/segment_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "api/parallel.hpp"
#include "api/streaming.hpp"
#include "core/memory_traffic.hpp"
#include "format/segment_head.hpp"

namespace floe::api {
namespace {

constexpr std::uint64_t smallest_range_chunks = 8;  // 128 KiB: below that a thread costs more than it brings

/// The chunks [first, end) of a segment, as one thread encodes them.
struct Range {
  std::uint64_t first = 0, end = 0;
  std::uint64_t begin_offset = 0;  ///< Of its first payload, from the start of the segment.
  std::uint64_t bytes = 0;         ///< Of its payloads with padding.
};

/// Encodes a range's chunks one behind the other. Ranges begin where they would if all chunks before were raw, so they never meet.
class RangeEncoder {
 public:
  RangeEncoder(const FramePlan& plan, std::span<const std::uint8_t> coded, std::uint64_t first_word, std::span<std::uint8_t> segment,
               const format::ChunkTable<std::uint8_t>& table)
      : plan_(plan), coded_(coded), first_word_(first_word), segment_(segment), table_(table) {}

  void encode(Range& range, std::span<std::uint8_t> workspace) const {
    std::uint64_t position = range.begin_offset;
    core::MemoryTraffic traffic;
    for (std::uint64_t chunk = range.first; chunk < range.end; ++chunk) position += encode_chunk(chunk, position, workspace, traffic);
    traffic.finish();
    range.bytes = position - range.begin_offset;
  }

 private:
  std::uint64_t encode_chunk(std::uint64_t chunk, std::uint64_t position, std::span<std::uint8_t> workspace,
                             core::MemoryTraffic& traffic) const {
    const std::uint64_t begin = chunk * core::chunk_bytes;
    const auto content = coded_.subspan(begin, std::min<std::uint64_t>(core::chunk_bytes, coded_.size() - begin));
    const bool streams = coded_.size() >= streaming_bytes && content.size() == core::chunk_bytes;
    core::ChunkContext context = plan_.context;
    context.bytes = content.size();
    context.first_word = first_word_ + begin / (plan_.codec->word_bits / 8);
    if (streams) {
      const auto next = coded_.subspan(begin + content.size());
      traffic.expect(next.data(), std::min(next.size(), core::chunk_bytes));
      context.traffic = &traffic;
    }

    // Payloads that stream wait in one of two areas until their way out is free; raw chunks wait where they are.
    const auto place = segment_.subspan(position, content.size());
    const auto payload = streams ? workspace.subspan(chunk % 2 * core::chunk_bytes, core::chunk_bytes) : place;
    const std::uint8_t* bytes = payload.data();
    std::size_t stored = plan_.codec->cpu.encode(content, payload, workspace.subspan(waiting_bytes), context);
    format::ChunkEntry entry;
    entry.mode = stored == registry::raw_chunk ? format::mode_raw : format::mode_coded;
    if (stored == registry::raw_chunk) {
      stored = content.size();
      if (streams) {
        bytes = content.data();
      } else {
        std::memcpy(payload.data(), content.data(), stored);
      }
    }
    const std::size_t padded = format::padded(stored);
    if (padded > stored) std::memset(payload.data() + stored, 0, padded - stored);
    entry.stored_bytes = static_cast<std::uint16_t>(stored);
    if (plan_.header.checksums) entry.checksum = plan_.codec->cpu.checksum(bytes, padded);
    if (streams) traffic.copy(bytes, place.data(), padded);
    table_.set_entry(chunk, entry);
    return padded;
  }

  const FramePlan& plan_;
  std::span<const std::uint8_t> coded_;
  std::uint64_t first_word_;
  std::span<std::uint8_t> segment_;
  const format::ChunkTable<std::uint8_t>& table_;
};

std::vector<Range> cut_into_ranges(std::uint64_t chunk_count, std::uint64_t head_bytes, std::uint32_t threads) {
  std::vector<Range> ranges(range_count(chunk_count, threads, smallest_range_chunks));
  const auto count = static_cast<std::uint32_t>(ranges.size());
  for (std::uint32_t r = 0; r < count; ++r) {
    ranges[r].first = range_begin(chunk_count, count, r);
    ranges[r].end = range_begin(chunk_count, count, r + 1);
    ranges[r].begin_offset = head_bytes + ranges[r].first * core::chunk_bytes;
  }
  return ranges;
}

/// Moves the ranges together; returns the bytes of all payloads.
std::uint64_t close_gaps(std::span<std::uint8_t> segment, std::uint64_t head_bytes, const std::vector<Range>& ranges) {
  std::uint64_t end = head_bytes;
  for (const Range& range : ranges) {
    if (end != range.begin_offset) std::memmove(segment.data() + end, segment.data() + range.begin_offset, range.bytes);
    end += range.bytes;
  }
  return end - head_bytes;
}

void set_group_offsets(const format::ChunkTable<std::uint8_t>& table) {
  std::uint64_t offset = 0;
  for (std::uint64_t chunk = 0; chunk < table.chunk_count(); ++chunk) {
    if (chunk % format::chunks_per_group == 0) table.set_group_offset(chunk / format::chunks_per_group, offset);
    offset += format::padded(table.entry(chunk).stored_bytes);
  }
}

}  // namespace

std::uint64_t segment_bound(std::uint64_t coded_bytes, bool checksums) {
  return format::segment_head_bytes(core::divide_up(coded_bytes, core::chunk_bytes), checksums) + format::padded(coded_bytes);
}

std::span<const std::uint8_t> SegmentEncoder::encode(std::span<const std::uint8_t> content, std::span<std::uint8_t> out) {
  std::span<const std::uint8_t> segment;
  if (plan_.codec->has_history) {
    const std::size_t words = content.size() / 8;
    const auto scratch = history_.reserve(3 * content.size());
    const std::span input(reinterpret_cast<std::uint64_t*>(scratch.data()), words);  // a copy: content may lie at any address
    const std::span output(reinterpret_cast<std::uint64_t*>(scratch.data()) + words, 2 * words);
    std::memcpy(input.data(), content.data(), content.size());
    plan_.codec->cpu_history.encode(input, output);
    segment = encode_chunks({reinterpret_cast<const std::uint8_t*>(output.data()), 2 * content.size()}, format::kind_history,
                            content.size(), out);
  }
  if (segment.empty() || segment.size() >= content.size()) segment = encode_chunks(content, format::kind_content, content.size(), out);

  const std::uint64_t chunk_count = core::load<std::uint32_t>(segment.data() + 32);
  const format::ChunkTable table(segment, chunk_count, plan_.header.checksums);
  for (std::uint64_t chunk = 0; chunk < chunk_count; ++chunk) digest_.add(table.entry(chunk));
  ++index_;
  first_word_ += content.size() / (plan_.codec->word_bits / 8);
  return segment;
}

std::span<const std::uint8_t> SegmentEncoder::encode_chunks(std::span<const std::uint8_t> coded, std::uint8_t kind,
                                                            std::uint64_t content_bytes, std::span<std::uint8_t> out) {
  const bool checksums = plan_.header.checksums;
  const std::uint64_t bound = segment_bound(coded.size(), checksums);
  const std::span<std::uint8_t> segment = out.size() >= bound ? out.first(bound) : segment_.reserve(bound);

  format::SegmentHead head;
  head.chunk_count = core::divide_up(coded.size(), core::chunk_bytes);
  head.head_bytes = format::segment_head_bytes(head.chunk_count, checksums);
  head.index = index_;
  head.content_bytes = content_bytes;
  head.kind = kind;
  head.header_crc = plan_.header_crc();

  const std::span<std::uint8_t> head_bytes = segment.first(head.head_bytes);
  const format::ChunkTable table(head_bytes, head.chunk_count, checksums);
  std::vector<Range> ranges = cut_into_ranges(head.chunk_count, head.head_bytes, threads_);
  const std::size_t workspace_bytes = waiting_bytes + format::padded(plan_.codec->cpu.workspace_bytes(core::chunk_bytes));
  const auto workspace = workspace_.reserve(workspace_bytes * ranges.size());
  const RangeEncoder encoder(plan_, coded, first_word_, segment, table);
  run_parallel(static_cast<std::uint32_t>(ranges.size()),
               [&](std::uint32_t r) { encoder.encode(ranges[r], workspace.subspan(r * workspace_bytes, workspace_bytes)); });

  head.payload_bytes = close_gaps(segment, head.head_bytes, ranges);
  set_group_offsets(table);
  format::finish_segment_head(head_bytes, head, table);
  return segment.first(head.head_bytes + head.payload_bytes);
}

}  // namespace floe::api
