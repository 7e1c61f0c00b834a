#include "pipeline/frame_readers.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "pipeline/group_decoder.hpp"

namespace floe::pipeline {
namespace {

using container::FrameIndex;

/// One call of decode_slice.
class SliceDecoder {
 public:
  SliceDecoder(const container::ByteSource& source, const FrameIndex& index, std::span<std::uint8_t> out,
               Slice slice, const DecodeOptions& options)
      : source_(source),
        index_(index),
        out_(out),
        slice_(slice),
        options_(options),
        workers_(options.threads, options.executor),
        leaves_(workers_, out.size()),
        groups_(index.header.checksums, options_, workers_, out.size()) {}

  Status decode() {
    const std::uint64_t end = slice_.first + slice_.count;
    for (std::uint64_t segment = index_.segment_of(slice_.first);
         segment < index_.segment_count() && index_.begin_of(segment).first < end; ++segment) {
      if (const Status status = take(segment); !status.ok()) {
        const Status before = groups_.finish();  // an earlier segment may be damaged, too
        return before.ok() ? status : before;
      }
    }
    if (const Status status = groups_.finish(); !status.ok()) return status;
    const bool is_whole = slice_.count == index_.info.element_count;
    if (is_whole && digest_.value() != index_.footer.digest)
      return {ErrorCode::corrupt_frame, index_.footer_offset + container::footer_at::digest,
              "the frame's digest does not match its streams"};
    return {};
  }

 private:
  /// What a segment needs while it is decoded.
  struct Memory {
    core::Buffer bytes;  ///< Of a source that copies.
    core::Buffer words;  ///< If it is not decoded at its position.
  };

  Status take(std::uint64_t number) {
    const auto open = container::open_segment(source_, index_, number, header_scratch_);
    if (!open) return open.status();
    const container::StreamEntry& entry = open->header.columns[0].streams[0];
    digest_.add(entry.digest);
    const std::size_t word_bytes = size_of(entry.type);
    const std::uint64_t first = std::max(slice_.first, open->header.first);
    const std::uint64_t last = std::min(slice_.first + slice_.count, open->header.first + open->header.count);
    const auto wanted = out_.subspan((first - slice_.first) * word_bytes, (last - first) * word_bytes);
    const std::uint64_t skipped = (first - open->header.first) * word_bytes;

    const auto front = source_.bytes(
        open->payload_offset,
        std::min<std::uint64_t>(chunks::front_bytes, chunks::padded(entry.stored_bytes)), front_scratch_);
    if (!front) return front.status();
    const auto leaf = chunks::leaf_of_front(*front, word_bytes);
    const bool is_whole = wanted.size() == entry.words_bytes();
    const bool is_behind = std::exchange(is_before_in_memory_, false);
    const bool is_shared = options_.accelerator != nullptr ||
                           (wanted.size() < long_stream_bytes && workers_.task_count(out_.size()) > 1);
    if (leaf && !(is_whole && is_shared))
      return decode_leaf(*leaf, *front, entry, open->payload_offset, skipped, wanted);

    const bool in_place = leaf || reinterpret_cast<std::uintptr_t>(wanted.data()) % word_bytes == 0;
    const std::uint64_t stored = chunks::padded(entry.stored_bytes);
    const Status reserved = groups_.reserve((source_.copies() ? stored : 0) + (in_place ? 0 : wanted.size()));
    if (!reserved.ok()) return reserved;
    const auto memory = std::make_shared<Memory>();
    const auto bytes = source_.bytes(open->payload_offset, stored, memory->bytes);
    if (!bytes) return bytes.status();
    std::uint8_t* const words = in_place ? wanted.data() : memory->words.reserve(wanted.size()).data();
    is_before_in_memory_ = in_place && !source_.copies();
    const bool follows = is_behind && is_before_in_memory_;
    return groups_.add(
        {{entry, *bytes, open->payload_offset, words, {}, {skipped / word_bytes, last - first}, follows}},
        [memory, words, wanted](std::span<const StoredStream>) -> Status {
          if (words != wanted.data()) std::memcpy(wanted.data(), words, wanted.size());
          return {};
        });
  }

  Status decode_leaf(const chunks::Leaf& leaf, std::span<const std::uint8_t> front,
                     const container::StreamEntry& entry, std::uint64_t offset, std::uint64_t skipped,
                     std::span<std::uint8_t> wanted) {
    const chunks::LeafStream stream{
        leaf, index_.header.checksums, entry.words_bytes(), entry.stored_bytes, entry.digest, offset};
    const std::uint64_t header_bytes = stream.header_bytes(front);
    if (header_bytes > entry.stored_bytes)
      return {ErrorCode::corrupt_frame, offset, "a stream is shorter than its chunk table"};
    const auto header = source_.bytes(offset, header_bytes, table_scratch_);
    if (!header) return header.status();
    const auto checked = chunks::check_leaf(stream, *header);
    if (!checked) return checked.status();
    const auto payloads = chunks::payloads_of(*checked, chunks::chunks_of(*checked, skipped, wanted.size()));
    const std::uint64_t copied = source_.copies() ? header_bytes + payloads.end - payloads.first : 0;
    if (copied + chunks::decoding_bytes(*checked) > options_.memory_limit_bytes) return too_large();
    const auto bytes =
        source_.bytes(offset + payloads.first, payloads.end - payloads.first, payload_scratch_);
    if (!bytes) return bytes.status();
    if (options_.accelerator_share != nullptr) options_.accelerator_share->words_bytes += wanted.size();
    return leaves_.decode(*checked, *bytes, skipped, wanted);
  }

  static Status too_large() {
    return {ErrorCode::out_of_memory, 0, "decoding a segment needs more than memory_limit_bytes"};
  }

  const container::ByteSource& source_;
  const FrameIndex& index_;
  std::span<std::uint8_t> out_;
  Slice slice_;
  const DecodeOptions& options_;
  core::Workers workers_;
  chunks::LeafDecoder leaves_;
  core::Digest digest_;
  core::Buffer header_scratch_, front_scratch_, table_scratch_, payload_scratch_;
  /// The last segment comes from the source's memory and goes to its position.
  bool is_before_in_memory_ = false;
  GroupDecoder groups_;
};

}  // namespace

Status decode_slice(const container::ByteSource& source, const FrameIndex& index, std::span<std::uint8_t> out,
                    Slice slice, const DecodeOptions& options) {
  if (index.info.content != Content::array)
    return {ErrorCode::invalid_argument, 0, "the frame holds a table, not an array"};
  if (slice.first > index.info.element_count || slice.count > index.info.element_count - slice.first)
    return {ErrorCode::invalid_argument, 0, "the slice reaches beyond the array"};
  if (out.size() != slice.count * size_of(index.info.dtype))
    return {ErrorCode::invalid_argument, 0, "the output's size is not that of the slice"};
  if (slice.count == 0) return {};
  return SliceDecoder(source, index, out, slice, options).decode();
}

}  // namespace floe::pipeline
