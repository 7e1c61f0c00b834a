#include "pipeline/group_decoder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "chunks/leaf_decoder.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// Streams of so many bytes of words are decoded side by side by threads.
constexpr std::uint64_t usual_decoded_bytes = std::uint64_t{32} << 20;

std::optional<chunks::Leaf> leaf_of(const StoredStream& stream) {
  if (stream.entry.count == 0) return std::nullopt;
  return chunks::leaf_of_front(stream.bytes, size_of(stream.entry.type));
}

Result<chunks::CheckedLeaf> check_leaf(const StoredStream& stream, const chunks::Leaf& leaf, bool checksums) {
  const chunks::LeafStream of{leaf,
                              checksums,
                              stream.entry.words_bytes(),
                              stream.entry.stored_bytes,
                              stream.entry.digest,
                              stream.frame_offset};
  return chunks::check_leaf(of, stream.bytes);
}

Status decode_leaf(const StoredStream& stream, const chunks::Leaf& leaf, bool checksums,
                   core::Workers& workers, std::uint64_t written_bytes) {
  const auto checked = check_leaf(stream, leaf, checksums);
  if (!checked) return checked.status();
  const std::uint64_t word_bytes = size_of(stream.entry.type), first_byte = stream.slice.first * word_bytes;
  const std::span out(static_cast<std::uint8_t*>(stream.words),
                      static_cast<std::size_t>(stream.slice.count * word_bytes));
  const auto payloads = chunks::payloads_of(*checked, chunks::chunks_of(*checked, first_byte, out.size()));
  return chunks::LeafDecoder(workers, written_bytes)
      .decode(*checked, stream.bytes.subspan(payloads.first, payloads.end - payloads.first), first_byte, out);
}

/// Whether a stream that is no codec is intact.
Status check_tree_stream(const StoredStream& stream, bool checksums) {
  const auto padding = stream.bytes.subspan(stream.entry.stored_bytes);
  const bool is_zero =
      std::all_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte == 0; });
  if (is_zero && chunks::digest_of_bytes(stream.bytes.first(stream.entry.stored_bytes), checksums) ==
                     stream.entry.digest)
    return {};
  return {ErrorCode::corrupt_frame, stream.frame_offset,
          is_zero ? "a stream does not match its digest" : "padding is not zero"};
}

Status decode_tree(const StoredStream& stream, core::MemoryBudget& budget) {
  Status status = trees::decode_slice(stream.bytes.first(stream.entry.stored_bytes), stream.entry.type,
                                      stream.entry.count, stream.slice, stream.words, {}, &budget);
  if (!status.ok()) status.byte_offset += stream.frame_offset;
  return status;
}

/// Whether a device may have it: what its entry says of the stream is true.
Status check(const StoredStream& stream, bool checksums) {
  const auto leaf = leaf_of(stream);
  return leaf ? check_leaf(stream, *leaf, checksums).status() : check_tree_stream(stream, checksums);
}

/// `is_checked`: so far as check() does.
Status decode_stream(const StoredStream& stream, bool checksums, bool is_checked, core::MemoryBudget& budget,
                     core::Workers& workers, std::uint64_t written_bytes) {
  if (const auto leaf = leaf_of(stream)) return decode_leaf(stream, *leaf, checksums, workers, written_bytes);
  if (!is_checked) {
    if (const Status status = check_tree_stream(stream, checksums); !status.ok()) return status;
  }
  return stream.entry.count == 0 ? Status{} : decode_tree(stream, budget);
}

}  // namespace

GroupDecoder::GroupDecoder(bool checksums, const DecodeOptions& options, core::Workers& workers,
                           std::uint64_t written_bytes)
    : checksums_(checksums),
      options_(options),
      workers_(workers),
      executor_(
          [this](std::uint32_t count, const Task& task) { core::for_each_task(workers_, count, task); }),
      written_bytes_(written_bytes),
      group_bytes_(options.accelerator == nullptr ? usual_decoded_bytes : options.accelerator->batch_bytes()),
      groups_at_once_(options.accelerator == nullptr
                          ? 0
                          : std::max<std::size_t>(options.accelerator->batches_at_once(), 1)) {}

template <class Step>
Status GroupDecoder::run(const Step& step) {
  struct Stop {
    GroupDecoder& decoder;
    ~Stop() {
      if (decoder.failure_.ok()) return;
      decoder.groups_.clear();  // which waits for the accelerator: callers may free what it uses
      decoder.filling_ = {};
    }
  } const at_the_end{*this};
  if (!failure_.ok()) return failure_;
  failure_ = {ErrorCode::out_of_memory, 0, "no memory"};  // if it throws
  return failure_ = step();
}

/// Several segments at a time leave half of the limit to their trees.
bool GroupDecoder::is_room_for(std::uint64_t bytes) const {
  const std::uint64_t left = options_.memory_limit_bytes - reserved_bytes_;
  if (options_.accelerator != nullptr || filling_.segments.empty()) return bytes <= left;
  return bytes <= left - std::min(left, options_.memory_limit_bytes / 2);
}

Status GroupDecoder::reserve(std::uint64_t bytes) {
  return run([&]() -> Status {
    while (!is_room_for(bytes)) {
      if (filling_.segments.empty() && groups_.empty())
        return {ErrorCode::out_of_memory, 0, "decoding a segment needs more than memory_limit_bytes"};
      if (const Status status = groups_.empty() ? begin() : deliver_oldest(); !status.ok()) return status;
    }
    filling_.reserved_bytes += bytes;
    reserved_bytes_ += bytes;
    return {};
  });
}

Status GroupDecoder::add(std::vector<StoredStream> streams, Deliver deliver) {
  return run([&]() -> Status {
    filling_.segments.push_back({filling_.streams.size(), streams.size(), std::move(deliver)});
    for (StoredStream& stream : streams) {
      filling_.words_bytes += stream.entry.words_bytes();
      filling_.streams.push_back(std::move(stream));
    }
    return filling_.words_bytes >= group_bytes_ ? begin() : Status{};
  });
}

Status GroupDecoder::finish() {
  return run([&]() -> Status {
    if (!filling_.segments.empty()) {
      if (const Status status = begin(); !status.ok()) return status;
    }
    while (!groups_.empty()) {
      if (const Status status = deliver_oldest(); !status.ok()) return status;
    }
    return {};
  });
}

/// Begins with the group that was filled. The accelerator has it then, if there is one; otherwise it is
/// decoded and delivered.
Status GroupDecoder::begin() {
  while (!groups_.empty() && groups_.size() >= groups_at_once_) {
    if (const Status status = deliver_oldest(); !status.ok()) return status;
  }
  groups_.push_back(std::exchange(filling_, {}));
  return options_.accelerator == nullptr ? deliver_oldest() : accelerate(groups_.back());
}

/// Gives the accelerator what is intact, as far as can be seen without decoding it.
Status GroupDecoder::accelerate(Group& group) {
  core::for_each_task(workers_, static_cast<std::uint32_t>(group.streams.size()), [&](std::uint32_t i) {
    group.streams[i].status = check(group.streams[i], checksums_);
  });
  for (std::size_t i = 0; i < group.streams.size(); ++i) {
    const StoredStream& stream = group.streams[i];
    if (!stream.status.ok() || stream.entry.count == 0 || !stream.is_whole()) continue;
    const bool follows = stream.follows && i > 0 && !group.given.empty() && group.given_index.back() == i - 1;
    group.given.push_back({std::as_bytes(stream.bytes.first(stream.entry.stored_bytes)), stream.entry.type,
                           stream.entry.count, checksums_, stream.entry.digest, stream.words, false,
                           follows});
    group.given_index.push_back(i);
  }
  if (group.given.empty()) return {};
  const std::uint64_t needed = options_.accelerator->decoding_bytes(group.given);
  while (needed > options_.memory_limit_bytes - reserved_bytes_) {
    if (groups_.size() == 1) return {};  // threads need less memory
    if (const Status status = deliver_oldest(); !status.ok()) return status;
  }
  auto batch = options_.accelerator->decode(group.given, executor_);
  if (!batch) return batch.status();
  group.batch = std::move(*batch);
  if (group.batch == nullptr) return {};
  group.reserved_bytes += needed;
  reserved_bytes_ += needed;
  return {};
}

Status GroupDecoder::deliver_oldest() {
  Group& group = groups_.front();
  if (const Status status = decode(group); !status.ok()) return status;
  for (Segment& segment : group.segments) {
    const auto streams =
        std::span(std::as_const(group.streams)).subspan(segment.first_stream, segment.stream_count);
    for (const StoredStream& stream : streams) {
      if (!stream.status.ok()) return stream.status;
    }
    if (const Status status = segment.deliver(streams); !status.ok()) return status;
    segment.deliver = nullptr;  // and what it owns
  }
  reserved_bytes_ -= group.reserved_bytes;
  groups_.pop_front();
  return {};
}

/// Waits for what the accelerator does, and does the rest.
Status GroupDecoder::decode(Group& group) {
  std::vector<bool> is_done(group.streams.size());
  if (group.batch != nullptr) {
    if (const Status status = group.batch->finish(); !status.ok()) return status;
    group.batch.reset();
  }
  std::uint64_t words_bytes = 0, accelerated_bytes = 0;
  for (const StoredStream& stream : group.streams) words_bytes += stream.entry.words_bytes();
  for (std::size_t i = 0; i < group.given.size(); ++i) {
    is_done[group.given_index[i]] = group.given[i].is_decoded;
    if (group.given[i].is_decoded)
      accelerated_bytes += group.streams[group.given_index[i]].entry.words_bytes();
  }
  decode_by_threads(group, is_done);
  if (options_.accelerator_share != nullptr) {
    options_.accelerator_share->words_bytes += words_bytes;
    options_.accelerator_share->accelerated_bytes += accelerated_bytes;
  }
  return {};
}

/// Long streams of codecs one after the other, the others side by side as far as memory allows.
void GroupDecoder::decode_by_threads(Group& group, const std::vector<bool>& is_done) {
  const bool is_checked = options_.accelerator != nullptr;
  core::MemoryBudget budget(options_.memory_limit_bytes, reserved_bytes_);
  const auto decode = [&](StoredStream& stream, core::Workers& workers) {
    stream.status = decode_stream(stream, checksums_, is_checked, budget, workers, written_bytes_);
  };
  std::vector<StoredStream*> short_ones;
  for (std::size_t i = 0; i < group.streams.size(); ++i) {
    StoredStream& stream = group.streams[i];
    if (is_done[i] || !stream.status.ok()) continue;
    if (stream.entry.words_bytes() < long_stream_bytes || !leaf_of(stream)) {
      short_ones.push_back(&stream);
    } else {
      decode(stream, workers_);
    }
  }
  core::Workers this_thread(1, nullptr);
  core::for_each_task(workers_, static_cast<std::uint32_t>(short_ones.size()), [&](std::uint32_t i) {
    core::Workers task_thread(1, nullptr);
    decode(*short_ones[i], task_thread);
  });
  if (!budget.was_exceeded()) return;
  for (StoredStream* const stream : short_ones) {  // alone, a tree may take all that is left
    if (stream->status.code == ErrorCode::out_of_memory) decode(*stream, this_thread);
  }
}

}  // namespace floe::pipeline
