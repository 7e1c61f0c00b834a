#include "chunks/segment_decoder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "chunks/streaming.hpp"
#include "core/memory_traffic.hpp"

namespace floe::api {
namespace {

constexpr std::uint64_t range_chunks = 16;  // what a thread takes at once
constexpr std::uint64_t smallest_good_piece_bytes = std::uint64_t{4} << 20;

constexpr std::uint64_t distances_piece_bytes = std::uint64_t{1} << 20;  // a multiple of the chunk; fits a cache

/// What undoing the stage over a segment may need: its words, if not all of them are wanted, and some distances.
std::uint64_t history_bytes(const format::SegmentHead& head) {
  return head.kind == format::kind_history ? head.content_bytes + std::min(head.content_bytes, distances_piece_bytes) : 0;
}

/// Decodes chunks of a segment into the part of `out` that they overlap.
class RangeDecoder {
 public:
  RangeDecoder(const FramePlan& plan, const CheckedSegment& segment, std::span<const std::uint8_t> payloads,
               std::uint64_t first_payload_offset, std::uint64_t first_byte, std::span<std::uint8_t> out)
      : plan_(plan),
        segment_(segment),
        table_(format::table_of(segment.head_bytes, segment.head, plan.header.checksums)),
        payloads_(payloads),
        first_payload_offset_(first_payload_offset),
        first_byte_(first_byte),
        out_(out) {}

  /// The workspace is that of the codec and waiting_bytes more.
  Status decode(ChunkRange range, std::span<std::uint8_t> workspace) const {
    std::uint64_t offset = table_.payload_offset(range.first);
    core::MemoryTraffic traffic;
    Status status;
    for (std::uint64_t chunk = range.first; chunk < range.end && status.ok(); ++chunk) {
      status = decode_chunk(chunk, offset, workspace, traffic);
      offset += format::padded(table_.entry(chunk).stored_bytes);
    }
    traffic.finish();
    return status;
  }

 private:
  Status decode_chunk(std::uint64_t chunk, std::uint64_t offset, std::span<std::uint8_t> workspace, core::MemoryTraffic& traffic) const {
    const auto corrupt = [&](const char* detail) {
      return Status{ErrorCode::corrupt_frame, segment_.frame_offset + segment_.head.head_bytes + offset, detail};
    };
    const format::ChunkEntry entry = table_.entry(chunk);
    const std::size_t padded = format::padded(entry.stored_bytes);
    const auto payload = payloads_.subspan(offset - first_payload_offset_, padded);
    // Decoders add up the payload on their way, which is safe because they are for any payload; what they wrote counts if it was intact.
    const bool is_raw = entry.mode == format::mode_raw;
    if (plan_.header.checksums) traffic.checksum().start(payload.data(), padded);
    const auto check = [&] {
      if (plan_.header.checksums && plan_.codec->cpu.finish_checksum(traffic.checksum()) != entry.checksum)
        return corrupt("a chunk's checksum does not match");
      if (std::any_of(payload.begin() + entry.stored_bytes, payload.end(), [](std::uint8_t b) { return b != 0; }))
        return corrupt("a chunk's padding is not zero");
      return Status{};
    };
    if (is_raw) {
      if (const Status status = check(); !status.ok()) return status;
    }
    const auto next = payloads_.subspan(offset - first_payload_offset_ + padded);
    const bool is_decoded = decode_to_place(chunk, entry, payload.first(entry.stored_bytes), next, workspace, traffic);
    if (!is_raw) {
      if (const Status status = check(); !status.ok()) return status;
    }
    return is_decoded ? Status{} : corrupt("a chunk's payload contradicts the format");
  }

  /// Decodes a chunk to its place in `out`; false if its payload contradicts the format.
  bool decode_to_place(std::uint64_t chunk, const format::ChunkEntry& entry, std::span<const std::uint8_t> payload,
                       std::span<const std::uint8_t> next, std::span<std::uint8_t> workspace, core::MemoryTraffic& traffic) const {
    // The chunk's bytes go straight to the output if all of them are wanted there, unless they are to go past the caches and
    // the codec cannot do that by itself.
    const std::uint64_t begin = chunk * core::chunk_bytes, end = begin + segment_.head.chunk_bytes(chunk);
    const std::uint64_t wanted_begin = std::max(begin, first_byte_), wanted_end = std::min(end, first_byte_ + out_.size());
    const auto wanted = out_.subspan(wanted_begin - first_byte_, wanted_end - wanted_begin);
    const bool streams = out_.size() >= streaming_bytes && wanted.size() == core::chunk_bytes;
    if (streams && entry.mode == format::mode_raw) {
      traffic.copy(payload.data(), wanted.data(), wanted.size());
      traffic.expect(next);
      traffic.advance(core::chunk_bytes / core::MemoryTraffic::line_bytes);  // at once: the checksum has it in the cache
      return true;
    }
    const bool straight = streams && plan_.codec->cpu.decodes_past_caches && reinterpret_cast<std::uintptr_t>(wanted.data()) % 4 == 0;
    const bool whole = straight || (!streams && wanted.size() == end - begin);
    const auto target = whole ? wanted : workspace.subspan(chunk % 2 * core::chunk_bytes, end - begin);
    if (streams) traffic.expect(next);
    traffic.write_past_caches(straight);
    if (!decode_payload(chunk, payload, entry, target, workspace.subspan(waiting_bytes), traffic)) return false;
    if (streams && !straight) {
      traffic.copy(target.data(), wanted.data(), wanted.size());
    } else if (!whole) {
      std::memcpy(wanted.data(), target.data() + (wanted_begin - begin), wanted.size());
    }
    return true;
  }

  bool decode_payload(std::uint64_t chunk, std::span<const std::uint8_t> payload, const format::ChunkEntry& entry,
                      std::span<std::uint8_t> target, std::span<std::uint8_t> workspace, core::MemoryTraffic& traffic) const {
    if (entry.mode == format::mode_raw) {
      std::memcpy(target.data(), payload.data(), payload.size());
      return true;
    }
    core::ChunkContext context = plan_.context;
    context.bytes = target.size();
    context.traffic = &traffic;
    const std::size_t word_bytes = plan_.codec->word_bits / 8;
    context.first_word = (segment_.head.index * plan_.header.segment_bytes() + chunk * core::chunk_bytes) / word_bytes;
    return plan_.codec->cpu.decode(payload, target, workspace, context);
  }

  const FramePlan& plan_;
  const CheckedSegment& segment_;
  format::ChunkTable<const std::uint8_t> table_;
  std::span<const std::uint8_t> payloads_;
  std::uint64_t first_payload_offset_;
  std::uint64_t first_byte_;
  std::span<std::uint8_t> out_;
};

/// Ranges of chunks that threads take in their order. After a failure none is given away, and the first one in the order of the chunks
/// counts: which one that is does not depend on the threads, as all ranges before it are decoded in any case.
class SharedRanges {
 public:
  explicit SharedRanges(ChunkRange all) : end_(all.end), next_(all.first) {}

  std::optional<ChunkRange> take() {
    if (failed_) return std::nullopt;
    const std::uint64_t first = next_.fetch_add(range_chunks);
    if (first >= end_) return std::nullopt;
    return ChunkRange{first, std::min(first + range_chunks, end_)};
  }
  void report(std::uint64_t first_chunk, const Status& status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (!failed_ || first_chunk < failed_chunk_) {
      failed_chunk_ = first_chunk;
      failure_ = status;
    }
    failed_ = true;
  }
  [[nodiscard]] const Status& first_failure() const { return failure_; }

 private:
  const std::uint64_t end_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::uint64_t failed_chunk_ = 0;
  Status failure_;
};

}  // namespace

ChunkRange chunks_of(const format::SegmentHead& head, std::uint64_t first_byte, std::uint64_t byte_count) {
  if (head.kind == format::kind_history) return {0, head.chunk_count};
  return {first_byte / core::chunk_bytes, core::divide_up(first_byte + byte_count, core::chunk_bytes)};
}

Status SegmentDecoder::decode(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                              std::span<std::uint8_t> out) {
  if (segment.head.kind == format::kind_history) return decode_history(segment, payloads, first_byte, out);
  return decode_chunks(segment, payloads, first_byte, out);
}

std::uint64_t SegmentDecoder::good_piece_bytes() {
  return std::max(smallest_good_piece_bytes, workers_.most_tasks() * (std::uint64_t{1} << 20));
}

Status SegmentDecoder::decode_chunks(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                                     std::span<std::uint8_t> out) {
  if (out.empty()) return {};
  const std::uint64_t first = first_byte / core::chunk_bytes;
  const std::uint64_t chunk_count = core::divide_up(first_byte + out.size(), core::chunk_bytes) - first;
  const auto table = format::table_of(segment.head_bytes, segment.head, plan_.header.checksums);
  const RangeDecoder decoder(plan_, segment, payloads, table.payload_offset(first), first_byte, out);

  const std::uint32_t tasks = workers_.task_count((plan_.codec->has_history ? bytes_like_one_with_history : 1) * out.size());
  const std::size_t workspace_bytes = waiting_bytes + format::padded(plan_.codec->cpu.workspace_bytes(core::chunk_bytes));
  const auto workspace = workspace_.reserve(workspace_bytes * tasks);
  if (tasks == 1) return decoder.decode({first, first + chunk_count}, workspace);
  SharedRanges ranges({first, first + chunk_count});
  workers_.run(tasks, [&](std::uint32_t task) {
    const auto own = workspace.subspan(task * workspace_bytes, workspace_bytes);
    for (auto range = ranges.take(); range; range = ranges.take()) ranges.report(range->first, decoder.decode(*range, own));
  });
  return ranges.first_failure();
}

Status SegmentDecoder::decode_history(const CheckedSegment& segment, std::span<const std::uint8_t> payloads, std::uint64_t first_byte,
                                      std::span<std::uint8_t> out) {
  const std::uint64_t content_bytes = segment.head.content_bytes;
  const bool whole = out.size() == content_bytes;
  const auto words = whole ? out : history_.reserve(content_bytes);
  if (const Status status = decode_chunks(segment, payloads, 0, words); !status.ok()) return status;

  // The values are where the words belong. Distances are decoded some chunks at a time, and resolved while they are in the cache.
  const auto table = format::table_of(segment.head_bytes, segment.head, plan_.header.checksums);
  const auto distances = distances_.reserve(std::min(content_bytes, distances_piece_bytes));
  for (std::uint64_t begin = content_bytes; begin < 2 * content_bytes;) {
    const std::uint64_t end = std::min((begin / core::chunk_bytes) * core::chunk_bytes + distances_piece_bytes, 2 * content_bytes);
    const auto piece = distances.first(end - begin);
    const auto from_first = payloads.subspan(table.payload_offset(begin / core::chunk_bytes) - table.payload_offset(0));
    if (const Status status = decode_chunks(segment, from_first, begin, piece); !status.ok()) return status;
    const std::span piece_distances(reinterpret_cast<const std::uint64_t*>(piece.data()), piece.size() / 8);
    if (!plan_.codec->segment_history.resolve_matches(words, (begin - content_bytes) / 8, piece_distances))
      return {ErrorCode::corrupt_frame, segment.frame_offset, "a match of a segment leads before its first word"};
    begin = end;
  }
  if (!whole) std::memcpy(out.data(), words.data() + first_byte, out.size());
  return {};
}

Status check_memory(const format::SegmentHead& head, std::uint64_t caller_bytes, const DecodeOptions& options) {
  if (caller_bytes + history_bytes(head) <= options.memory_limit_bytes) return {};
  return {ErrorCode::out_of_memory, 0, "decoding a segment needs more than memory_limit_bytes"};
}

void add_to_digest(format::Digest& digest, const CheckedSegment& segment, bool checksums) {
  if (!checksums) return;
  const auto table = format::table_of(segment.head_bytes, segment.head, checksums);
  for (std::uint64_t chunk = 0; chunk < segment.head.chunk_count; ++chunk) digest.add(table.entry(chunk));
}

}  // namespace floe::api
