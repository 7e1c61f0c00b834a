#include "gpu/host/slots/slot_batch.hpp"

#include <algorithm>
#include <tuple>

#include "core/bits.hpp"
#include "gpu/host/slots/leaf_frame.hpp"

namespace floe::gpu {
namespace {

/// Streams whose frames a device makes in one task.
auto frame_kind(const StreamToEncode& stream) {
  return std::tuple(size_of(stream.type), std::string_view(stream.tree), stream.checksum);
}
/// Streams that can be segments of the same column.
auto column_kind(const StreamToEncode& stream) {
  return std::tuple(stream.type, stream.count, std::string_view(stream.tree));
}

}  // namespace

Result<bool> EncodeBatch::begin() {
  InputCopies input(slot_);
  add_frames(input);
  add_columns(input);
  if (given_.empty()) return false;
  if (const Status status = start(input); !status.ok()) return status;
  return true;
}

/// All streams that are the same codec as the first one.
void EncodeBatch::add_frames(InputCopies& input) {
  std::uint64_t max_words = 0;
  for (StreamToEncode& stream : streams_) {
    if (stream.count == 0 || !is_codec(stream.tree)) continue;
    if (given_.empty() ? !slot_.supports(stream.type, stream.count, stream.tree)
                       : frame_kind(stream) != frame_kind(*given_[0]))
      continue;
    given_.push_back(&stream);
    max_words = std::max(max_words, stream.count);
    const FrameTask frame{{task_.in_bytes, words_bytes(stream)}, {task_.out_bytes, leaf_frame_bound(stream)}};
    task_.in_bytes = core::align_up(frame.in.end(), slot_alignment);
    task_.out_bytes = core::align_up(frame.out.end(), slot_alignment);
    task_.frames.push_back(frame);
    input.add(stream.words, frame.in);
  }
  if (given_.empty()) return;
  task_.frame_type = leaf_type(given_[0]->type);
  task_.frame_options = leaf_options(*given_[0], max_words);
}

void EncodeBatch::add_columns(InputCopies& input) {
  std::vector<StreamToEncode*> others;
  for (StreamToEncode& stream : streams_) {
    if (stream.count != 0 && !is_codec(stream.tree)) others.push_back(&stream);
  }
  std::ranges::stable_sort(others, {}, [](const auto* stream) { return column_kind(*stream); });
  for (auto first = others.begin(); first != others.end();) {
    const StreamToEncode& kind = **first;
    const auto end = std::find_if(
        first, others.end(), [&](const auto* stream) { return column_kind(*stream) != column_kind(kind); });
    if (slot_.supports(kind.type, kind.count, kind.tree)) {
      ColumnTask& column = task_.columns.emplace_back();
      column.type = kind.type;
      column.tree = kind.tree;
      column.words = kind.count;
      column.streams = static_cast<std::size_t>(end - first);
      column.in = {task_.in_bytes, column.streams * words_bytes(kind)};
      column.out = {task_.out_bytes, column.streams * (words_bytes(kind) + max_stream_overhead)};
      for (std::uint64_t at = column.in.offset; first != end; at += words_bytes(kind)) {
        input.add((*first)->words, {at, words_bytes(kind)});
        given_.push_back(*first++);
      }
      task_.in_bytes = core::align_up(column.in.end(), slot_alignment);
      task_.out_bytes = core::align_up(column.out.end(), slot_alignment);
    }
    first = end;
  }
}

Status EncodeBatch::wait_for_sizes() {
  const auto results = slot_.wait_for_results();
  if (!results) return results.status();
  encoded_.assign(results->begin(), results->end());
  const std::uint64_t around = bytes_before_leaf() + bytes_behind_leaf();
  for (std::size_t i = 0; i < given_.size(); ++i) {
    Range& encoded = encoded_[i];
    if (encoded.bytes != 0 && i < task_.frames.size()) {
      if (encoded.bytes <= around || encoded.bytes > task_.frames[i].out.bytes)
        return {ErrorCode::device_error, 0, "a device made a frame of an impossible length"};
      encoded = {encoded.offset + bytes_before_leaf(), encoded.bytes - around};
    }
    if (encoded.end() > task_.out_bytes || encoded.end() < encoded.offset)
      return {ErrorCode::device_error, 0, "a device made a stream of an impossible length"};
    given_[i]->encoded_bytes = encoded.bytes;
  }
  return {};
}

Status EncodeBatch::fetch() {
  copies_.resize(given_.size());
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (encoded_[i].bytes != 0) copies_[i] = output_.add(encoded_[i], given_[i]->encoded);
  }
  return output_.fetch();
}

Status EncodeBatch::finish() {
  if (const Status status = output_.wait(); !status.ok()) return status;
  is_idle_ = true;
  output_.deliver(executor_, [](std::size_t) { return true; });
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (encoded_[i].bytes != 0 && given_[i]->encoded == nullptr)
      given_[i]->encoded = static_cast<std::byte*>(output_.memory(copies_[i]));
  }
  return {};
}

}  // namespace floe::gpu
