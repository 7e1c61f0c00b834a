#include "pipeline/encode/accelerated_streams.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "chunks/leaf_decoder.hpp"
#include "pipeline/encode/leaf_streams.hpp"
#include "plan/planned_encoding.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// Whether a stream with one part of that plan begins as the CPU writes it.
bool is_usual_stream(std::span<const std::uint8_t> bytes, const trees::Plan& plan, std::uint64_t count) {
  trees::PartWriter writer(1);
  writer.put(count, trees::EncodedTree{plan, plan, {}, {}});
  const std::vector<std::uint8_t> begin = writer.release();
  return begin.size() <= bytes.size() && std::equal(begin.begin(), begin.end(), bytes.begin());
}

}  // namespace

Status AcceleratedStreams::begin(std::vector<Stream> streams) {
  streams_ = std::move(streams);
  given_.clear();
  begun_ = 0;
  const StreamJob* before = nullptr;
  for (const Stream& stream : streams_) {
    const StreamJob& job = *stream.job;
    const trees::ColumnView& words = job.words;
    StreamToEncode& given = given_.emplace_back(StreamToEncode{
        words.values, words.type, words.count, trees::text_of(stream.wanted), options_.checksum});
    // Segments of a coder that lie one behind the other are parts of one array or column.
    given.follows =
        before != nullptr && before->coder == job.coder &&
        static_cast<const std::uint8_t*>(before->words.values) + before->words.bytes() == words.values;
    before = &job;
  }
  return begin_batches();
}

/// As many as the accelerator works on at the same time.
Status AcceleratedStreams::begin_batches() {
  Accelerator* const accelerator = options_.accelerator;
  while (begun_ < given_.size() && (under_way_ == 0 || under_way_ < accelerator->batches_at_once())) {
    Batch& batch = batches_.emplace_back();
    ++under_way_;
    batch.first = begun_;
    for (std::uint64_t bytes = 0; begun_ < given_.size() && bytes < accelerator->batch_bytes(); ++begun_)
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
  if (const Status status = begin_batches(); !status.ok()) return status;  // where others left no room before
  while (!batches_.empty()) {
    if (const Status status = finish(batches_.front()); !status.ok()) return status;
    batches_.pop_front();
    --under_way_;
    if (const Status status = begin_batches(); !status.ok()) return status;
  }
  return {};
}

Result<bool> AcceleratedStreams::wait_for_sizes() {
  Batch& batch = batches_.front();
  if (const Status status = batch.work->wait_for_sizes(); !status.ok()) return status;
  batch.has_sizes = true;
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].job->stored_bytes = given_[i].encoded_bytes;
  return std::all_of(given_.begin(), given_.end(),
                     [](const StreamToEncode& given) { return given.encoded_bytes != 0; });
}

Status AcceleratedStreams::fetch() {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    given_[i].encoded = reinterpret_cast<std::byte*>(streams_[i].job->destination.data());
  batches_.front().is_fetched = true;
  return batches_.front().work->fetch();
}

Status AcceleratedStreams::finish(Batch& batch) {
  if (batch.work == nullptr) return {};
  Status status;
  if (!batch.has_sizes) status = batch.work->wait_for_sizes();
  if (status.ok() && !batch.is_fetched) status = batch.work->fetch();
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
  const bool is_placed = !job.destination.empty() && bytes.data() == job.destination.data();
  if (const auto leaf = leaf_of(stream.wanted)) {
    const auto digest = chunks::digest_of_leaf(*leaf, job.words.bytes(), options_.checksum, bytes);
    if (!digest) return Stream::Made::nothing;
    job.is_placed = is_placed;
    if (!is_placed) job.bytes.assign(bytes.begin(), bytes.end());
    job.digest = *digest;
    return Stream::Made::bytes;
  }
  trees::ByteReader reader(bytes);
  if (reader.get_varint() != 1 || reader.get_varint() != 0) return Stream::Made::nothing;
  Result<trees::Plan> plan = trees::read_plan(reader, encoded.type);
  // Planners may find other trees for streams that a tree does not take.
  if (!plan || (!stream.is_final && !trees::fits_everywhere(*plan, stream.wanted)) ||
      !trees::find_body(reader, *plan))
    return Stream::Made::nothing;
  if (stream.is_final && is_usual_stream(bytes, *plan, encoded.count)) {
    job.is_placed = is_placed;
    if (is_placed) {
      std::fill(job.destination.begin() + static_cast<std::ptrdiff_t>(bytes.size()), job.destination.end(),
                std::uint8_t{0});
      job.digest = chunks::digest_of_bytes(bytes, options_.checksum);
    } else {
      job.bytes.reserve(static_cast<std::size_t>(chunks::padded(bytes.size())));
      job.bytes.assign(bytes.begin(), bytes.end());
      add_digest(job, options_.checksum);
    }
    return Stream::Made::bytes;
  }
  stream.tree->plan = std::move(*plan);
  stream.tree->wanted = stream.wanted;
  stream.tree->body.put_bytes(reader.rest());
  return Stream::Made::tree;
}

}  // namespace floe::pipeline
