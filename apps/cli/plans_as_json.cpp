#include "plans_as_json.hpp"

#include <fmt/format.h>

#include "series_facts.hpp"

namespace floe::cli {
namespace {

/// In nanoseconds per word.
Json speed_as_json(const tables::TreeSpeed& speed) {
  return {{"encode_nanoseconds", speed.encode_nanoseconds}, {"decode_nanoseconds", speed.decode_nanoseconds}};
}

Json stream_as_json(const tables::PlannedStream& stream) {
  Json json = {{"words", stream.words},
               {"word_count", stream.word_count},
               {"stored_bytes", stream.stored_bytes},
               {"parts", stream.part_count}};
  json["candidates"] = Json::array();
  for (const tables::CandidateTree& candidate : stream.candidates)
    json["candidates"].push_back({{"tree", candidate.tree},
                                  {"estimated_bytes", candidate.estimated_bytes},
                                  {"encoded_bytes", candidate.encoded_bytes},
                                  {"estimated_speed", speed_as_json(candidate.estimated_speed)},
                                  {"measured_speed", speed_as_json(candidate.measured_speed)},
                                  {"unbeaten", candidate.is_unbeaten},
                                  {"keeps_speed", candidate.keeps_speed}});
  json["nodes"] = Json::array();
  for (const tables::TreeNode& node : stream.nodes)
    json["nodes"].push_back({{"encoding", node.encoding},
                             {"role", node.role},
                             {"children", node.child_count},
                             {"words", node.word_count},
                             {"word_bytes", node.word_bytes},
                             {"encoded_bytes", node.encoded_bytes}});
  return json;
}

Json planned_as_json(const tables::PlannedSegment& segment) {
  Json json = segment_as_json(segment.stored);
  json["source_bytes"] = segment.source_bytes;
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    Json& column = json["columns"][i];
    column["source_bytes"] = segment.columns[i].source_bytes;
    column["streams"] = Json::array();
    for (const tables::PlannedStream& stream : segment.columns[i].streams)
      column["streams"].push_back(stream_as_json(stream));
  }
  return json;
}

/// `indent`: of all lines but the first.
std::string json_text(const Json& json, std::size_t indent) {
  std::string text;
  for (const char c : json.dump(2, ' ', false, Json::error_handler_t::replace)) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
  return text;
}

/// ",\n    "rows": 3, ..." of an object's members.
std::string members_text(const Json& object) {
  std::string text;
  for (const auto& [name, value] : object.items())
    text += fmt::format(",\n    {}: {}", Json(name).dump(), json_text(value, 4));
  return text;
}

}  // namespace

void PlansAsJson::begin(const std::string& file) {
  end_plan("");
  fmt::print("{}\n  {{\n    \"file\": {},\n    \"segments\": [", plan_count_++ == 0 ? "[" : ",",
             json_text(Json(file), 4));
  segment_count_ = 0;
  is_open_ = true;
}

void PlansAsJson::add(const tables::PlannedSegment& segment) {
  fmt::print("{}\n      {}", segment_count_++ == 0 ? "" : ",", json_text(planned_as_json(segment), 6));
}

void PlansAsJson::finish(const tables::TableInfo& info, std::uint64_t source_bytes) {
  Json members = head_as_json("", info);
  members.erase("file");
  members.erase("segments");
  members["source_bytes"] = source_bytes;
  end_plan(members_text(members));
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
