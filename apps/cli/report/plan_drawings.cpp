#include "report/plan_drawings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/html_page.hpp"

namespace floe::cli {
namespace {

constexpr int node_width = 132, node_height = 40, column_width = 212, row_height = 54, margin = 6;

/// Where the nodes of a tree stand: its leaves in rows below each other, parents beside the middle of their
/// children.
class TreeLayout {
 public:
  explicit TreeLayout(std::span<const TreeNode> nodes) : nodes_(nodes), positions_(nodes.size()) {
    std::size_t next = 0;
    place(next, 0, 0);
  }
  struct Position {
    int x = 0;
    double y = 0;
    std::size_t parent = 0;
  };
  [[nodiscard]] const Position& operator[](std::size_t node) const { return positions_[node]; }
  [[nodiscard]] int width() const { return deepest_ * column_width + node_width + 2 * margin; }
  [[nodiscard]] int height() const { return rows_ * row_height - (row_height - node_height) + 2 * margin; }

 private:
  double place(std::size_t& next, std::size_t parent, int depth) {
    const std::size_t node = next++;
    deepest_ = std::max(deepest_, depth);
    double first = 0, last = 0;
    for (std::uint32_t child = 0; child < nodes_[node].child_count && next < nodes_.size(); ++child) {
      last = place(next, node, depth + 1);
      if (child == 0) first = last;
    }
    const double y = nodes_[node].child_count == 0 ? margin + row_height * rows_++ : (first + last) / 2;
    positions_[node] = {margin + depth * column_width, y, parent};
    return y;
  }

  std::span<const TreeNode> nodes_;
  std::vector<Position> positions_;
  int deepest_ = 0, rows_ = 0;
};

std::string edge_drawing(const TreeLayout::Position& from, const TreeLayout::Position& to,
                         const std::string& role) {
  const int x0 = from.x + node_width, x1 = to.x, bend = (x1 - x0) / 2;
  const double y0 = from.y + node_height / 2.0, y1 = to.y + node_height / 2.0;
  return fmt::format("<path class=\"edge\" d=\"M{} {:.1f}C{} {:.1f} {} {:.1f} {} {:.1f}\"/>", x0, y0,
                     x0 + bend, y0, x1 - bend, y1, x1, y1) +
         fmt::format("<text class=\"role\" x=\"{}\" y=\"{:.1f}\">{}</text>", x1 - 6,
                     y1 > y0 + 1 ? y1 + 13 : y1 - 5, escaped(role));
}

std::string node_drawing(const TreeNode& node, const TreeLayout::Position& at, double share) {
  return fmt::format(
      "<g><title>{}: {} words, {} in, {} out</title><rect class=\"node{}\" x=\"{}\" y=\"{:.1f}\" "
      "width=\"{}\" height=\"{}\" rx=\"7\"/>"
      "<rect class=\"share\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"3\"/>"
      "<text class=\"name\" x=\"{}\" y=\"{:.1f}\">{}</text><text class=\"size\" x=\"{}\" "
      "y=\"{:.1f}\">{}</text></g>",
      escaped(node.encoding), node.word_count, bytes_text(node.word_bytes), bytes_text(node.encoded_bytes),
      node.child_count == 0 ? " leaf" : "", at.x, at.y, node_width, node_height, at.x + 8,
      at.y + node_height - 5, (node_width - 16) * share, at.x + 9, at.y + 16, escaped(node.encoding),
      at.x + 9, at.y + 30, bytes_text(node.encoded_bytes));
}

/// Ratios to heights: in proportion, or by their logarithms where proportion would hide the small ones.
class RatioScale {
 public:
  explicit RatioScale(std::span<const RatioPoint> points) {
    double min_ratio = 1;
    for (const RatioPoint& point : points) {
      max_ratio_ = std::max(max_ratio_, point.ratio);
      min_ratio = std::min(min_ratio, point.ratio);
    }
    is_logarithmic_ = max_ratio_ > 20 * min_of(points);
    if (is_logarithmic_) bottom_ = std::pow(10, std::floor(std::log10(std::max(min_ratio, 1e-3))));
  }
  /// From 0 to 1.
  [[nodiscard]] double height(double ratio) const {
    if (!is_logarithmic_) return ratio / max_ratio_;
    return std::max(0.0, std::log(ratio / bottom_) / std::log(max_ratio_ / bottom_));
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> all;
    if (is_logarithmic_) {
      for (double value = bottom_; value <= max_ratio_; value *= 10) all.push_back(value);
    } else {
      for (double value = 0; value <= max_ratio_; value += step()) all.push_back(value);
    }
    return all;
  }

 private:
  static double min_of(std::span<const RatioPoint> points) {
    return std::min_element(points.begin(), points.end(),
                            [](const RatioPoint& a, const RatioPoint& b) { return a.ratio < b.ratio; })
        ->ratio;
  }
  /// 1, 2 or 5 times a power of ten, about four of which make the largest ratio.
  [[nodiscard]] double step() const {
    const double power = std::pow(10, std::floor(std::log10(max_ratio_ / 4)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (power * factor * 4.5 >= max_ratio_) return power * factor;
    }
    return power * 10;
  }

  double max_ratio_ = 1, bottom_ = 1;
  bool is_logarithmic_ = false;
};

}  // namespace

std::string tree_drawing(std::span<const TreeNode> nodes) {
  if (nodes.empty()) return "";
  const TreeLayout layout(nodes);
  std::string drawing = fmt::format(
      "<svg class=\"tree\" role=\"img\" aria-label=\"tree of encodings\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">",
      layout.width(), layout.height());
  for (std::size_t i = 1; i < nodes.size(); ++i)
    drawing += edge_drawing(layout[layout[i].parent], layout[i], nodes[i].role);
  const double whole = static_cast<double>(std::max<std::uint64_t>(nodes[0].encoded_bytes, 1));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    drawing +=
        node_drawing(nodes[i], layout[i], std::min(1.0, static_cast<double>(nodes[i].encoded_bytes) / whole));
  return drawing + "</svg>";
}

double gigabytes_per_second(const PlannedStream& stream, double nanoseconds) {
  if (stream.nodes.empty() || stream.nodes[0].word_count == 0) return 0;
  const double word_bytes =
      static_cast<double>(stream.nodes[0].word_bytes) / static_cast<double>(stream.nodes[0].word_count);
  return word_bytes / std::max(nanoseconds, 1e-3);
}

std::vector<FrontierPoint> points_of(const PlannedStream& stream, std::string_view tree) {
  std::vector<FrontierPoint> points;
  const double word_bytes = gigabytes_per_second(stream, 1) * static_cast<double>(stream.word_count);
  for (const CandidateTree& candidate : stream.candidates) {
    points.push_back({candidate.tree,
                      gigabytes_per_second(stream, candidate.estimated_speed.decode_nanoseconds),
                      word_bytes / static_cast<double>(std::max<std::uint64_t>(candidate.encoded_bytes, 1)),
                      candidate.is_unbeaten, candidate.tree == tree});
  }
  return points;
}

std::string ratio_drawing(std::span<const RatioPoint> points, std::string_view noun, int width, int height) {
  constexpr int left = 44, bottom = 20, top = 8;
  constexpr std::size_t max_bars = 120;
  if (points.empty()) return "";
  const RatioScale scale(points);
  const double base = height - bottom, room = width - left, tallest = height - top - bottom;
  std::string drawing = fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"ratio by segment\" width=\"100%\" viewBox=\"0 0 {} "
      "{}\">",
      width, height);
  for (const double value : scale.ticks()) {
    const double y = base - scale.height(value) * tallest;
    drawing +=
        fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left, width, y,
                    y) +
        fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\">{:g}</text>", left - 6, y + 3.5, value);
  }
  const double slot = room / static_cast<double>(points.size());
  const auto middle = [&](std::size_t i) { return left + slot * (static_cast<double>(i) + 0.5); };
  const double bar = std::min(slot * 0.72, 48.0);
  std::string line;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double y = base - scale.height(points[i].ratio) * tallest;
    if (points.size() <= max_bars)
      drawing += fmt::format(
          "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "rx=\"1.5\"><title>segment {}, from {} {}: "
          "{:.2f}</title></rect>",
          middle(i) - bar / 2, y, bar, base - y, i, noun, points[i].first, points[i].ratio);
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', middle(i), y);
  }
  if (points.size() > max_bars) drawing += fmt::format("<path class=\"line\" d=\"{}\"/>", line);
  drawing += fmt::format("<text class=\"tick start\" x=\"{}\" y=\"{}\">{} {}</text>", left, height - 5, noun,
                         points.front().first);
  if (points.size() > 1)
    drawing += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\">{} {}</text>", width, height - 5, noun,
                           points.back().first);
  return drawing + "</svg>";
}

}  // namespace floe::cli
