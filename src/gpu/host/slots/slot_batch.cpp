#include "gpu/host/slots/slot_batch.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "chunks/leaf_decoder.hpp"
#include "core/bits.hpp"
#include "gpu/host/slots/leaf_frame.hpp"
#include "tree/plan.hpp"

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
        input.add((*first)->words, {at, words_bytes(kind)}, follows(**first));
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
    if (encoded_[i].bytes != 0) copies_[i] = output_.add(encoded_[i], given_[i]->encoded, i > 0);
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

namespace {

constexpr std::uint64_t stored_alignment = 16;  ///< Of stored streams in a slot's memory.
constexpr std::uint64_t max_frame_gap = 128;    ///< More does not stand between streams of an array's frame.

std::optional<chunks::Leaf> leaf_of(const StreamToDecode& stream) {
  if (stream.count == 0) return std::nullopt;
  return chunks::leaf_of_front(
      {reinterpret_cast<const std::uint8_t*>(stream.bytes.data()), stream.bytes.size()},
      size_of(stream.type));
}

/// Streams that can be segments of the same column.
auto column_kind(const StreamToDecode& stream) { return std::tuple(stream.type, stream.count); }

}  // namespace

std::uint64_t staging_bytes(const Slot& slot, std::span<const StreamToDecode> streams) {
  std::uint64_t bytes = 0;
  for (const StreamToDecode& stream : streams) {
    if (!is_direct(slot, stream.bytes.data(), stream.bytes.size())) bytes += stream.bytes.size();
    if (!is_direct(slot, stream.words, words_bytes(stream))) bytes += words_bytes(stream);
  }
  return bytes;
}

Result<bool> DecodeBatch::begin() {
  InputCopies input(slot_);
  task_.encodes = false;
  add_frames(input);
  add_columns(input);
  if (given_.empty()) return false;
  Status status = start(input);
  if (status.ok()) status = output_.fetch();
  if (!status.ok()) return status;
  return true;
}

void DecodeBatch::give(StreamToDecode& stream, Range words) {
  output_.add(words, stream.words, follows(stream));
  given_.push_back(&stream);
}

/// The bytes of a stream on the device, as far behind those of the one before as in the frame that they are
/// parts of.
Range DecodeBatch::range_of(const StreamToDecode& stream) const {
  std::uint64_t offset = core::align_up(task_.in_bytes, stored_alignment);
  if (follows(stream) && !task_.stored.empty()) {
    const auto distance = static_cast<std::uint64_t>(stream.bytes.data() - given_.back()->bytes.data()),
               other = task_.stored.back().offset + distance;
    if (distance % stored_alignment == 0 && other >= offset && other - offset < max_frame_gap) offset = other;
  }
  return {offset, stream.bytes.size()};
}

/// All streams that are the same codec as the first one.
void DecodeBatch::add_frames(InputCopies& input) {
  std::optional<chunks::Leaf> kind;
  for (StreamToDecode& stream : streams_) {
    const auto leaf = leaf_of(stream);
    if (!leaf) continue;
    if (!kind) {
      kind = leaf;
      tree_ = trees::text_of({{{trees::EncodingId::codec, {leaf->codec->id, leaf->dimensionality}}}});
      task_.frame_type = leaf_type(stream.type);
      task_.frame_options.tree = tree_;
      if (!slot_.supports(stream.type, stream.count, tree_)) return;
    }
    if (leaf->codec != kind->codec || leaf->dimensionality != kind->dimensionality) continue;
    around_.push_back(frame_around(stream));
    const std::uint64_t before = around_.back().before.size(), behind = around_.back().behind.size();
    const FrameTask frame{{task_.in_bytes, before + stream.bytes.size() + behind},
                          {task_.out_bytes, words_bytes(stream)}};
    task_.in_bytes = core::align_up(frame.in.end(), slot_alignment);
    task_.out_bytes = core::align_up(frame.out.end(), slot_alignment);
    task_.frames.push_back(frame);
    give(stream, frame.out);
  }
  for (std::size_t i = 0; i < around_.size(); ++i) {
    const auto& [before, behind] = around_[i];
    const std::uint64_t begin = task_.frames[i].in.offset, stored = given_[i]->bytes.size();
    input.add(before.data(), {begin, before.size()});
    input.add(given_[i]->bytes.data(), {begin + before.size(), stored});
    input.add(behind.data(), {begin + before.size() + stored, behind.size()});
  }
}

void DecodeBatch::add_columns(InputCopies& input) {
  std::vector<StreamToDecode*> others;
  for (StreamToDecode& stream : streams_) {
    if (stream.count != 0 && stream.count <= max_stream_words && !stream.bytes.empty() && !leaf_of(stream))
      others.push_back(&stream);
  }
  std::ranges::stable_sort(others, {}, [](const auto* stream) { return column_kind(*stream); });
  for (StreamToDecode* const stream : others) {
    const bool begins = task_.columns.empty() || task_.columns.back().type != stream->type ||
                        task_.columns.back().words != stream->count;
    if (begins) {
      task_.out_bytes = core::align_up(task_.out_bytes, slot_alignment);
      task_.columns.push_back({stream->type, {}, stream->count, 0, {}, {task_.out_bytes, 0}});
    }
    ColumnTask& column = task_.columns.back();
    ++column.streams;
    column.out.bytes += words_bytes(*stream);
    const bool extends = follows(*stream);
    task_.stored.push_back(range_of(*stream));
    input.add(stream->bytes.data(), task_.stored.back(), extends);
    task_.in_bytes = core::align_up(task_.stored.back().end(), stored_alignment);
    give(*stream, {task_.out_bytes, words_bytes(*stream)});
    task_.out_bytes += words_bytes(*stream);
  }
}

Status DecodeBatch::finish() {
  if (const Status status = output_.wait(); !status.ok()) return status;
  const auto results = slot_.wait_for_results();
  if (!results) return results.status();
  is_idle_ = true;
  for (std::size_t i = 0; i < given_.size(); ++i)
    given_[i]->is_decoded = (*results)[i].bytes == words_bytes(*given_[i]);
  output_.deliver(executor_, [&](std::size_t i) { return given_[i]->is_decoded; });
  return {};
}

}  // namespace floe::gpu
