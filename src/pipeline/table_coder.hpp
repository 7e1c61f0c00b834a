// Batches of the rows of a table to coded segments, or to a compact frame of all of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/compact/compact_choice.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "pipeline/tree_choice.hpp"
#include "rows/row_source.hpp"

namespace floe::pipeline {

/// A segment that is ready to be written.
struct CodedSegment {
  container::SegmentHeader header;
  std::vector<std::vector<std::uint8_t>> streams;  ///< In the order of the header's.
  std::optional<ChosenCompact> compact;            ///< All of the table; instead of the streams.
  TreeOutcomes trees;
  PlannedSegment planned;  ///< As far as it was to be found out; without the position of the segment and its
                           ///< stored bytes.
};

/// Codes the batches of one table, one after the other. Throws std::bad_alloc.
class TableCoder {
 public:
  using Batch = std::vector<std::shared_ptr<const rows::SegmentRows>>;
  using Coded = Result<std::vector<CodedSegment>>;

  /// Precondition: checked options, which must outlive the coder, as must the workers.
  TableCoder(const TableOptions& table, const Options& options, core::Workers& workers);
  TableCoder(const TableCoder&) = delete;
  TableCoder& operator=(const TableCoder&) = delete;

  /// Where the rows come from. Takes text or records while a batch is coded.
  [[nodiscard]] rows::RowSource& source() noexcept { return *source_; }
  /// Before each batch, and before it is coded. `is_whole`: no other rows came, and none will come.
  void prepare(const Batch& batch, bool is_whole);
  /// The first given tree whose column is not there.
  [[nodiscard]] std::optional<std::size_t> tree_without_column() const {
    return choice_->tree_without_column();
  }
  /// Whether a given tree is for a column by name.
  [[nodiscard]] bool has_name(std::size_t tree) const { return choice_->has_name(tree); }
  /// Reads the columns of all segments side by side, and encodes all of their streams as a group.
  Coded code(const Batch& batch);
  /// `first`: the header of the first segment, if there is one.
  [[nodiscard]] container::Header header_of(const container::SegmentHeader* first) const;

 private:
  /// The column, the position of the stream in it, the cell format and the type of the words.
  using CoderKey = std::tuple<std::uint32_t, std::size_t, container::CellKind, DType>;

  /// What says how to read columns: searches of columns, shorter ones, or sketches, where they are so short.
  enum class Reading : std::uint8_t { searched, hasty, sketched };

  void make_choice(const Batch& batch);
  [[nodiscard]] bool may_be_compact(const Batch& batch) const;
  [[nodiscard]] bool is_about_size() const noexcept {
    return options_.goal == Goal::ratio || options_.goal == Goal::max;
  }
  [[nodiscard]] std::vector<rows::ColumnContent> read(const Batch& batch);
  [[nodiscard]] Coded code_early(const Batch& batch, std::span<const rows::Words> malformed,
                                 std::span<const rows::ColumnContent> contents);
  [[nodiscard]] Coded code_compact(const rows::SegmentRows& rows, std::span<const rows::Words> malformed,
                                   std::span<const rows::ColumnContent> columns, bool shares_trees,
                                   bool tries_text, std::uint64_t max_bytes) const;
  void take_bases(std::span<rows::ColumnContent> contents);
  StreamCoder& coder_of(const CoderKey& key, TreeOutcomes& outcomes);
  CodedSegment assemble(const rows::SegmentRows& rows, std::size_t malformed_streams,
                        std::size_t padding_streams, std::span<const rows::ColumnContent> columns,
                        StreamJob*& job, std::uint64_t index);
  [[nodiscard]] std::uint64_t frame_bytes_of(const container::SegmentHeader& segment) const;

  const TableOptions& table_;
  const Options& options_;
  core::Workers& workers_;
  GroupEncoder groups_;
  rows::WordsCost cost_;
  std::unique_ptr<rows::RowSource> source_;
  std::optional<TreeChoice> choice_;
  std::map<CoderKey, std::unique_ptr<StreamCoder>> coders_;
  std::uint64_t coded_segments_ = 0;
  // Of the batch at hand
  bool is_compact_ = false;  ///< It may become a compact frame.
  bool is_early_ = false;    ///< That is tried first: an ordinary one is hardly ever smaller.
  Reading reading_ = Reading::searched, faster_reading_ = Reading::hasty;
};

}  // namespace floe::pipeline
