// How do the columns of one segment become bytes? Columns are coded side by side; the bytes do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/column_codec.hpp"
#include "rows/csv/cell_index.hpp"
#include "rows/cells/column_content.hpp"
#include "pipeline/tables/encoder_choice.hpp"
#include "pipeline/tables/idle_threads.hpp"
#include "pipeline/tables/next_segment.hpp"
#include "rows/row_source.hpp"
#include "container/table_parts.hpp"

namespace floe::tables {

/// What is to be found out about a segment while it is coded.
enum class Report : std::uint8_t { nothing, facts, explanations };

/// A segment that is ready to be written but for its head, which names the header.
struct CodedSegment {
  SegmentHead head;
  std::vector<std::vector<std::uint8_t>> payloads;  ///< In the order of the head's streams.
  TreeOutcomes trees;
  PlannedSegment planned;  ///< As far as it was to be found out; without the place of the segment and its stored bytes.
};

/// A column of a segment after coding.
struct CodedColumn {
  ColumnEntry entry;
  std::vector<std::vector<std::uint8_t>> payloads;
  TreeOutcomes trees;
  StoredColumn stored;
  PlannedColumn planned;
};

/// Codes the segments of a table one after the other. Keeps an encoder per column and stream, as encoders learn. For one thread at a time,
/// but for what is said of different columns.
class SegmentCoder {
 public:
  SegmentCoder(std::uint32_t column_count, std::uint32_t threads, EncoderChoice choice);

  /// `next`: the same segment, if it was looked at; may be null. Throws std::bad_alloc.
  CodedSegment code(const SegmentRows& rows, Report report, NextSegment* next = nullptr);
  /// Says that a segment will be coded at once: until its columns are begun, no thread is idle.
  void announce() {
    if (idle_threads_) idle_threads_->expect_columns();
  }
  /// Lets idle threads look at the segment after the one that is being coded, until code() gets it or the last copy of the pointer goes.
  /// Null with a single thread. May be called while another thread codes. Throws std::bad_alloc.
  std::shared_ptr<NextSegment> look_ahead(std::shared_ptr<const SegmentRows> rows);
  [[nodiscard]] const EncoderChoice& choice() const { return choice_; }
  [[nodiscard]] std::uint32_t column_count() const { return static_cast<std::uint32_t>(columns_.size()); }

  // The steps of code(). Columns may be coded at the same time; those of a segment all before those of the next one.

  /// Codes a column's content. `ahead`: per stream what was encoded of it already, or null; none at all if it is empty.
  CodedColumn code_column(std::uint32_t column, const ColumnContent& content, const SegmentRows& rows, Report report,
                          std::span<const series::SegmentAhead* const> ahead, const ColumnAhead* looked_at = nullptr);
  /// Reads a column before its turn, and looks at its streams until they are known or wanted. May be called while other threads code.
  void look_at_column(NextSegment& next, std::uint32_t column) noexcept;
  /// The tree that a stream would get if it came next, if this is known without a search.
  [[nodiscard]] std::optional<series::Plan> expected_tree(std::uint32_t column, std::size_t stream, const ColumnContent& content);
  /// What belongs to no column, and what the rows say of themselves.
  static CodedSegment begin_segment(const SegmentRows& rows);
  static void add_columns(std::vector<CodedColumn> columns, Report report, CodedSegment& segment);

 private:
  /// The stream's place in its column, the way of writing and the type of the words.
  using EncoderKey = std::tuple<std::size_t, WritingKind, DType>;
  using Encoders = std::map<EncoderKey, std::unique_ptr<series::ColumnEncoder>>;

  using Outlooks = std::map<EncoderKey, series::Outlook>;

  /// What the encoder of a stream knew after the last segment, or knows at first.
  std::optional<series::Outlook> outlook_of(std::uint32_t column, const EncoderKey& key);
  void publish_outlooks(std::uint32_t column);
  /// A thread that waits for another one is idle.
  series::LookAhead::OnWait on_wait();
  /// Memory that no other thread uses now; there is at most one for each thread, however many columns there are.
  std::unique_ptr<series::Scratch> take_scratch();
  void give_scratch(std::unique_ptr<series::Scratch> scratch);

  std::vector<Encoders> columns_;
  std::mutex outlooks_mutex_;
  std::vector<Outlooks> outlooks_;  ///< Of the encoders, for threads that look ahead; empty if there are none.
  std::uint32_t threads_;
  EncoderChoice choice_;
  std::mutex scratch_mutex_;
  std::vector<std::unique_ptr<series::Scratch>> unused_scratch_;
  std::optional<IdleThreads> idle_threads_;  ///< If there are several; the last member, because they use the others.
};

/// What some words take when they are encoded by themselves.
std::uint64_t encoded_bytes(const Words& words);

/// Lines that are no rows, as streams.
std::vector<Words> stray_words(std::string_view text, const std::vector<StrayLine>& strays);

}  // namespace floe::tables
