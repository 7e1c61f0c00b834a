// What a piece of an array of the host needs on a device while it is in work: memory for its elements and for
// its part of the frame, a stream, and pinned memory of the host. A few of them take the pieces in turn.
#pragma once

#include <span>

#include "gpu/host/columns/batch_encoder.hpp"
#include "gpu/host/parts/part_jobs.hpp"
#include "pipeline/array_plan.hpp"

namespace floe::gpu {

/// What is the same for all pieces of all arrays.
struct PieceShape {
  DType type = DType::u8;  ///< Of words.
  std::uint32_t segment_words = 0;
  std::uint64_t batch_words = 0;  ///< That get one tree.
  std::uint64_t piece_words = 0;  ///< A multiple of batch_words.
};

/// A piece of an array: whole batches, but for the last one.
struct HostPiece {
  std::span<const std::byte> elements;
  std::uint64_t first_segment = 0;  ///< In the array.
};

/// Used with the device that was current when it was made. What a call enqueues is for one piece after the
/// other: load, begin_encoding, encode ..., finish_encoding, wait_until_encoded, copy_out.
class PieceLane {
 public:
  PieceLane() = default;
  PieceLane(const PieceLane&) = delete;
  PieceLane& operator=(const PieceLane&) = delete;
  ~PieceLane();

  /// Errors: out_of_memory, device_error; also below.
  Status allocate(const PieceShape& shape);
  [[nodiscard]] bool is_gone() const { return published_.is_gone(); }

  [[nodiscard]] const HostPiece& piece() const { return piece_; }
  [[nodiscard]] std::uint64_t words() const { return piece_.elements.size() / size_of(shape_.type); }
  [[nodiscard]] std::uint64_t segments() const { return core::divide_up(words(), shape_.segment_words); }

  /// Pinned memory for the elements of a piece, or for its part of a frame, if the caller's is not pinned.
  Result<std::span<std::byte>> staging_in();
  Result<std::span<std::byte>> staging_out(std::uint64_t bytes);

  /// Copies a piece to the device, `from` pinned memory.
  Status load(const HostPiece& piece, const std::byte* from, cudaStream_t in);

  /// The piece becomes a frame of its own, by `plan`.
  Status begin_encoding(const pipeline::ArrayPlan& plan);
  Status encode(const Batch& batch, const trees::Plan& plan) {
    return encoder_.encode(column_, batch, plan, stream_.get());
  }
  /// And then a part of the frame of the array.
  Status finish_encoding(const PartRules& rules);
  /// Or whether that failed, as wait_until_encoded() says.
  [[nodiscard]] bool is_encoded() const {
    const bool is_done = cudaEventQuery(encoded_.get()) != cudaErrorNotReady;
    (void)cudaGetLastError();  // "not ready" stays there otherwise
    return is_done;
  }
  Status wait_until_encoded() const { return to_status(cudaEventSynchronize(encoded_.get())); }

  // Of a piece that is encoded
  [[nodiscard]] cuda::ItemResult result() const;
  [[nodiscard]] std::span<const SegmentFacts> facts() const {
    return {reinterpret_cast<const SegmentFacts*>(published_.data() + facts_offset), segments()};
  }
  /// Copies its part of the frame to pinned memory.
  Status copy_out(const cuda::FramePart& part, std::byte* to, cudaStream_t out);
  Status wait_until_copied() const { return to_status(cudaEventSynchronize(copied_out_.get())); }
  /// Waits for all that is enqueued on its streams.
  void settle() const { (void)cudaStreamSynchronize(stream_.get()); }

 private:
  [[nodiscard]] cuda::ItemResult* device_result() const {
    return reinterpret_cast<cuda::ItemResult*>(results_.data());
  }

  PieceShape shape_;
  DeviceShape device_;
  HostPiece piece_;
  CompressJob job_;
  cuda::ColumnEncode column_;
  BatchEncoder encoder_;
  Memory<MemoryKind::device> in_, out_, around_segments_, results_;
  Memory<MemoryKind::host> published_, staging_in_, staging_out_;
  Stream stream_;
  Event copied_in_, encoded_, copied_out_;
};

}  // namespace floe::gpu
