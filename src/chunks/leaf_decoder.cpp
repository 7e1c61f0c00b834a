#include "chunks/leaf_decoder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "chunks/streaming.hpp"
#include "core/memory_overlap.hpp"

namespace floe::chunks {
namespace {

constexpr std::uint64_t decoded_range_chunks = 16;  // what a thread takes at once
constexpr std::uint64_t distances_piece_bytes = std::uint64_t{1}
                                                << 20;  // a multiple of the chunk; fits a cache

/// Decodes chunks of a stream into the part of `out` that they overlap.
class RangeDecoder {
 public:
  RangeDecoder(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
               std::uint64_t first_payload_offset, std::uint64_t first_byte, std::span<std::uint8_t> out,
               std::uint64_t written_bytes)
      : leaf_(leaf),
        codec_(*leaf.stream.leaf.codec),
        context_(leaf.stream.leaf.context()),
        payloads_(payloads),
        first_payload_offset_(first_payload_offset),
        first_byte_(first_byte),
        out_(out),
        streams_(std::max<std::uint64_t>(out.size(), written_bytes) >= streaming_bytes) {}

  /// The workspace is that of the codec and waiting_bytes more.
  Status decode(ChunkRange range, std::span<std::uint8_t> workspace) const {
    std::uint64_t offset = leaf_.table.payload_offset(range.first);
    core::MemoryOverlap overlap;
    Status status;
    for (std::uint64_t chunk = range.first; chunk < range.end && status.ok(); ++chunk) {
      status = decode_chunk(chunk, offset, workspace, overlap);
      offset += padded(leaf_.table.entry(chunk).stored_bytes);
    }
    overlap.finish();
    return status;
  }

 private:
  Status decode_chunk(std::uint64_t chunk, std::uint64_t offset, std::span<std::uint8_t> workspace,
                      core::MemoryOverlap& overlap) const {
    const auto corrupt = [&](const char* detail) {
      return Status{ErrorCode::corrupt_frame, leaf_.stream.frame_offset + leaf_.payloads_offset + offset,
                    detail};
    };
    const core::BlockEntry entry = leaf_.table.entry(chunk);
    const auto padded_bytes = static_cast<std::size_t>(padded(entry.stored_bytes));
    const auto payload = payloads_.subspan(offset - first_payload_offset_, padded_bytes);
    // Decoders add up the payload on their way, which is safe because they are for any payload; what they
    // wrote counts if it was intact.
    const bool is_raw = entry.mode == mode_raw;
    if (leaf_.stream.checksums) overlap.checksum().start(payload.data(), padded_bytes);
    const auto check = [&] {
      if (leaf_.stream.checksums && codec_.cpu.finish_checksum(overlap.checksum()) != entry.checksum)
        return corrupt("a chunk's checksum does not match");
      if (std::any_of(payload.begin() + entry.stored_bytes, payload.end(),
                      [](std::uint8_t b) { return b != 0; }))
        return corrupt("a chunk's padding is not zero");
      return Status{};
    };
    if (is_raw) {
      if (const Status status = check(); !status.ok()) return status;
    }
    const auto next = payloads_.subspan(offset - first_payload_offset_ + padded_bytes);
    const bool is_decoded =
        decode_to_place(chunk, entry, payload.first(entry.stored_bytes), next, workspace, overlap);
    if (!is_raw) {
      if (const Status status = check(); !status.ok()) return status;
    }
    return is_decoded ? Status{} : corrupt("a chunk's payload contradicts the format");
  }

  /// Decodes a chunk to its position in `out`; false if its payload contradicts the format.
  bool decode_to_place(std::uint64_t chunk, const core::BlockEntry& entry,
                       std::span<const std::uint8_t> payload, std::span<const std::uint8_t> next,
                       std::span<std::uint8_t> workspace, core::MemoryOverlap& overlap) const {
    // The chunk's bytes go straight to the output if all of them are wanted there, unless they are to go past
    // the caches and the codec cannot do that by itself.
    const std::uint64_t begin = chunk * core::chunk_bytes, end = begin + leaf_.chunk_bytes(chunk);
    const std::uint64_t wanted_begin = std::max(begin, first_byte_),
                        wanted_end = std::min(end, first_byte_ + out_.size());
    const auto wanted = out_.subspan(wanted_begin - first_byte_, wanted_end - wanted_begin);
    const bool streams = streams_ && wanted.size() == core::chunk_bytes;
    if (streams && entry.mode == mode_raw) {
      overlap.copy(payload.data(), wanted.data(), wanted.size());
      overlap.expect(next);
      overlap.advance(core::chunk_bytes /
                      core::MemoryOverlap::line_bytes);  // at once: the checksum has it in the cache
      return true;
    }
    const bool straight =
        streams && codec_.cpu.decodes_past_caches && reinterpret_cast<std::uintptr_t>(wanted.data()) % 4 == 0;
    const bool whole = straight || (!streams && wanted.size() == end - begin);
    const auto target = whole ? wanted : workspace.subspan(chunk % 2 * core::chunk_bytes, end - begin);
    if (streams) overlap.expect(next);
    overlap.write_past_caches(straight);
    if (!decode_payload(payload, entry, target, workspace.subspan(waiting_bytes), overlap)) return false;
    if (streams && !straight) {
      overlap.copy(target.data(), wanted.data(), wanted.size());
    } else if (!whole) {
      std::memcpy(wanted.data(), target.data() + (wanted_begin - begin), wanted.size());
    }
    return true;
  }

  bool decode_payload(std::span<const std::uint8_t> payload, const core::BlockEntry& entry,
                      std::span<std::uint8_t> target, std::span<std::uint8_t> workspace,
                      core::MemoryOverlap& overlap) const {
    if (entry.mode == mode_raw) {
      std::memcpy(target.data(), payload.data(), payload.size());
      return true;
    }
    core::ChunkContext context = context_;
    context.bytes = target.size();
    context.overlap = &overlap;
    return codec_.cpu.decode(payload, target, workspace, context);
  }

  const CheckedLeaf& leaf_;
  const registry::CodecEntry& codec_;
  core::ChunkContext context_;
  std::span<const std::uint8_t> payloads_;
  std::uint64_t first_payload_offset_;
  std::uint64_t first_byte_;
  std::span<std::uint8_t> out_;
  bool streams_;
};

/// Ranges of chunks that threads take in their order. After a failure none is given away, and the first one
/// in the order of the chunks counts: which one that is does not depend on the threads, as all ranges before
/// it are decoded in any case.
class SharedRanges {
 public:
  explicit SharedRanges(ChunkRange all) : end_(all.end), next_(all.first) {}

  std::optional<ChunkRange> take() {
    if (failed_) return std::nullopt;
    const std::uint64_t first = next_.fetch_add(decoded_range_chunks);
    if (first >= end_) return std::nullopt;
    return ChunkRange{first, std::min(first + decoded_range_chunks, end_)};
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

bool is_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::optional<Leaf> leaf_of_front(std::span<const std::uint8_t> front, std::size_t word_bytes) {
  if (front.size() < front_bytes || front[0] != 1 || front[1] != 0 || front[2] != encoding_id ||
      front[3] == 0)
    return std::nullopt;
  const registry::CodecEntry* const codec = registry::find_codec(front[3]);
  const std::uint32_t dimensionality = front[4];
  if (codec != nullptr && (codec->word_bits != 8 * word_bytes || dimensionality < 1 ||
                           dimensionality > (codec->takes_dimensionality ? 32U : 1U)))
    return std::nullopt;
  return Leaf{codec, dimensionality};
}

std::uint64_t LeafStream::header_bytes(std::span<const std::uint8_t> front) const {
  const std::uint8_t kind = front[kind_at] == kind_history ? kind_history : kind_content;
  return front_bytes + table_bytes(chunk_count_of(content_bytes, kind), checksums);
}

namespace {

/// Checks the table of a leaf; its payloads take `payload_bytes` then. Null, or what is wrong.
const char* check_table(const CheckedLeaf& leaf, core::Digest& digest, std::uint64_t& payload_bytes) {
  payload_bytes = 0;
  for (std::uint64_t chunk = 0; chunk < leaf.chunk_count; ++chunk) {
    const core::BlockEntry entry = leaf.table.entry(chunk);
    digest.add(entry);
    const bool is_raw = entry.mode == mode_raw && entry.stored_bytes == leaf.chunk_bytes(chunk);
    const bool is_coded =
        entry.mode == mode_coded && entry.stored_bytes > 0 && entry.stored_bytes < leaf.chunk_bytes(chunk);
    if (!is_raw && !is_coded) return "a chunk's size or mode is impossible";
    if (chunk % chunks_per_group == 0 && leaf.table.group_offset(chunk / chunks_per_group) != payload_bytes)
      return "an offset of a chunk table does not follow from the sizes";
    payload_bytes += padded(entry.stored_bytes);
  }
  return nullptr;
}

bool is_kind(const Leaf& leaf, std::uint8_t kind) {
  return kind <= (leaf.codec == nullptr || leaf.codec->has_history ? kind_history : kind_content);
}

/// Checks all but the digest, to which it adds.
Result<CheckedLeaf> check_header(const LeafStream& stream, std::span<const std::uint8_t> header,
                                 core::Digest& digest) {
  const auto corrupt = [&](std::uint64_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, stream.frame_offset + offset, detail};
  };
  const std::uint8_t kind = header[kind_at];
  if (!is_kind(stream.leaf, kind) || !is_zero(header.subspan(kind_at + 1, front_bytes - kind_at - 1)))
    return corrupt(kind_at, "a chunked leaf is of a kind that does not exist");
  if (header.size() > stream.stored_bytes || header.size() != stream.header_bytes(header))
    return corrupt(0, "a stream is shorter than its chunk table");
  const std::uint64_t chunk_count = chunk_count_of(stream.content_bytes, kind);
  const CheckedLeaf leaf{
      stream, kind, chunk_count, header.size(), {header.subspan(front_bytes), chunk_count, stream.checksums}};
  digest.add(block_of(header.first(front_bytes), stream.checksums));
  std::uint64_t payload_bytes = 0;
  if (const char* const detail = check_table(leaf, digest, payload_bytes))
    return corrupt(front_bytes, detail);
  if (!is_zero(header.subspan(front_bytes + leaf.table.end())))
    return corrupt(front_bytes + leaf.table.end(), "padding is not zero");
  if (payload_bytes != stream.stored_bytes - header.size())
    return corrupt(front_bytes, "the chunks of a stream have another length than the stream");
  return leaf;
}

}  // namespace

Result<CheckedLeaf> check_leaf(const LeafStream& stream, std::span<const std::uint8_t> bytes) {
  core::Digest digest;
  auto leaf = check_header(
      stream, bytes.first(std::min<std::uint64_t>(stream.header_bytes(bytes), bytes.size())), digest);
  if (leaf && digest.value() != stream.digest)
    return Status{ErrorCode::corrupt_frame, stream.frame_offset, "a chunk table does not match its digest"};
  if (leaf && stream.leaf.codec == nullptr)
    return Status{ErrorCode::unsupported_version, stream.frame_offset,
                  "a stream has a codec that this version does not know"};
  return leaf;
}

std::optional<std::uint64_t> digest_of_leaf(const Leaf& leaf, std::uint64_t content_bytes, bool checksums,
                                            std::span<const std::uint8_t> stream) {
  const auto found = leaf_of_front(stream, leaf.codec->word_bits / 8);
  if (!found || found->codec != leaf.codec || found->dimensionality != leaf.dimensionality)
    return std::nullopt;
  const LeafStream of{leaf, checksums, content_bytes, stream.size()};
  const std::uint64_t header_bytes = of.header_bytes(stream);
  core::Digest digest;
  if (header_bytes > stream.size() || !check_header(of, stream.first(header_bytes), digest))
    return std::nullopt;
  return digest.value();
}

std::optional<CheckedLeaf> nested_leaf(const Leaf& leaf, std::uint64_t content_bytes, std::uint8_t kind,
                                       std::span<const std::uint8_t> bytes) {
  if (!is_kind(leaf, kind)) return std::nullopt;
  const std::uint64_t chunk_count = chunk_count_of(content_bytes, kind);
  const std::uint64_t payloads_offset = table_bytes(chunk_count, false);
  if (payloads_offset > bytes.size()) return std::nullopt;
  const auto table = bytes.first(payloads_offset);
  CheckedLeaf checked{
      {leaf, false, content_bytes}, kind, chunk_count, payloads_offset, {table, chunk_count, false}};
  core::Digest unused;
  std::uint64_t payload_bytes = 0;
  if (check_table(checked, unused, payload_bytes) != nullptr || !is_zero(table.subspan(checked.table.end())))
    return std::nullopt;
  if (payload_bytes > bytes.size() - payloads_offset) return std::nullopt;
  checked.stream.stored_bytes = payloads_offset + payload_bytes;
  return checked;
}

ChunkRange chunks_of(const CheckedLeaf& leaf, std::uint64_t first_byte, std::uint64_t byte_count) {
  if (leaf.kind == kind_history) return {0, leaf.chunk_count};
  return {first_byte / core::chunk_bytes, core::divide_up(first_byte + byte_count, core::chunk_bytes)};
}

ChunkRange payloads_of(const CheckedLeaf& leaf, const ChunkRange& chunks) {
  const std::uint64_t end = chunks.end == leaf.chunk_count
                                ? leaf.stream.stored_bytes
                                : leaf.payloads_offset + leaf.table.payload_offset(chunks.end);
  return {leaf.payloads_offset + leaf.table.payload_offset(chunks.first), end};
}

std::uint64_t decoding_bytes(const CheckedLeaf& leaf) {
  const std::uint64_t bytes = leaf.stream.content_bytes;
  return leaf.kind == kind_history ? bytes + std::min(bytes, distances_piece_bytes) : 0;
}

Status LeafDecoder::decode(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
                           std::uint64_t first_byte, std::span<std::uint8_t> out) {
  if (leaf.kind == kind_history) return decode_history(leaf, payloads, first_byte, out);
  return decode_chunks(leaf, payloads, first_byte, out);
}

Status LeafDecoder::decode_chunks(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
                                  std::uint64_t first_byte, std::span<std::uint8_t> out) {
  if (out.empty()) return {};
  const std::uint64_t first = first_byte / core::chunk_bytes;
  const std::uint64_t chunk_count = core::divide_up(first_byte + out.size(), core::chunk_bytes) - first;
  const RangeDecoder decoder(leaf, payloads, leaf.table.payload_offset(first), first_byte, out,
                             written_bytes_);

  const registry::CodecEntry& codec = *leaf.stream.leaf.codec;
  const std::uint32_t tasks =
      workers_.task_count((codec.has_history ? core::bytes_like_one_with_history : 1) * out.size());
  const std::size_t workspace_bytes = waiting_bytes + padded(codec.cpu.workspace_bytes(core::chunk_bytes));
  const auto workspace = workspace_.reserve(workspace_bytes * tasks);
  if (tasks == 1) return decoder.decode({first, first + chunk_count}, workspace);
  SharedRanges ranges({first, first + chunk_count});
  workers_.run(tasks, [&](std::uint32_t task) {
    const auto own = workspace.subspan(task * workspace_bytes, workspace_bytes);
    for (auto range = ranges.take(); range; range = ranges.take())
      ranges.report(range->first, decoder.decode(*range, own));
  });
  return ranges.first_failure();
}

Status LeafDecoder::decode_history(const CheckedLeaf& leaf, std::span<const std::uint8_t> payloads,
                                   std::uint64_t first_byte, std::span<std::uint8_t> out) {
  const std::uint64_t content_bytes = leaf.stream.content_bytes;
  const bool whole = out.size() == content_bytes;
  const auto words = whole ? out : history_.reserve(content_bytes);
  if (const Status status = decode_chunks(leaf, payloads, 0, words); !status.ok()) return status;

  // The values are where the words belong. Distances are decoded some chunks at a time, and resolved while
  // they are in the cache.
  const auto distances = distances_.reserve(std::min(content_bytes, distances_piece_bytes));
  for (std::uint64_t begin = content_bytes; begin < 2 * content_bytes;) {
    const std::uint64_t end =
        std::min((begin / core::chunk_bytes) * core::chunk_bytes + distances_piece_bytes, 2 * content_bytes);
    const auto piece = distances.first(end - begin);
    const auto from_first = payloads.subspan(leaf.table.payload_offset(begin / core::chunk_bytes));
    if (const Status status = decode_chunks(leaf, from_first, begin, piece); !status.ok()) return status;
    const std::span piece_distances(reinterpret_cast<const std::uint64_t*>(piece.data()), piece.size() / 8);
    if (!leaf.stream.leaf.codec->segment_history.resolve_matches(words, (begin - content_bytes) / 8,
                                                                 piece_distances))
      return {ErrorCode::corrupt_frame, leaf.stream.frame_offset,
              "a match of a segment leads before its first word"};
    begin = end;
  }
  if (!whole) std::memcpy(out.data(), words.data() + first_byte, out.size());
  return {};
}

}  // namespace floe::chunks
