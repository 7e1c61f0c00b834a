#include "gpu/host/pieces/piece_lane.hpp"

#include <cstring>

#include "gpu/host/frames/frame_launch.hpp"

namespace floe::gpu {

PieceLane::~PieceLane() {
  if (!is_gone()) return;
  stream_.forget();
  for (Event* event : {&copied_in_, &encoded_, &copied_out_}) event->forget();
}

Status PieceLane::allocate(const PieceShape& shape) {
  shape_ = shape;
  const std::uint64_t bytes = shape.piece_words * size_of(shape.type),
                      batches = shape.piece_words / shape.batch_words,
                      segments = shape.piece_words / shape.segment_words;
  CudaCalls calls;
  device_ = DeviceShape::of_current(calls);
  calls.check(in_.reserve(bytes))
      .check(results_.reserve(published_bytes(segments)))
      .check(published_.reserve(published_bytes(segments)))
      .check(encoder_.allocate(shape.type, {shape.piece_words, batches, shape.segment_words}))
      .check(stream_.create());
  for (Event* event : {&copied_in_, &encoded_, &copied_out_}) calls.check(event->create());
  return calls.status();
}

Result<std::span<std::byte>> PieceLane::staging_in() {
  const std::uint64_t bytes = shape_.piece_words * size_of(shape_.type);
  if (const Status status = staging_in_.reserve(bytes); !status.ok()) return status;
  return std::span(reinterpret_cast<std::byte*>(staging_in_.data()), bytes);
}

Result<std::span<std::byte>> PieceLane::staging_out(std::uint64_t bytes) {
  if (const Status status = staging_out_.reserve(bytes); !status.ok()) return status;
  return std::span(reinterpret_cast<std::byte*>(staging_out_.data()), bytes);
}

Status PieceLane::load(const HostPiece& piece, const std::byte* from, cudaStream_t in) {
  piece_ = piece;
  CudaCalls calls;
  calls.check(cudaMemcpyAsync(in_.data(), from, piece.elements.size(), cudaMemcpyHostToDevice, in))
      .check(cudaEventRecord(copied_in_.get(), in))
      .check(cudaStreamWaitEvent(stream_.get(), copied_in_.get(), 0));
  return calls.status();
}

Status PieceLane::begin_encoding(const pipeline::ArrayPlan& plan) {
  const std::uint64_t bytes = piece_.elements.size(), max_bytes = shape_.piece_words * size_of(shape_.type),
                      room = pipeline::frame_bound(plan, max_bytes);
  const auto layout = tree_frames_layout(plan, max_bytes, 1);
  if (!layout) return too_many_bytes;
  CudaCalls calls;
  calls.check(out_.reserve(room)).check(around_segments_.reserve(layout->bytes));
  if (!calls.ok()) return calls.status();
  job_ = {};
  job_.single = {in_.data(), bytes, out_.data(), room};
  job_.results = device_result();
  describe_frames(job_, plan, Extent::linear(words()));
  calls.check(cudaStreamWaitEvent(stream_.get(), copied_out_.get(), 0));  // of the piece before
  begin_tree_frames(calls, job_, *layout, around_segments_.data(), device_, stream_.get());
  column_ = column_of(plan, job_);
  encoder_.ask_for_facts(job_.facts, job_.rules.checksums);
  return calls.ok() ? encoder_.begin(column_, stream_.get()) : calls.status();
}

Status PieceLane::finish_encoding(const PartRules& rules) {
  CudaCalls calls;
  calls.check(encoder_.finish(column_, stream_.get()));
  finish_tree_frames(calls, job_, device_, stream_.get());
  PatchJob patch;
  patch.frame = static_cast<std::uint8_t*>(job_.single.out);
  patch.result = device_result();
  patch.segment_count = static_cast<std::uint32_t>(segments());
  patch.index_step = piece_.first_segment;
  patch.first_step = piece_.first_segment * rules.header().max_segment_length;
  patch.header_crc_change = rules.header_crc_change();
  patch.facts = reinterpret_cast<SegmentFacts*>(results_.data() + facts_offset);
  if (calls.ok()) calls.check(patch_segment_headers(patch, stream_.get()));
  if (calls.ok())
    calls.check(publish(results_.data(), published_.data(), published_bytes(segments()), stream_.get()));
  return calls.check(cudaEventRecord(encoded_.get(), stream_.get())).status();
}

cuda::ItemResult PieceLane::result() const {
  cuda::ItemResult result;
  std::memcpy(static_cast<void*>(&result), published_.data(), sizeof result);
  return result;
}

Status PieceLane::copy_out(const cuda::FramePart& part, std::byte* to, cudaStream_t out) {
  CudaCalls calls;
  return calls
      .check(cudaMemcpyAsync(to, out_.data() + part.memory_offset, part.bytes, cudaMemcpyDeviceToHost, out))
      .check(cudaEventRecord(copied_out_.get(), out))
      .status();
}

}  // namespace floe::gpu
