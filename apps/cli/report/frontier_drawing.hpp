// Ratio against speed as SVG. Colours are those of the page it stands in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace floe::cli {

struct FrontierPoint {
  std::string name;
  double speed = 0;  ///< In GB/s.
  double ratio = 0;
  bool is_unbeaten = false;  ///< No other point is as fast and smaller.
  bool is_marked = false;
};

/// Says which points no other one beats.
void find_unbeaten(std::vector<FrontierPoint>& points);

/// Points with their names; a line joins those that no other beats. Nothing for fewer than two points.
std::string frontier_drawing(std::vector<FrontierPoint> points, std::string_view axis_text);

}  // namespace floe::cli
