// Streams of words to bytes, many side by side: planned, encoded by threads and by an accelerator, and
// given their digests. The bytes do not depend on the number of threads, nor on what an accelerator does.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "container/value_range.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "plan/ahead_planner.hpp"
#include "plan/planner.hpp"
#include "plan/stream_planner.hpp"

namespace floe::pipeline {

/// How the trees of a stream are chosen, segment by segment. Remembers what was learnt.
class StreamCoder {
 public:
  explicit StreamCoder(const trees::Objective& objective);
  /// All segments with one tree, which must have been checked for the type of the words.
  explicit StreamCoder(trees::Plan fixed) : fixed_(std::move(fixed)) {}
  explicit StreamCoder(std::unique_ptr<trees::Planner> other) : other_(std::move(other)) {}

  /// Null unless trees are chosen by an objective, while segments are encoded.
  [[nodiscard]] const trees::StreamPlanner* planner() const noexcept { return planner_.get(); }
  /// Null unless they are chosen by an objective before that.
  [[nodiscard]] const trees::AheadPlanner* ahead() const noexcept { return ahead_.get(); }
  /// Whether trees are known before segments are encoded.
  [[nodiscard]] bool knows_trees() const noexcept { return planner_ == nullptr && other_ == nullptr; }

 private:
  friend class GroupEncoder;
  std::unique_ptr<trees::StreamPlanner> planner_;
  std::unique_ptr<trees::AheadPlanner> ahead_;
  std::vector<std::unique_ptr<StreamCoder>> rivals_;  ///< Whose bytes count where they are fewer.
  std::unique_ptr<StreamCoder> whole_;                ///< The same for segments that were cut.
  trees::Plan fixed_;
  std::unique_ptr<trees::Planner> other_;
};

/// A stream of one segment.
struct StreamJob {
  StreamCoder* coder = nullptr;  ///< Null: one for this stream alone.
  trees::ColumnView words;
  /// Whether the stream may not be larger than the best codec makes it by more than a little, whatever
  /// samples promised.
  bool compares_codecs = false;

  std::vector<std::uint8_t> bytes = {};  ///< The stream.
  std::uint64_t digest = 0;
  bool wants_range = false;  ///< Found while the words are in a cache.
  std::optional<container::ValueRange> range = {};

  /// Where the stream and its padding belong, if that is known before the stream is, and whether it is there
  /// instead of in `bytes`.
  std::span<std::uint8_t> destination = {};
  bool is_placed = false;
  std::uint64_t stored_bytes = 0;  ///< Of the stream, when they are known.
  [[nodiscard]] std::uint64_t stream_bytes() const { return is_placed ? stored_bytes : bytes.size(); }
};

/// Memory of a frame behind its last segment. One thread makes streams here as long as those before are here,
/// too.
struct FrameRoom {
  std::span<std::uint8_t> left;
  StreamJob* next = nullptr;  ///< Whose segment begins there; null: nobody's.

  /// The position of a stream of so many bytes, before its padding, which is cleared; empty if the job is not
  /// the next one or there is no room.
  std::span<std::uint8_t> take(StreamJob& job, std::size_t bytes);
};

/// Encodes groups of streams. Keeps its scratch memory from group to group; for one thread.
class GroupEncoder {
  class Group;

 public:
  /// The workers and the options must outlive it; of these it takes what is said of checksums and of the
  /// accelerator.
  GroupEncoder(core::Workers& workers, const Options& options);
  GroupEncoder(const GroupEncoder&) = delete;
  GroupEncoder& operator=(const GroupEncoder&) = delete;

  /// Streams of the same coder stand in the order of their segments. Where trees are known before segments
  /// are encoded, those of `planned_together` streams of a coder are chosen at a time. Throws std::bad_alloc.
  /// Errors: those of the accelerator.
  Status encode(std::span<StreamJob> jobs, std::size_t planned_together = ~std::size_t{0},
                FrameRoom* room = nullptr);

  /// The same in steps, so that an accelerator works on some groups while another one is planned or finished.
  /// Trees must be known before streams are encoded. Groups are planned, begun and finished in their order.
  class UnderWay {
   public:
    /// Plans. The jobs must remain.
    UnderWay(GroupEncoder& encoder, std::span<StreamJob> jobs, std::size_t planned_together,
             FrameRoom* room = nullptr);
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay();
    Status begin();
    /// Waits for the sizes of all streams, and says them in the jobs; false if they are not to be had before
    /// the streams.
    Result<bool> know_sizes();
    /// Then streams may be given positions, to which the accelerator begins to copy them.
    Status fetch();
    Status finish();

   private:
    std::unique_ptr<Group> group_;
  };

 private:
  std::unique_ptr<trees::Scratch> take_scratch();
  void give_scratch(std::unique_ptr<trees::Scratch> scratch);
  /// Calls work(index, scratch) for all indices, side by side.
  template <class Work>
  void for_each(std::size_t count, const Work& work);

  core::Workers& workers_;
  const Options& options_;
  Executor executor_;
  std::size_t batches_under_way_ = 0;  ///< Of the accelerator, of all groups.
  std::mutex mutex_;
  std::vector<std::unique_ptr<trees::Scratch>> unused_scratch_;
};

/// The bytes of a stream that is encoded by itself. Throws std::bad_alloc.
std::vector<std::uint8_t> encode_alone(const trees::ColumnView& words, const trees::Objective& objective);

}  // namespace floe::pipeline
