#include "report/plans_as_json.hpp"

#include <fmt/core.h>

#include "report/frame_facts.hpp"

namespace floe::cli {
namespace {

/// In nanoseconds per word.
Json speed_as_json(const TreeSpeed& speed) {
  return Json::object(
      {{"encode_nanoseconds", speed.encode_nanoseconds}, {"decode_nanoseconds", speed.decode_nanoseconds}});
}

Json candidate_as_json(const CandidateTree& candidate) {
  return Json::object({{"tree", candidate.tree},
                       {"estimated_bytes", candidate.estimated_bytes},
                       {"encoded_bytes", candidate.encoded_bytes},
                       {"estimated_speed", speed_as_json(candidate.estimated_speed)},
                       {"measured_speed", speed_as_json(candidate.measured_speed)},
                       {"unbeaten", candidate.is_unbeaten},
                       {"keeps_speed", candidate.keeps_speed}});
}

Json node_as_json(const TreeNode& node) {
  return Json::object({{"encoding", node.encoding},
                       {"role", node.role},
                       {"children", node.child_count},
                       {"words", node.word_count},
                       {"word_bytes", node.word_bytes},
                       {"encoded_bytes", node.encoded_bytes}});
}

Json stream_as_json(const PlannedStream& stream) {
  Json candidates = Json::array(), nodes = Json::array();
  for (const CandidateTree& candidate : stream.candidates) candidates.push(candidate_as_json(candidate));
  for (const TreeNode& node : stream.nodes) nodes.push(node_as_json(node));
  return Json::object({{"words", name_of(stream.words)},
                       {"word_count", stream.word_count},
                       {"stored_bytes", stream.stored_bytes},
                       {"parts", stream.part_count},
                       {"candidates", std::move(candidates)},
                       {"nodes", std::move(nodes)}});
}

Json planned_as_json(const PlannedSegment& segment) {
  Json json = segment_as_json(segment.stored);
  json.set("source_bytes", segment.source_bytes);
  Json columns = Json::array();
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    Json column = column_as_json(segment.stored.columns[i]);
    column.set("source_bytes", segment.columns[i].source_bytes);
    Json streams = Json::array();
    for (const PlannedStream& stream : segment.columns[i].streams) streams.push(stream_as_json(stream));
    column.set("streams", std::move(streams));
    columns.push(std::move(column));
  }
  json.set("columns", std::move(columns));
  return json;
}

}  // namespace

void PlansAsJson::begin(const std::string& file) {
  end_plan("");
  fmt::print("{}\n  {{\n    \"file\": {},\n    \"segments\": [", plan_count_++ == 0 ? "[" : ",",
             Json(file).text());
  segment_count_ = 0;
  is_open_ = true;
}

void PlansAsJson::add(const PlannedSegment& segment) {
  fmt::print("{}\n      {}", segment_count_++ == 0 ? "" : ",", planned_as_json(segment).text(6));
}

void PlansAsJson::finish(const FrameInfo& info, std::uint64_t source_bytes) {
  Json facts = facts_as_json({}, info);
  facts.set("source_bytes", source_bytes);
  // The members of an object whose file was named before: without its first line and its braces.
  std::string members = facts.text(2);
  members = members.substr(members.find(',') + 1);
  end_plan("," + members.substr(0, members.rfind('\n')));
}

void PlansAsJson::end_plan(const std::string& members) {
  if (is_open_) fmt::print("{}]{}\n  }}", segment_count_ == 0 ? "" : "\n    ", members);
  is_open_ = false;
}

void PlansAsJson::finish() {
  end_plan("");
  fmt::print("{}]\n", plan_count_ == 0 ? "[" : "\n");
}

}  // namespace floe::cli
