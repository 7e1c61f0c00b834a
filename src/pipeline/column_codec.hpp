// Columns to bytes and back: the entry to this module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "floe/error.hpp"
#include "tree/plan.hpp"
#include "plan/column_planner.hpp"
#include "plan/partition.hpp"
#include "encodings/stream.hpp"

namespace floe::series {

/// A segment that something else has encoded with a tree, byte by byte as ColumnEncoder does it with a fixed one.
struct SegmentAhead {
  Plan tree;
  std::span<const std::uint8_t> bytes;
};

/// Encodes the segments of one column, one after the other. Not thread-safe; columns are independent of each other.
class ColumnEncoder {
 public:
  /// Chooses trees by itself, and remembers them from segment to segment.
  explicit ColumnEncoder(Preset preset = Preset::balanced) : planner_(std::make_unique<ColumnPlanner>(objective_of(preset))) {}
  /// Leaves the choice to a planner.
  explicit ColumnEncoder(std::unique_ptr<Planner> planner) : planner_(std::move(planner)) {}
  /// Encodes all segments with one tree, which must have been checked for the type of the column.
  explicit ColumnEncoder(Plan fixed) : fixed_(std::move(fixed)) {}

  /// The bytes of one segment: never more than its words, 16 bytes for each part and the plans that stand in it. A plan that is searched
  /// for just this segment does not make it longer. Segments of 2^16 to 2^20 words are a good choice: a segment shares one tree and one
  /// dictionary, and is decoded as a whole. Throws std::bad_alloc.
  /// What was encoded ahead, or found out by looking ahead, saves work and never changes the bytes; both may be null.
  std::vector<std::uint8_t> encode(const ColumnView& segment, Scratch& scratch, const SegmentAhead* ahead = nullptr,
                                   LookAhead* look_ahead = nullptr);
  /// The same, with memory that stays with the encoder.
  std::vector<std::uint8_t> encode(const ColumnView& segment) { return encode(segment, scratch_); }

  /// The tree that encode() would try first if this segment came next; none if trees would be searched, or if it would be cut into parts.
  /// A segment that is encoded ahead with this tree saves encode() work; it never changes the bytes.
  [[nodiscard]] std::optional<Plan> expected_tree(const ColumnView& segment);

  /// What is needed to look ahead at one of the next segments; none if nothing can be guessed of them.
  [[nodiscard]] std::optional<Outlook> outlook() const;

  /// How often trees were searched so far.
  [[nodiscard]] PlanningReport report() const { return planner_ == nullptr ? PlanningReport{} : planner_->report(); }

 private:
  /// After some segments of known kinds a column is looked at less closely.
  [[nodiscard]] Look look() const { return calm_segments_ < 2 ? Look::close : Look::cursory; }
  [[nodiscard]] std::vector<std::uint64_t> partition_of(const ColumnView& segment, LookAhead* look_ahead) const;
  [[nodiscard]] EncodedTree encode_fixed(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead,
                                         PartAhead* looked_at) const;
  /// How often a segment turned out to be of another kind than it looked.
  [[nodiscard]] std::uint64_t surprises() const { return report().searches + report().encoded_twice; }

  std::unique_ptr<Planner> planner_;  // null with a fixed tree
  Plan fixed_;
  std::uint64_t calm_segments_ = 0;  // in a row, with one part and without surprises
  Scratch scratch_;
};

/// Decodes what ColumnEncoder::encode made. Writes `count` words to `out`, which is aligned for them. Needs memory for the tree's nodes,
/// whatever the bytes claim. Thread-safe. Errors: corrupt_frame, out_of_memory; the contents of `out` are then unspecified.
Status decode_column(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out);

/// A part of a segment, and its tree.
struct SegmentPart {
  std::uint64_t count = 0;
  Plan plan;
};

/// The parts of an encoded segment of `count` words. Errors: corrupt_frame.
Result<std::vector<SegmentPart>> parts_of(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count);

/// The plan of the first part of an encoded segment. Errors: corrupt_frame.
Result<Plan> plan_of(std::span<const std::uint8_t> bytes, DType type);

}  // namespace floe::series
