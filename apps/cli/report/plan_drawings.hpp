// Drawings of a plan as SVG: trees of encodings, and numbers segment by segment. Colours are those of the
// page they stand in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/frame.hpp"
#include "report/frontier_drawing.hpp"

namespace floe::cli {

/// A tree from left to right. `nodes` are in pre-order.
std::string tree_drawing(std::span<const TreeNode> nodes);

/// 10^9 bytes of words in a second, if each word takes so many nanoseconds.
double gigabytes_per_second(const PlannedStream& stream, double nanoseconds);

/// The candidates by speed of decoding, as estimated, and ratio. `tree` is the one that is used.
std::vector<FrontierPoint> points_of(const PlannedStream& stream, std::string_view tree);

struct RatioPoint {
  std::uint64_t first = 0;  ///< Element or row.
  double ratio = 0;
};

/// Ratios as bars, or as a line if there are many. `noun`: what segments begin with, "row".
std::string ratio_drawing(std::span<const RatioPoint> points, std::string_view noun, int width, int height);

}  // namespace floe::cli
