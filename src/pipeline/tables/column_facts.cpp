#include "pipeline/tables/column_facts.hpp"

#include <algorithm>

#include "pipeline/column_codec.hpp"
#include "plan/explain.hpp"
#include "rows/cells/column_values.hpp"
#include "pipeline/tables/segment_decoder.hpp"

namespace floe::tables {
namespace {

std::vector<TreeNode> nodes_of(const series::ColumnView& part, const series::Plan& plan, series::Scratch& scratch) {
  std::vector<TreeNode> nodes;
  for (const series::ExplainedNode& explained : series::explain_tree(part, plan, scratch)) {
    TreeNode node;
    node.encoding = series::text_of({{explained.node}});
    node.role = explained.role;
    node.child_count = series::encoding_of(explained.node.encoding).children_of(explained.node.parameters);
    node.word_count = explained.size.words_bytes / size_of(explained.type);
    node.word_bytes = explained.size.words_bytes;
    node.encoded_bytes = explained.size.encoded_bytes;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

TreeSpeed speed_of(const series::TreeTime& time, std::uint64_t words) {
  const double nanoseconds = 1e-3 / static_cast<double>(words);
  return {static_cast<double>(time.encode_picoseconds) * nanoseconds, static_cast<double>(time.decode_picoseconds) * nanoseconds};
}

}  // namespace

Result<StoredColumn> describe_column(const ColumnEntry& entry, std::span<const std::span<const std::uint8_t>> payloads) {
  StoredColumn described;
  described.writing = describe_writing(entry.writing);
  described.range = numeric_range(entry);
  for (std::size_t i = 0; i < entry.streams.size(); ++i) {
    const StreamEntry& stream = entry.streams[i];
    described.stored_bytes += stream.stored_bytes;
    const Result<series::Plan> plan = series::plan_of(payloads[i], stream.type);
    if (!plan) return plan.status();
    described.trees.push_back(series::text_of(*plan));
    if (entry.writing.has_marks && i + 3 == entry.streams.size()) {
      std::vector<Words> marks;
      if (const Status status = decode_streams({&stream, 1}, payloads[i], marks); !status.ok()) return status;
      const auto values = marks[0].bytes();
      described.literal_count = values.size() - static_cast<std::uint64_t>(std::count(values.begin(), values.end(), value_mark));
    }
  }
  return described;
}

PlannedStream describe_stream(const Words& words, std::span<const std::uint8_t> stored, const series::Objective& objective,
                              bool is_explained) {
  PlannedStream planned;
  planned.words = name_of(words.type());
  planned.word_count = words.count();
  planned.stored_bytes = stored.size();
  const Result<std::vector<series::SegmentPart>> parts = series::parts_of(stored, words.type(), words.count());
  if (!parts) return planned;
  planned.part_count = parts->size();
  if (!is_explained || words.count() == 0) return planned;

  series::Scratch scratch;
  const auto longest = std::max_element(parts->begin(), parts->end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  std::uint64_t first = 0;
  for (auto part = parts->begin(); part != longest; ++part) first += part->count;
  const std::size_t word_bytes = size_of(words.type());
  planned.nodes = nodes_of({words.type(), words.bytes().data() + first * word_bytes, longest->count}, longest->plan, scratch);
  const series::ColumnView stream{words.type(), words.data(), words.count()};
  for (const series::Candidate& candidate : series::explain_stream(stream, parts->front().plan, objective, scratch))
    planned.candidates.push_back({series::text_of(candidate.plan), candidate.estimated_bytes, candidate.encoded_bytes,
                                  speed_of(candidate.estimated_time, stream.count), speed_of(candidate.measured_time, stream.count),
                                  candidate.is_unbeaten, candidate.keeps_speed});
  return planned;
}

}  // namespace floe::tables
