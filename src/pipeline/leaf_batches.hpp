// Segments of an array whose tree is a codec, through an accelerator: batches of them are under way, and are
// written in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "container/frame_writer.hpp"
#include "core/buffer.hpp"
#include "core/workers.hpp"
#include "pipeline/array_plan.hpp"

namespace floe::pipeline {

/// For one thread. Errors of all calls: those of the accelerator and of the functions that it was given;
/// after one, none is made any more. Throws std::bad_alloc.
class LeafBatches {
 public:
  /// Encodes a segment by threads, and writes it.
  using Encode = std::function<Status(std::span<const std::uint8_t> content)>;
  /// Writes an encoded segment; `has_room`: behind container::array_segment_header_bytes of room.
  using Write = std::function<Status(std::span<std::uint8_t> stream, std::uint64_t content_bytes,
                                     std::uint64_t digest, bool has_room)>;

  /// The arguments must outlive it. Precondition: the plan has a leaf, and the options an accelerator.
  LeafBatches(const ArrayPlan& plan, const Options& options, core::Workers& workers,
              container::FrameWriter& frame, Encode encode, Write write);
  LeafBatches(const LeafBatches&) = delete;
  LeafBatches& operator=(const LeafBatches&) = delete;

  /// Takes the whole array, which stays until finish() has returned.
  Status add_whole(std::span<const std::uint8_t> content);
  /// Takes the next bytes.
  Status add(std::span<const std::uint8_t> content);
  /// Encodes and writes all.
  Status finish();

 private:
  struct Batch {
    core::Buffer memory;  ///< Of content that arrives in pieces.
    std::vector<StreamToEncode> streams;
    std::unique_ptr<Accelerator::Batch> work;
    bool is_placed = false;
  };

  Status begin(std::span<const std::uint8_t> content);
  Status place(Batch& batch);
  Status write_oldest();
  Status write(const StreamToEncode& stream);
  [[nodiscard]] std::span<const std::uint8_t> content_of(const StreamToEncode& stream) const;

  const ArrayPlan& plan_;
  const Options& options_;
  container::FrameWriter& frame_;
  Executor executor_;
  Encode encode_;
  Write write_;
  std::uint64_t batch_bytes_;  ///< Of content: whole segments.
  std::list<Batch> batches_;   ///< That are under way.
  std::list<Batch> unused_;    ///< The first one is being filled; the others are kept for their memory.
  std::uint64_t filled_bytes_ = 0;
  std::uint64_t placed_bytes_ = 0;  ///< Of the frame, that are under way to their positions.
};

}  // namespace floe::pipeline
