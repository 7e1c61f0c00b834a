#include "report/plan_page.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/frame_facts.hpp"
#include "report/plan_drawings.hpp"

namespace floe::cli {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #f4f5f7; --card: #ffffff; --ink: #1c2128; --muted: #5c6672; --line: #dfe3e8; --accent: #2a6fdb;
  --soft: #e8f0fd; --leaf: #e7f5ee; --good: #1c8a5a; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1318; --card: #181d24; --ink: #e5e9ee; --muted: #9aa5b1; --line: #2c343e;
  --accent: #74a9ff; --soft: #1c2c46; --leaf: #17332a; --good: #5fce9d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 22px; margin: 0 0 2px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 13px; font-weight: 600; color: var(--muted); margin: 20px 0 6px; }
p { margin: 2px 0; color: var(--muted); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; margin-top: 16px; }
.tiles { display: flex; flex-wrap: wrap; gap: 28px; margin-top: 12px; }
.tiles b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; } .tiles span { color: var(--muted); font-size: 13px; }
.head { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; justify-content: space-between; }
.head .ratio { font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--muted); } th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; } .number { text-align: right; white-space: nowrap; } td.wide { width: 26%; min-width: 120px; }
code { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere; }
tr.chosen code { color: var(--good); font-weight: 700; } a { color: inherit; }
.meter { display: block; height: 7px; border-radius: 4px; background: var(--soft); overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--accent); }
svg { display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.chart { max-height: 190px; } .grid { stroke: var(--line); } svg .tick { fill: var(--muted); font-size: 11px; text-anchor: end; }
svg .start { text-anchor: start; } .bar { fill: var(--accent); } .line { fill: none; stroke: var(--accent); stroke-width: 1.6; }
.edge { fill: none; stroke: var(--muted); stroke-opacity: .55; stroke-width: 1.3; } .node { fill: var(--soft); stroke: var(--line); }
.node.leaf { fill: var(--leaf); } .share { fill: var(--accent); } svg .name { font-weight: 600; }
svg .size, svg .role { fill: var(--muted); font-size: 11px; } svg .role { text-anchor: end; }
)";

std::string tile(const std::string& number, const char* meaning) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>", number, meaning);
}

std::string meter(double share) {
  return fmt::format("<span class=\"meter\"><i style=\"width:{:.1f}%\"></i></span>",
                     100 * std::clamp(share, 0.0, 1.0));
}

const char* noun_of(const FrameInfo& info) { return info.content == Content::table ? "row" : "element"; }

/// An array is a column without a name.
std::string column_name(const FramePlan& plan, std::size_t index) {
  return escaped(plan.info.content == Content::table ? plan.info.columns[index].name : plan.file);
}

std::string column_kind(const FramePlan& plan, std::size_t index) {
  if (plan.info.content == Content::array) return std::string(name_of(plan.info.dtype));
  return fmt::format("{} column, {}", name_of(plan.info.columns[index].type),
                     escaped(plan.first.stored.columns[index].cell_format));
}

std::string overview(const FramePlan& plan) {
  const FrameInfo& info = plan.info;
  std::string out =
      fmt::format("<section><h1>{}</h1><p>{}, as floe would compress it</p><div class=\"tiles\">",
                  escaped(plan.file), short_description(info));
  out += tile(fmt::format("{:.2f}", ratio_of(plan.source_bytes, info.frame_bytes)), "ratio");
  out += tile(bytes_text(plan.source_bytes), "before") + tile(bytes_text(info.frame_bytes), "after");
  if (info.content == Content::table) {
    out += tile(std::to_string(info.element_count), "rows") +
           tile(std::to_string(info.columns.size()), "columns");
  } else {
    out += tile(std::to_string(info.element_count), "elements");
  }
  out += tile(std::to_string(info.segment_count), info.segment_count == 1 ? "segment" : "segments") +
         "</div></section>";
  return out;
}

std::string segments_chart(const FramePlan& plan) {
  if (plan.segments.ratios.size() < 2) return "";
  return "<section><h2>Ratio by segment</h2>" +
         ratio_drawing(plan.segments.ratios, noun_of(plan.info), 1000, 180) + "</section>";
}

std::string columns_table(const FramePlan& plan) {
  std::string out =
      "<section><h2>Where the bytes go</h2><div class=\"scroll\"><table><tr><th>column</th><th "
      "class=\"number\">before</th>"
      "<th class=\"number\">after</th><th class=\"number\">ratio</th><th>share of the result</th></tr>";
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    const PlanSum& sum = plan.columns[i];
    out += fmt::format(
        "<tr><td><a href=\"#c{}\">{}</a></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{:.2f}</td><td "
        "class=\"wide\">{}</td></tr>",
        i, column_name(plan, i), bytes_text(sum.source_bytes), bytes_text(sum.stored_bytes),
        ratio_of(sum.source_bytes, sum.stored_bytes),
        meter(ratio_of(sum.stored_bytes, plan.info.frame_bytes)));
  }
  return out + "</table></div></section>";
}

std::string candidates_table(const PlannedStream& stream, const std::string& tree) {
  if (stream.candidates.empty()) return "";
  std::uint64_t max_bytes = stream.stored_bytes;
  for (const CandidateTree& candidate : stream.candidates)
    max_bytes = std::max(max_bytes, candidate.encoded_bytes);
  std::string out =
      "<div class=\"scroll\"><table><tr><th>candidate</th><th class=\"number\">estimate</th><th "
      "class=\"number\">actual</th>"
      "<th class=\"number\">decode, GB/s</th><th></th></tr>";
  for (const CandidateTree& candidate : stream.candidates)
    out += fmt::format(
        "<tr{}><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{:.2f}{}</td>"
        "<td class=\"wide\">{}</td></tr>",
        candidate.tree == tree ? " class=\"chosen\"" : "", escaped(candidate.tree),
        bytes_text(candidate.estimated_bytes), bytes_text(candidate.encoded_bytes),
        gigabytes_per_second(stream, candidate.estimated_speed.decode_nanoseconds),
        candidate.is_unbeaten ? " +" : "", meter(ratio_of(candidate.encoded_bytes, max_bytes)));
  return out + "</table></div>";
}

std::string column_card(const FramePlan& plan, std::size_t index) {
  const PlanSum& sum = plan.columns[index];
  const PlannedSegment& first = plan.first;
  const StoredColumn& stored = first.stored.columns[index];
  std::string out = fmt::format(
      "<section id=\"c{}\"><div class=\"head\"><h2>{}</h2><span class=\"ratio\">{} → {}, ratio "
      "{:.2f}</span></div><p>{}</p>",
      index, column_name(plan, index), bytes_text(sum.source_bytes), bytes_text(sum.stored_bytes),
      ratio_of(sum.source_bytes, sum.stored_bytes), column_kind(plan, index));
  if (sum.ratios.size() > 1)
    out += "<h3>Ratio by segment</h3>" + ratio_drawing(sum.ratios, noun_of(plan.info), 1000, 120);
  for (std::size_t i = 0; i < stored.trees.size(); ++i) {
    const PlannedStream& stream = first.columns[index].streams[i];
    out += fmt::format(
        "<h3>{}{} words of type {} → {}{}</h3>",
        stored.trees.size() > 1 ? fmt::format("Stream {}: ", i + 1) : "", stream.word_count,
        name_of(stream.words), bytes_text(stream.stored_bytes),
        stream.part_count > 1 ? fmt::format(", in {} parts; this is the longest", stream.part_count) : "");
    out += "<div class=\"scroll\">" + tree_drawing(stream.nodes) + "</div>" +
           frontier_drawing(stream, stored.trees[i]) + candidates_table(stream, stored.trees[i]);
  }
  return out + "</section>";
}

}  // namespace

void PlanSum::add(std::uint64_t first, std::uint64_t source, std::uint64_t stored) {
  source_bytes += source;
  stored_bytes += stored;
  ratios.push_back({first, ratio_of(source, stored)});
}

void FramePlan::add(const PlannedSegment& segment) {
  const StoredSegment& stored = segment.stored;
  if (segments.ratios.empty()) first = segment;
  segments.add(stored.first, segment.source_bytes, stored.stored_bytes);
  columns.resize(segment.columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i].add(stored.first, segment.columns[i].source_bytes, stored.columns[i].stored_bytes);
}

std::string plan_page(const FramePlan& plan) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>Plan of {}</title><style>{}</style></head><body><main>",
      escaped(plan.file), style);
  page += overview(plan) + segments_chart(plan);
  if (!plan.segments.ratios.empty()) {
    page += columns_table(plan);
    for (std::size_t i = 0; i < plan.columns.size(); ++i) page += column_card(plan, i);
    page += fmt::format(
        "<p>Trees, candidates and cell formats are those of the first segment{}. Bars in the trees are "
        "shares of the column's "
        "bytes.</p>",
        plan.segments.ratios.size() > 1 ? ", ratios those of all" : "");
  }
  return page + "</main></body></html>\n";
}

}  // namespace floe::cli
