// Rows to the segments of a table's frame, as they arrive.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "container/frame_writer.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/table_coder.hpp"

namespace floe::pipeline {

/// Writes the frame of one table. Codes a batch of segments while the next ones arrive. For one thread.
/// Throws std::bad_alloc.
class TableWriter {
 public:
  /// Precondition: checked options, which must outlive the writer.
  TableWriter(const TableOptions& table, const Options& options, container::FrameSink& sink);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// Errors: those of the sink, invalid_argument.
  Status write(std::span<const std::byte> bytes);
  /// As Writer::write_columns; the values are the caller's again when it returns.
  Status write_columns(std::span<const void* const> values, std::uint64_t row_count);
  Status finish();

  [[nodiscard]] const container::FrameWriter& frame() const noexcept { return frame_; }
  /// Known when the first segment is written, or at the end.
  [[nodiscard]] const container::Header& header() const noexcept { return header_; }
  /// Of a table that became a compact frame.
  [[nodiscard]] const std::optional<FrameInfo>& compact_info() const noexcept { return compact_info_; }

 private:
  Status start_segments(bool is_last);
  Status start(std::shared_ptr<const rows::SegmentRows> rows);
  Status launch();
  Status drain();
  Status write_coded();
  Status write_segment(CodedSegment& segment);
  Status write_compact(CodedSegment& segment);
  Status check_trees(const TreeOutcomes& trees);
  Status refuse_tree(UnfitTree unfit);
  void stop() noexcept;

  const TableOptions& table_;
  const Options& options_;
  container::FrameSink& sink_;
  core::Workers workers_;
  container::FrameWriter frame_;
  TableCoder coder_;
  TableCoder::Batch waiting_;
  std::uint64_t waiting_bytes_ = 0;
  std::future<TableCoder::Coded> coding_;  ///< The segments that are coded while the next ones arrive.
  container::Header header_;
  bool is_complete_ = false;  ///< No more rows will come.
  bool was_launched_ = false;
  std::optional<FrameInfo> compact_info_;
};

}  // namespace floe::pipeline
