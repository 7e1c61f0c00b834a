// Streams of a group that an accelerator encodes beside the CPU, several batches at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "floe/floe.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::pipeline {

/// For one thread. Without an accelerator nothing is taken.
class AcceleratedStreams {
 public:
  /// A stream of one part, and the tree that it shall have.
  struct Stream {
    StreamJob* job = nullptr;
    trees::EncodedTree* tree = nullptr;
    trees::Plan wanted;
    bool is_final = false;  ///< Nothing else will be tried: bytes are all that is wanted.
    /// What the accelerator made of it: nothing, the tree, or the bytes and the digest of the job.
    enum class Made : std::uint8_t { nothing, tree, bytes } made = Made::nothing;
  };

  /// The arguments must outlive it; `under_way` counts the batches of all groups.
  AcceleratedStreams(const Options& options, const Executor& executor, std::size_t& under_way)
      : options_(options), executor_(executor), under_way_(under_way) {}
  ~AcceleratedStreams() { under_way_ -= batches_.size(); }
  AcceleratedStreams(const AcceleratedStreams&) = delete;
  AcceleratedStreams& operator=(const AcceleratedStreams&) = delete;

  /// Begins with these streams. Errors of this and of finish(): those of the accelerator.
  Status begin(std::vector<Stream> streams);
  /// Whether all streams are under way in one batch.
  [[nodiscard]] bool is_one_batch() const {
    return batches_.size() == 1 && batches_[0].work != nullptr && begun_ == given_.size();
  }
  /// Waits for the sizes of all streams of the one batch, and says them in the jobs; false if some were not
  /// encoded.
  Result<bool> wait_for_sizes();
  /// Begins to copy them to the positions of the jobs.
  Status fetch();
  /// Waits for all, and says in the streams what was made of them.
  Status finish();
  [[nodiscard]] const std::vector<Stream>& streams() const { return streams_; }
  /// Of the words of all streams, of all calls, that the accelerator encoded.
  [[nodiscard]] std::uint64_t encoded_bytes() const { return encoded_bytes_; }

 private:
  struct Batch {
    std::size_t first = 0, end = 0;  ///< Of the streams.
    bool has_sizes = false, is_fetched = false;
    std::unique_ptr<Accelerator::Batch> work;
  };

  Status begin_batches();
  Status finish(Batch& batch);
  [[nodiscard]] Stream::Made take(const StreamToEncode& encoded, const Stream& stream) const;

  const Options& options_;
  const Executor& executor_;
  std::size_t& under_way_;
  std::vector<Stream> streams_;
  std::vector<StreamToEncode> given_;  ///< The same for the accelerator.
  std::size_t begun_ = 0;              ///< Streams that batches were made of.
  std::deque<Batch> batches_;          ///< That are under way.
  std::uint64_t encoded_bytes_ = 0;
};

}  // namespace floe::pipeline
