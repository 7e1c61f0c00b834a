// Streams of a group that an accelerator encodes beside the CPU, several batches at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "floe/floe.hpp"
#include "pipeline/group_encoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::pipeline {

/// Bytes of words that a batch has.
std::uint64_t batch_bytes(const Accelerator& accelerator);

/// For one thread. Without an accelerator nothing is taken.
class AcceleratedStreams {
 public:
  /// A stream of one part, and the tree that it shall have.
  struct Stream {
    StreamJob* job = nullptr;
    trees::EncodedTree* tree = nullptr;
    trees::Plan wanted;
    /// What the accelerator made of it: nothing, the tree, or the bytes and the digest of the job.
    enum class Made : std::uint8_t { nothing, tree, bytes } made = Made::nothing;
  };

  /// The arguments must outlive it.
  AcceleratedStreams(const Options& options, const Executor& executor)
      : options_(options), executor_(executor) {}
  AcceleratedStreams(const AcceleratedStreams&) = delete;
  AcceleratedStreams& operator=(const AcceleratedStreams&) = delete;

  /// Begins with these streams. Errors of this and of finish(): those of the accelerator.
  Status begin(std::vector<Stream> streams);
  /// Waits for all, and says in the streams what was made of them.
  Status finish();
  [[nodiscard]] const std::vector<Stream>& streams() const { return streams_; }
  /// Of the words of all streams, of all calls, that the accelerator encoded.
  [[nodiscard]] std::uint64_t encoded_bytes() const { return encoded_bytes_; }

 private:
  struct Batch {
    std::size_t first = 0, end = 0;  ///< Of the streams.
    std::unique_ptr<Accelerator::Batch> work;
  };

  Status begin_batches();
  Status finish(Batch& batch);
  [[nodiscard]] Stream::Made take(const StreamToEncode& encoded, const Stream& stream) const;

  const Options& options_;
  const Executor& executor_;
  std::vector<Stream> streams_;
  std::vector<StreamToEncode> given_;  ///< The same for the accelerator.
  std::size_t begun_ = 0;              ///< Streams that batches were made of.
  std::deque<Batch> batches_;          ///< That are under way.
  std::uint64_t encoded_bytes_ = 0;
};

}  // namespace floe::pipeline
