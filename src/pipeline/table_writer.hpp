// Rows to the segments of a table's frame, as they arrive.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "container/frame_writer.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/group_encoder.hpp"
#include "pipeline/tree_choice.hpp"
#include "rows/row_source.hpp"

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
  struct CodedSegment;
  using Coded = Result<std::vector<CodedSegment>>;
  using Batch = std::vector<std::shared_ptr<const rows::SegmentRows>>;
  /// The column, the place of the stream in it, the cell format and the type of the words.
  using CoderKey = std::tuple<std::uint32_t, std::size_t, container::CellKind, DType>;

  Status start_segments(bool is_last);
  Status start(std::shared_ptr<const rows::SegmentRows> rows);
  Status launch();
  Status drain();
  void make_choice();
  [[nodiscard]] bool may_be_compact(const Batch& batch) const;
  [[nodiscard]] bool is_about_size() const noexcept {
    return options_.goal == Goal::ratio || options_.goal == Goal::max;
  }
  Coded code(const Batch& batch, bool is_alone);
  [[nodiscard]] Coded code_compact(const rows::SegmentRows& rows, std::span<const rows::Words> malformed,
                                   std::span<const rows::ColumnContent> columns,
                                   std::uint64_t max_bytes) const;
  void take_bases(std::span<rows::ColumnContent> contents);
  StreamCoder& coder_of(const CoderKey& key, TreeOutcomes& outcomes);
  CodedSegment assemble(const rows::SegmentRows& rows, std::size_t malformed_streams,
                        std::size_t padding_streams, std::span<const rows::ColumnContent> columns,
                        StreamJob*& job, std::uint64_t index);
  Status write_coded();
  Status write_segment(CodedSegment& segment);
  [[nodiscard]] container::Header header_of(const container::SegmentHeader* first) const;
  [[nodiscard]] std::uint64_t frame_bytes_of(const container::SegmentHeader& segment) const;
  Status write_compact(CodedSegment& segment);
  Status check_trees(const TreeOutcomes& trees);
  Status refuse_tree(UnfitTree unfit);
  void stop() noexcept;

  const TableOptions& table_;
  const Options& options_;
  container::FrameSink& sink_;
  core::Workers workers_;
  container::FrameWriter frame_;
  GroupEncoder groups_;
  rows::WordsCost cost_;
  std::unique_ptr<rows::RowSource> source_;
  std::optional<TreeChoice> choice_;
  std::map<CoderKey, std::unique_ptr<StreamCoder>> coders_;
  Batch waiting_;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t coded_segments_ = 0;
  std::future<Coded> coding_;  ///< The segments that are coded while the next ones arrive.
  container::Header header_;
  bool is_complete_ = false;  ///< No more rows will come.
  bool is_short_ = false;     ///< All of the table is short columns that may become a compact frame.
  bool is_sketched_ = false;  ///< They are so short that sketches say how to read them.
  std::optional<FrameInfo> compact_info_;
};

}  // namespace floe::pipeline
