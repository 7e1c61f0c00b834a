// Batches of a column, one behind the other, each encoded with a tree that is known when its turn comes: the
// launches, and the memory that they share.
#pragma once

#include "gpu/host/columns/encode_launches.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {

/// Segments of a column that are encoded with one tree.
struct Batch {
  std::uint64_t index = 0;             ///< That no other batch of the column has.
  std::uint64_t first = 0, count = 0;  ///< Its first word, at the beginning of a segment, and how many.
};

/// What a column's batches are at most: so many words, segments and batches.
struct BatchLimits {
  std::uint64_t words = 0, batches = 0;
  std::uint32_t segment_words = 0;
  std::uint64_t parked_bytes = std::uint64_t{2} << 30;  ///< Room for parked segments.
};

/// Segments with dictionaries may take ten times as long as their neighbours. Their batches are encoded on
/// streams of their own, so that none of them waits for the longest segment of another one, and parked; when
/// all are there, a kernel puts them to their positions. Where there is no memory for that, they are encoded
/// in order, as others are.
///
/// Used with the device that was current when it was made; not thread-safe.
class BatchEncoder {
 public:
  BatchEncoder() = default;
  BatchEncoder(const BatchEncoder&) = delete;
  BatchEncoder& operator=(const BatchEncoder&) = delete;
  ~BatchEncoder();

  /// Errors: out_of_memory, device_error.
  Status allocate(DType type, const BatchLimits& limits);
  /// Resets what the batches of a column share, and its result. Errors: device_error.
  Status begin(const cuda::ColumnEncode& column, cudaStream_t stream);
  /// The same of a column of which batches were given up.
  Status begin_again(const cuda::ColumnEncode& column, cudaStream_t stream);
  /// Where facts of the segments of the columns to come go, if they are asked for: zeros so far.
  void ask_for_facts(StreamFacts* facts, bool checksums) {
    facts_ = facts;
    checksums_ = checksums;
  }
  /// Enqueues a batch of the column that was begun. They come in order, the first one with index 0. Errors:
  /// out_of_memory, device_error.
  Status encode(const cuda::ColumnEncode& column, const Batch& batch, const trees::Plan& plan,
                cudaStream_t stream);
  /// Behind the last batch of a column: then all that was enqueued is done when the stream gets there.
  /// Errors: device_error.
  Status finish(const cuda::ColumnEncode& column, cudaStream_t stream);
  /// Ends the work on the first batches, if they were enqueued on the stream last, as soon as what was begun
  /// is done. Then the column has to be begun anew. Errors: device_error.
  Status give_up(std::uint64_t batches, cudaStream_t stream);

 private:
  /// Tickets of blocks, of blocks again and of warps; whether some word failed, and how many segments were
  /// refused.
  enum Counter : std::uint8_t {
    ticket_of_blocks,
    ticket_of_blocks_again,
    ticket_of_warps,
    has_failed,
    refused,
    counters = 8
  };
  static constexpr std::uint64_t ticket_bytes = 4 * (ticket_of_warps + 1);
  static constexpr unsigned stream_count = 4;  ///< Beside the caller's.

  /// Segments that have no positions yet, and the streams that make them.
  struct Parked {
    std::uint32_t first = 0, end = 0;
    bool uses[stream_count] = {};
    unsigned next_stream = 0;
  };

  /// That encode a batch, if there are any.
  struct Blocks {
    std::uint64_t count = 0;
    EncodeNeeds needs;
  };

  [[nodiscard]] std::uint64_t segments(std::uint64_t count) const {
    return core::divide_up(count, limits_.segment_words);
  }
  [[nodiscard]] std::uint64_t tiles(std::uint64_t count) const {
    return pack_tiles_of(count, limits_.segment_words);
  }
  [[nodiscard]] std::uint32_t* counter(std::uint64_t batch, Counter which) const {
    return at<std::uint32_t>(0) + batch * counters + which;
  }
  template <class T>
  [[nodiscard]] T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(shared_.data() + offset);
  }

  [[nodiscard]] std::uint32_t* scratch_locks() const {
    return at<std::uint32_t>(0) + limits_.batches * counters;
  }
  /// Room of a parked segment.
  [[nodiscard]] std::uint64_t parked_bytes() const;
  /// Parts of the scratch for all blocks that can be at work at once.
  [[nodiscard]] std::uint64_t scratch_parts(const EncodeKernel& kernel) const {
    return std::min(segments(limits_.words),
                    std::uint64_t{kernel.blocks_per_multiprocessor} * shape_.multiprocessors);
  }

  Status reserve_scratch(std::uint64_t bytes, cudaStream_t stream);
  bool reserve_parking(const Blocks& blocks, std::uint64_t segment_count, cudaStream_t stream);
  void wait_for_parked(CudaCalls& calls, cudaStream_t stream);
  [[nodiscard]] EncodeColumnsJob job_for(const cuda::ColumnEncode& column, const Batch& batch) const;
  Status park(const cuda::ColumnEncode& column, const Batch& batch, const trees::Plan& plan,
              const Blocks& blocks, cudaStream_t stream);
  void put_tree(CudaCalls& calls, std::uint64_t batch, const trees::Plan& plan, cudaStream_t stream) const;
  [[nodiscard]] Blocks blocks_for(const EncodeNeeds& needs, std::uint64_t segments) const;
  void encode_by_blocks(CudaCalls& calls, const cuda::ColumnEncode& column, const Batch& batch,
                        const Blocks& blocks, bool again, cudaStream_t stream);
  void pack(CudaCalls& calls, const cuda::ColumnEncode& column, const Batch& batch, const PackChain& chain,
            cudaStream_t stream);

  DType type_{};
  BatchLimits limits_;
  StreamFacts* facts_ = nullptr;
  bool checksums_ = true;
  DeviceShape shape_;
  EncodeLayout layout_;  ///< Of `shared_`, with counters and trees per batch, and no scratch.
  Memory<MemoryKind::device> shared_, scratch_, parking_;
  Parked parked_;
  Memory<MemoryKind::host> no_tickets_;  ///< What tickets become for those who shall find none.
  Stream beside_;                        ///< Reaches the device while a stream's kernels are at work.
  Event begun_, gave_up_;
  Stream streams_[stream_count];
  Event ready_, done_[stream_count];
};

}  // namespace floe::gpu
