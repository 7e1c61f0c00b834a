#include "gpu/host/slots/slot_batch.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "chunks/leaf_decoder.hpp"
#include "core/bits.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {
namespace {

constexpr std::uint64_t stored_alignment = 16;  ///< Of stored streams in a slot's memory.

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
  given_.push_back(&stream);
  output_.add(words, stream.words);
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
    task_.stored.push_back({task_.in_bytes, stream->bytes.size()});
    input.add(stream->bytes.data(), task_.stored.back());
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
