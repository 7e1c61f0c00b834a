#include "report/bench_page.hpp"

#include <fmt/core.h>

#include "floe/floe.hpp"
#include "report/frontier_drawing.hpp"
#include "report/html_page.hpp"

namespace floe::cli {
namespace {

std::string drawing_of(const BenchSection& section, double BenchRow::*speed, const char* what) {
  std::vector<FrontierPoint> points;
  for (const BenchRow& row : section.rows) points.push_back({row.name, row.*speed, row.ratio});
  find_unbeaten(points);
  for (FrontierPoint& point : points) point.is_marked = point.is_unbeaten;
  return fmt::format("<h3>Ratio by speed of {}</h3>", what) +
         frontier_drawing(std::move(points), fmt::format("ratio by speed of {}, GB/s", what));
}

std::string card(const BenchSection& section) {
  std::string out = fmt::format(
      "<section><div class=\"head\"><h2>{}</h2><p>{}</p></div><div class=\"scroll\"><table><tr><th>codec, "
      "goal or "
      "tree</th><th class=\"number\">ratio</th><th class=\"number\">compress GB/s</th><th "
      "class=\"number\">decompress GB/s</th></tr>",
      escaped(section.title), escaped(section.conditions));
  for (const BenchRow& row : section.rows)
    out += fmt::format(
        "<tr><td><code>{}</code></td><td class=\"number\">{:.3f}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td></tr>",
        escaped(row.name), row.ratio, speed_text(row.compress), speed_text(row.decompress));
  return out + fmt::format("</table></div><p>memcpy: {:.1f} GB/s</p>", section.memcpy_speed) +
         drawing_of(section, &BenchRow::decompress, "decompression") +
         drawing_of(section, &BenchRow::compress, "compression") + "</section>";
}

}  // namespace

std::string speed_text(double speed) { return fmt::format("{:.{}f}", speed, speed < 0.1 ? 4 : 2); }

std::string bench_page(const std::vector<BenchSection>& sections) {
  std::string body = fmt::format(
      "<section><h1>Ratio and speed</h1><p>floe {}, {}; medians. The lines join what nothing else beats in "
      "both."
      "</p></section>",
      version(), escaped(instruction_set()));
  for (const BenchSection& section : sections) body += card(section);
  return html_page("Ratio and speed", body);
}

}  // namespace floe::cli
