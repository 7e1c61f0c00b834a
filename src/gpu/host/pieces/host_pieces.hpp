// Arrays in memory of the host whose pieces go through a device one behind the other: while one is copied in,
// others are planned and encoded, and what became of those before is copied out. One frame; how much memory
// of the device that takes does not depend on the array.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/host/pieces/piece_lane.hpp"
#include "plan/search/sampled_planner.hpp"

namespace floe::gpu {

struct HostArray {
  std::span<const std::byte> elements;
  DType dtype = DType::u8;
  Extent extent;
  Options options;
  std::span<std::byte> frame;  ///< Room for it.
  trees::FarStrides strides;   ///< At which its planner looks.
};

/// What chooses trees, and with which threads, which copy pageable memory, too.
struct PiecePlanning {
  trees::SampledPlanner& planner;
  trees::SearchThreads& threads;
  trees::Scratch& scratch;
  std::vector<std::string>& trees;  ///< Of the batches.
};

/// Used with the device that was current when it was made; not thread-safe.
class HostPieces {
 public:
  /// For words of `type`, which get trees `batch_words` at a time, a multiple of segment_words.
  HostPieces(DType type, std::uint32_t segment_words, std::uint64_t batch_words);
  HostPieces(const HostPieces&) = delete;
  HostPieces& operator=(const HostPieces&) = delete;
  ~HostPieces();

  /// Compresses an array, waits, and returns the frame's bytes. Trees depend on its words and on what the
  /// planner knows. Nothing is at work any more then, also after an error: invalid_argument,
  /// output_too_small, out_of_memory, device_error.
  Result<std::size_t> compress(const HostArray& array, const PiecePlanning& planning);

 private:
  class Call;

  Status check() const { return !lanes_.empty() && lanes_[0]->is_gone() ? was_reset : Status{}; }
  /// Memory and streams for so many pieces at a time.
  Status reserve(std::uint64_t pieces);

  PieceShape shape_;
  Stream in_, out_;
  std::vector<std::unique_ptr<PieceLane>> lanes_;
};

}  // namespace floe::gpu
