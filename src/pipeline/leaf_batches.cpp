#include "pipeline/leaf_batches.hpp"

#include <algorithm>
#include <utility>

#include "chunks/leaf_decoder.hpp"
#include "core/workers.hpp"
#include "tree/plan.hpp"

namespace floe::pipeline {

LeafBatches::LeafBatches(const ArrayPlan& plan, const Options& options, core::Workers& workers,
                         container::FrameWriter& frame, Encode encode, Write write)
    : plan_(plan),
      options_(options),
      frame_(frame),
      executor_(
          [&workers](std::uint32_t count, const Task& task) { core::for_each_task(workers, count, task); }),
      encode_(std::move(encode)),
      write_(std::move(write)),
      batch_bytes_(std::max<std::uint64_t>(options.accelerator->batch_bytes() / plan.segment_bytes, 1) *
                   plan.segment_bytes) {}

Status LeafBatches::add_whole(std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    const auto part = content.first(std::min<std::uint64_t>(batch_bytes_, content.size()));
    if (unused_.empty()) unused_.emplace_back();
    if (const Status status = begin(part); !status.ok()) return status;
    content = content.subspan(part.size());
  }
  return {};
}

Status LeafBatches::add(std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    if (unused_.empty()) unused_.emplace_back();
    const auto memory = unused_.front().memory.reserve(batch_bytes_);
    const auto part = content.first(std::min<std::uint64_t>(batch_bytes_ - filled_bytes_, content.size()));
    const core::HostCopy copy{memory.data() + filled_bytes_, part.data(), part.size()};
    core::run_copies({&copy, 1}, executor_);
    filled_bytes_ += part.size();
    content = content.subspan(part.size());
    if (filled_bytes_ < batch_bytes_) continue;
    filled_bytes_ = 0;
    if (const Status status = begin(memory); !status.ok()) return status;
  }
  return {};
}

Status LeafBatches::finish() {
  if (filled_bytes_ != 0) {
    const auto rest = unused_.front().memory.reserve(batch_bytes_).first(std::exchange(filled_bytes_, 0));
    if (const Status status = begin(rest); !status.ok()) return status;
  }
  while (!batches_.empty()) {
    if (const Status status = write_oldest(); !status.ok()) return status;
  }
  return {};
}

/// Begins with the content of the first unused batch. Sizes of a batch are waited for when half as many came
/// after it as the accelerator takes: earlier it might have nothing to do meanwhile, later the copies of what
/// it made begin late.
Status LeafBatches::begin(std::span<const std::uint8_t> content) {
  const std::size_t at_once = std::max<std::size_t>(options_.accelerator->batches_at_once(), 1);
  while (batches_.size() >= at_once) {
    if (const Status status = write_oldest(); !status.ok()) return status;
  }
  batches_.splice(batches_.end(), unused_, unused_.begin());
  Batch& batch = batches_.back();
  batch.is_placed = false;
  batch.streams.clear();
  for (std::uint64_t at = 0; at < content.size(); at += plan_.segment_bytes) {
    const auto segment =
        content.subspan(at, std::min<std::uint64_t>(plan_.segment_bytes, content.size() - at));
    batch.streams.push_back({segment.data(), plan_.header.dtype, segment.size() / plan_.word_bytes(),
                             std::string(options_.tree), plan_.header.checksums});
  }
  auto work = options_.accelerator->encode(batch.streams, executor_);
  if (!work) return work.status();
  batch.work = std::move(*work);

  std::size_t unplaced = 0;
  for (const Batch& each : batches_) unplaced += each.is_placed ? 0 : 1;
  if (unplaced <= at_once / 2) return {};
  const auto oldest =
      std::find_if(batches_.begin(), batches_.end(), [](const Batch& each) { return !each.is_placed; });
  return place(*oldest);
}

std::span<const std::uint8_t> LeafBatches::content_of(const StreamToEncode& stream) const {
  return {static_cast<const std::uint8_t*>(stream.words), stream.count * plan_.word_bytes()};
}

/// Says where the streams belong, as all before them have their positions, and lets them be copied there.
/// Batches before it are placed.
Status LeafBatches::place(Batch& batch) {
  if (batch.work != nullptr) {
    if (const Status status = batch.work->wait_for_sizes(); !status.ok()) return status;
  }
  batch.is_placed = true;
  const bool is_encoded =
      batch.work != nullptr && std::all_of(batch.streams.begin(), batch.streams.end(),
                                           [](const auto& stream) { return stream.encoded_bytes != 0; });
  if (!is_encoded) {  // threads do it, and must know where: behind what is written
    batch.work.reset();
    while (&batches_.front() != &batch) {
      if (const Status status = write_oldest(); !status.ok()) return status;
    }
    for (const StreamToEncode& stream : std::exchange(batch.streams, {})) {
      if (const Status status = encode_(content_of(stream)); !status.ok()) return status;
    }
    return {};
  }
  const auto room = frame_.room();
  for (StreamToEncode& stream : batch.streams) {
    const std::uint64_t begin = placed_bytes_ + container::array_segment_header_bytes;
    placed_bytes_ = begin + stream.encoded_bytes;
    if (placed_bytes_ <= room.size()) stream.encoded = reinterpret_cast<std::byte*>(room.data()) + begin;
  }
  return batch.work->fetch();
}

Status LeafBatches::write_oldest() {
  Batch& batch = batches_.front();
  if (!batch.is_placed) {
    if (const Status status = place(batch); !status.ok()) return status;
  }
  if (batch.work != nullptr) {
    if (const Status status = batch.work->finish(); !status.ok()) return status;
  }
  for (const StreamToEncode& stream : batch.streams) {
    if (const Status status = write(stream); !status.ok()) return status;
  }
  batch.work.reset();
  unused_.splice(unused_.end(), batches_, batches_.begin());
  return {};
}

Status LeafBatches::write(const StreamToEncode& stream) {
  constexpr std::size_t lead = container::array_segment_header_bytes;
  const std::uint64_t content_bytes = content_of(stream).size();
  std::span bytes(reinterpret_cast<std::uint8_t*>(stream.encoded),
                  static_cast<std::size_t>(stream.encoded_bytes));
  const auto digest = chunks::digest_of_leaf(*plan_.leaf, content_bytes, plan_.header.checksums, bytes);
  if (!digest) return {ErrorCode::device_error, 0, "an accelerator made a stream that makes no sense"};
  const auto room = frame_.room();
  const bool has_room = room.size() >= lead + bytes.size() && bytes.data() == room.data() + lead;
  if (has_room) bytes = room.first(lead + bytes.size());
  placed_bytes_ -= lead + stream.encoded_bytes;
  if (options_.accelerator_share != nullptr) {
    options_.accelerator_share->words_bytes += content_bytes;
    options_.accelerator_share->accelerated_bytes += content_bytes;
  }
  return write_(bytes, content_bytes, *digest, has_room);
}

}  // namespace floe::pipeline
