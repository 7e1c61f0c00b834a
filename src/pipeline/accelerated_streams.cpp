#include "pipeline/accelerated_streams.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "chunks/leaf_decoder.hpp"
#include "pipeline/leaf_streams.hpp"
#include "plan/planned_encoding.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// Of words, if the accelerator does not want less: more leaves the CPU's caches before it comes back.
constexpr std::uint64_t max_batch_bytes = std::uint64_t{16} << 20;

}  // namespace

std::uint64_t batch_bytes(const Accelerator& accelerator) {
  return std::min(accelerator.batch_bytes(), max_batch_bytes);
}

Status AcceleratedStreams::begin(std::vector<Stream> streams) {
  streams_ = std::move(streams);
  given_.clear();
  begun_ = 0;
  for (const Stream& stream : streams_) {
    const trees::ColumnView& words = stream.job->words;
    given_.push_back(
        {words.values, words.type, words.count, trees::text_of(stream.wanted), options_.checksum});
  }
  return begin_batches();
}

/// As many as the accelerator works on at the same time.
Status AcceleratedStreams::begin_batches() {
  Accelerator* const accelerator = options_.accelerator;
  while (begun_ < given_.size() && (batches_.empty() || batches_.size() < accelerator->batches_at_once())) {
    Batch& batch = batches_.emplace_back();
    batch.first = begun_;
    for (std::uint64_t bytes = 0; begun_ < given_.size() && bytes < batch_bytes(*accelerator); ++begun_)
      bytes += given_[begun_].count * size_of(given_[begun_].type);
    batch.end = begun_;
    auto begun =
        accelerator->encode(std::span(given_).subspan(batch.first, batch.end - batch.first), executor_);
    if (!begun) return begun.status();
    batch.work = std::move(*begun);
  }
  return {};
}

Status AcceleratedStreams::finish() {
  for (; !batches_.empty(); batches_.pop_front()) {
    if (const Status status = finish(batches_.front()); !status.ok()) return status;
    batches_.front().work.reset();
    if (const Status status = begin_batches(); !status.ok()) return status;
  }
  return {};
}

Status AcceleratedStreams::finish(Batch& batch) {
  if (batch.work == nullptr) return {};
  Status status = batch.work->wait_for_sizes();
  if (status.ok()) status = batch.work->fetch();
  if (status.ok()) status = batch.work->finish();
  if (!status.ok()) return status;
  executor_(static_cast<std::uint32_t>(batch.end - batch.first), [&](std::uint32_t i) {
    Stream& stream = streams_[batch.first + i];
    stream.made = take(given_[batch.first + i], stream);
  });
  for (std::size_t i = batch.first; i < batch.end; ++i) {
    if (streams_[i].made != Stream::Made::nothing) encoded_bytes_ += streams_[i].job->words.bytes();
  }
  return {};
}

/// What an accelerator made of a stream counts if it is what the CPU would make.
AcceleratedStreams::Stream::Made AcceleratedStreams::take(const StreamToEncode& encoded,
                                                          const Stream& stream) const {
  if (encoded.encoded_bytes == 0) return Stream::Made::nothing;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(encoded.encoded),
                        static_cast<std::size_t>(encoded.encoded_bytes));
  StreamJob& job = *stream.job;
  if (const auto leaf = leaf_of(stream.wanted)) {
    const auto digest = chunks::digest_of_leaf(*leaf, job.words.bytes(), options_.checksum, bytes);
    if (!digest) return Stream::Made::nothing;
    job.bytes.assign(bytes.begin(), bytes.end());
    job.digest = *digest;
    return Stream::Made::bytes;
  }
  trees::ByteReader reader(bytes);
  if (reader.get_varint() != 1 || reader.get_varint() != 0) return Stream::Made::nothing;
  Result<trees::Plan> plan = trees::read_plan(reader, encoded.type);
  if (!plan || !trees::fits_everywhere(*plan, stream.wanted) || !trees::find_body(reader, *plan))
    return Stream::Made::nothing;
  stream.tree->plan = std::move(*plan);
  stream.tree->wanted = stream.wanted;
  stream.tree->body.put_bytes(reader.rest());
  return Stream::Made::tree;
}

}  // namespace floe::pipeline
