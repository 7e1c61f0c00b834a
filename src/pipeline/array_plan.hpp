// What is decided before the first byte of an array's frame is written: the trees, or how they are chosen,
// and the header.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "chunks/leaf.hpp"
#include "container/parts.hpp"
#include "floe/floe.hpp"
#include "plan/objective.hpp"
#include "tree/plan.hpp"

namespace floe::pipeline {

struct ArrayPlan {
  container::Header header;
  std::optional<chunks::Leaf> leaf;  ///< All segments are streams of this codec.
  std::optional<trees::Plan> tree;   ///< All segments have this tree, which is no codec.
  trees::Objective objective;        ///< Otherwise trees are chosen by it.
  std::uint64_t segment_bytes = 0;
  /// Segments of so much content may become one segment of a codec with a match history; 0: they do not.
  std::uint64_t history_bytes = 0;
  bool joins_segments = false;  ///< Those of a group may become one where they repeat each other.

  [[nodiscard]] std::size_t word_bytes() const noexcept { return size_of(header.dtype); }
};

/// Segments of so many bytes are planned and encoded side by side.
inline constexpr std::uint64_t usual_group_bytes = std::uint64_t{16} << 20;

/// Checks the options and the shape. `inner_extent` are the dimensions but the outermost; `rank` is 0, or one
/// more than theirs. Errors: invalid_argument.
Result<ArrayPlan> plan_array(DType dtype, std::uint32_t rank, std::span<const std::uint64_t> inner_extent,
                             const Options& options);
/// Checks a shape and plans its frame. Errors: as above, and if the array is impossibly large.
Result<ArrayPlan> plan_array(DType dtype, const Extent& extent, const Options& options);
/// Bytes of one outermost entry. Errors: invalid_argument if they do not fit 64 bits.
Result<std::uint64_t> row_bytes_of(DType dtype, std::span<const std::uint64_t> inner_extent);

/// More bytes than any tree but a codec's needs besides those of its words: plans, and what PartWriter puts
/// before them.
inline constexpr std::uint64_t max_tree_overhead = 1024;

/// The most bytes that a frame of so many bytes of elements has.
std::uint64_t frame_bound(const ArrayPlan& plan, std::uint64_t content_bytes);

/// What planners go by. Errors: invalid_argument.
Result<trees::Objective> objective_of(const Options& options);

}  // namespace floe::pipeline
