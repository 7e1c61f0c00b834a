// How do segments go through a StreamEncoder? Several at a time, as a batch. For each stream of words the encoder gets the tree that the
// planner would choose now; when the bytes are there, the planner decides as it does without them, and what it wants otherwise the CPU
// encodes. So a StreamEncoder never changes the bytes of a table.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "pipeline/tables/segment_coder.hpp"

namespace floe::tables {

/// A segment that is to be coded, and what is to be found out about it.
struct SegmentToCode {
  std::shared_ptr<const SegmentRows> rows;
  Report report = Report::nothing;
};

/// For one thread at a time.
class BatchCoder {
 public:
  BatchCoder(SegmentCoder& coder, std::uint32_t threads, StreamEncoder& streams) : coder_(coder), threads_(threads), streams_(streams) {}
  BatchCoder(const BatchCoder&) = delete;
  BatchCoder& operator=(const BatchCoder&) = delete;
  ~BatchCoder() { forget(); }

  /// Begins with the next segments, and returns those before them that are complete, in order. The first segment should come alone: of it
  /// the planner learns which trees to expect. Errors: those of the StreamEncoder. Throws std::bad_alloc.
  Result<std::vector<CodedSegment>> code(std::vector<SegmentToCode> segments);
  /// The segments that are left.
  Result<std::vector<CodedSegment>> finish();
  [[nodiscard]] const EncoderShare& share() const { return share_; }

 private:
  struct Batch {
    std::vector<SegmentToCode> segments;
    std::vector<ColumnContent> contents;            ///< Segment by segment, column by column.
    std::vector<StreamWords> streams;               ///< Those that the StreamEncoder has got,
    std::vector<series::SegmentAhead> ahead;        ///< and what it made of them.
    std::vector<std::vector<std::size_t>> indices;  ///< Of each content's streams among these; `nowhere` if it is not there.
  };
  static constexpr std::size_t nowhere = ~std::size_t{0};

  [[nodiscard]] Batch read(std::vector<SegmentToCode> segments) const;
  void gather_streams(Batch& batch) const;
  Status finish_oldest(std::vector<CodedSegment>& coded);
  std::vector<CodedSegment> code_batch(Batch& batch);
  [[nodiscard]] CodedColumn code_column(const Batch& batch, std::size_t segment, std::uint32_t column);
  void forget();

  SegmentCoder& coder_;
  std::uint32_t threads_;
  StreamEncoder& streams_;
  EncoderShare share_;
  bool has_begun_ = false;  ///< Whether there was a segment already.
  std::list<Batch> begun_;  ///< What was begun finds its place here without memory.
};

}  // namespace floe::tables
