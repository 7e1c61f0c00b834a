#include "report/plan_page.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/frame_facts.hpp"
#include "report/html_page.hpp"
#include "report/plan_drawings.hpp"

namespace floe::cli {
namespace {

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
    out +=
        "<div class=\"scroll\">" + tree_drawing(stream.nodes) + "</div>" +
        frontier_drawing(points_of(stream, stored.trees[i]), "ratio by speed of decoding, GB/s, estimated") +
        candidates_table(stream, stored.trees[i]);
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
  std::string page = overview(plan) + segments_chart(plan);
  if (!plan.segments.ratios.empty()) {
    page += columns_table(plan);
    for (std::size_t i = 0; i < plan.columns.size(); ++i) page += column_card(plan, i);
    page += fmt::format(
        "<p>Trees, candidates and cell formats are those of the first segment{}. Bars in the trees are "
        "shares of the column's "
        "bytes.</p>",
        plan.segments.ratios.size() > 1 ? ", ratios those of all" : "");
  }
  return html_page(fmt::format("Plan of {}", escaped(plan.file)), page);
}

}  // namespace floe::cli
