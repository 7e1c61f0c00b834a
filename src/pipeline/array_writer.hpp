// An array to the segments of its frame, piece by piece as it arrives.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chunks/leaf_encoder.hpp"
#include "container/frame_writer.hpp"
#include "core/buffer.hpp"
#include "core/workers.hpp"
#include "pipeline/array_plan.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "pipeline/leaf_batches.hpp"

namespace floe::pipeline {

/// Writes the frame of one array. For one thread. Throws std::bad_alloc.
class ArrayWriter {
 public:
  /// The options must outlive the writer.
  ArrayWriter(ArrayPlan&& plan, const Options& options, container::FrameSink& sink);

  /// Any number of bytes, also parts of elements.
  Status write(std::span<const std::uint8_t> bytes);
  /// All bytes of the array, whole elements, which are encoded where they lie. Instead of write().
  Status write_whole(std::span<const std::uint8_t> bytes);
  /// Writes what remains, and the footer. `outer_size`: of the outermost dimension.
  Status finish(std::uint64_t outer_size);

  /// Bytes of all elements so far.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }
  [[nodiscard]] const ArrayPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const container::FrameWriter& frame() const noexcept { return frame_; }

 private:
  /// Segments that an accelerator encodes.
  struct GroupUnderWay {
    std::vector<StreamJob> jobs;
    std::unique_ptr<GroupEncoder::UnderWay> work = {};
    std::uint64_t placed_bytes = 0;  ///< Of the frame, where the streams have their positions.
    bool has_no_positions = false;   ///< And will not have any before they are written.
  };

  Status begin();
  Status encode(std::span<const std::uint8_t> piece, bool is_last);
  Status encode_leaf(std::span<const std::uint8_t> piece, bool is_last);
  Status put_leaf(std::span<std::uint8_t> stream, std::uint64_t content_bytes, std::uint64_t digest,
                  bool has_room);
  Status encode_planned(std::span<const std::uint8_t> content);
  [[nodiscard]] bool overlaps_groups() const;
  Status encode_overlapping(std::span<const std::uint8_t> content);
  Status place_next(std::deque<GroupUnderWay>& groups);
  std::vector<StreamJob> jobs_of(std::span<const std::uint8_t> group);
  Status put_segments(std::span<StreamJob> jobs);
  bool find_positions(std::span<StreamJob> jobs);
  static void give_positions(std::span<StreamJob> jobs, std::span<std::uint8_t> room);
  Status put_segment(const StreamJob& job, bool is_placed);
  void report(const container::SegmentHeader& segment, const StreamJob& job);
  std::uint64_t wanted_bytes();
  void make_room(std::uint64_t bytes);

  ArrayPlan plan_;
  const Options& options_;
  core::Workers workers_;
  container::FrameWriter frame_;
  std::optional<GroupEncoder> groups_;  ///< Of trees but codecs, as is the next one.
  std::optional<StreamCoder> coder_;
  std::optional<chunks::LeafEncoder> leaf_;
  std::size_t planned_together_ = 0;    ///< Segments.
  std::uint64_t group_bytes_ = 0;       ///< Content of the segments that are encoded together.
  std::uint64_t groups_at_once_ = 1;    ///< That an accelerator works on.
  std::optional<LeafBatches> batches_;  ///< Of a leaf, with an accelerator.
  std::uint64_t piece_bytes_ =
      0;  ///< Content that is encoded at once: a group of segments, or a piece of one.
  std::uint64_t encoded_bytes_ =
      0;  ///< Content of the segment that is being filled, as far as it is encoded; of a codec.
  core::Buffer memory_;              ///< For the piece that is being filled.
  std::span<std::uint8_t> room_;     ///< In it: little for short arrays.
  std::uint64_t waiting_bytes_ = 0;  ///< There.
  std::uint64_t content_bytes_ = 0;
};

}  // namespace floe::pipeline
