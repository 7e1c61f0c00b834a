#include "report/frontier_drawing.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "report/html_page.hpp"

namespace floe::cli {
namespace {

constexpr int left = 60, bottom = 34, top = 8, width = 520, height = 200;

/// Where values of the largest speed and ratio lie.
struct Scale {
  double max_speed = 0, max_ratio = 0;

  [[nodiscard]] double x_of(double speed) const { return left + (width - left - 12) * speed / max_speed; }
  [[nodiscard]] double y_of(double ratio) const {
    return height - bottom - (height - bottom - top) * ratio / max_ratio;
  }
};

std::string axes(const Scale& scale) {
  std::string drawing;
  for (const double part : {0.0, 0.5, 1.0}) {
    const double y = scale.y_of(part * scale.max_ratio);
    drawing += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left,
                           width, y, y) +
               fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\">{:.3g}</text>", left - 6, y + 3.5,
                           part * scale.max_ratio) +
               fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\">{:.3g}</text>",
                           scale.x_of(part * scale.max_speed) + (part > 0 ? 4 : 8), height - bottom + 14,
                           part * scale.max_speed);
  }
  return drawing;
}

/// From each point that nothing beats straight on to the speed of the next one: in between, nothing is as
/// fast and smaller.
std::string unbeaten_line(const std::vector<FrontierPoint>& points, const Scale& scale) {
  std::string line;
  for (const FrontierPoint& point : points) {
    if (!point.is_unbeaten) continue;
    line += line.empty() ? fmt::format("M{} {:.1f}", left, scale.y_of(point.ratio))
                         : fmt::format("V{:.1f}", scale.y_of(point.ratio));
    line += fmt::format("H{:.1f}", scale.x_of(point.speed));
  }
  return fmt::format("<path class=\"line\" d=\"{}\"/>", line);
}

}  // namespace

void find_unbeaten(std::vector<FrontierPoint>& points) {
  for (FrontierPoint& point : points) {
    point.is_unbeaten = std::none_of(points.begin(), points.end(), [&](const FrontierPoint& other) {
      return other.speed >= point.speed && other.ratio >= point.ratio &&
             (other.speed > point.speed || other.ratio > point.ratio);
    });
  }
}

std::string frontier_drawing(std::vector<FrontierPoint> points, std::string_view axis_text) {
  if (points.size() < 2) return "";
  Scale scale;
  for (const FrontierPoint& point : points) {
    scale.max_speed = std::max(scale.max_speed, point.speed);
    scale.max_ratio = std::max(scale.max_ratio, point.ratio);
  }
  std::sort(points.begin(), points.end(),
            [](const FrontierPoint& a, const FrontierPoint& b) { return a.speed < b.speed; });
  std::string drawing = fmt::format(
      "<svg class=\"frontier\" role=\"img\" aria-label=\"ratio and speed\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">",
      width, height);
  drawing += axes(scale) + unbeaten_line(points, scale);
  for (const FrontierPoint& point : points)
    drawing += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}: ratio {:.2f}, {:.2f} "
        "GB/s</title></circle>",
        point.is_marked ? "share" : "node", scale.x_of(point.speed), scale.y_of(point.ratio),
        point.is_marked ? 6 : 4, escaped(point.name), point.ratio, point.speed);
  return drawing + fmt::format("<text class=\"tick start\" x=\"{}\" y=\"{}\">{}</text></svg>", left,
                               height - 5, axis_text);
}

}  // namespace floe::cli
