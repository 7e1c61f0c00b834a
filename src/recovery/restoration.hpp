// The intact parts of a damaged frame back to what was compressed, segment by segment, and the map of the
// others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "floe/recover.hpp"
#include "pipeline/segment_output.hpp"
#include "recovery/damaged_frame.hpp"
#include "recovery/loss_map.hpp"
#include "recovery/stream_recovery.hpp"

namespace floe::recovery {

/// Runs once. Throws std::bad_alloc.
class Restoration {
 public:
  /// All must outlive it.
  Restoration(DamagedBytes& bytes, const DamagedFrame& frame, const RecoveryOptions& options,
              const DecodeOptions& decode_options, const Sink& sink);

  /// Errors: those of Recovery::restore.
  Result<RecoveryMap> run();

 private:
  Status restore(const FoundSegment& found);
  Status restore_array(const container::SegmentHeader& segment, const RecoveredWords& recovered,
                       const rows::Words& words);
  Status restore_table(const container::SegmentHeader& segment, std::vector<RecoveredWords> recovered);
  Status print(const container::SegmentHeader& segment);
  void recover_streams(const container::SegmentHeader& segment, const FoundSegment& found,
                       core::MemoryBudget& budget, std::vector<RecoveredWords>& recovered);
  void add_base(const container::SegmentHeader& segment, std::size_t column,
                std::span<const std::span<const RecoveredWords>> streams);
  void judge_column(const container::SegmentHeader& segment, std::size_t column,
                    std::span<const RecoveredWords> streams);
  void lose_column(const container::SegmentHeader& segment, std::size_t column, const Status& cause);
  Status lose_segments(std::uint64_t next_index, std::uint64_t next_first);
  Status lose_segment(const FoundSegment& found, const Status& cause);
  Status fill(std::uint64_t count);
  [[nodiscard]] Loss whole() const;

  DamagedBytes& bytes_;
  const DamagedFrame& frame_;
  const RecoveryOptions& options_;
  const DecodeOptions& decode_options_;
  const Sink& sink_;
  core::Workers workers_;
  Checksums checksums_;
  LossMap map_;
  std::uint64_t index_ = 0, end_ = 0, end_offset_ = 0;  ///< Behind the segments so far.
  std::uint64_t filled_bytes_ = 0;
  std::vector<std::uint8_t> payload_;
  pipeline::DecodedSegment decoded_;
  std::vector<LostRange> lost_columns_;  ///< Of the segment.
};

}  // namespace floe::recovery
