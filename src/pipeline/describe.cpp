#include "pipeline/describe.hpp"

#include <algorithm>

#include "chunks/leaf_decoder.hpp"
#include "plan/explain.hpp"
#include "rows/cells/column_values.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

std::vector<TreeNode> nodes_of(const trees::ColumnView& part, const trees::Plan& plan,
                               trees::Scratch& scratch) {
  std::vector<TreeNode> nodes;
  for (const trees::ExplainedNode& explained : trees::explain_tree(part, plan, scratch)) {
    TreeNode node;
    node.encoding = trees::text_of({{explained.node}});
    node.role = explained.role;
    node.child_count = trees::encoding_of(explained.node.encoding).children_of(explained.node.parameters);
    node.word_count = explained.size.words_bytes / size_of(explained.type);
    node.word_bytes = explained.size.words_bytes;
    node.encoded_bytes = explained.size.encoded_bytes;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

TreeSpeed speed_of(const trees::TreeTime& time, std::uint64_t words) {
  const double nanoseconds = 1e-3 / static_cast<double>(words);
  return {static_cast<double>(time.encode_picoseconds) * nanoseconds,
          static_cast<double>(time.decode_picoseconds) * nanoseconds};
}

/// Decodes the exceptions of a column, which a codec may hold.
Status decode_exceptions(const container::StreamEntry& entry, std::span<const std::uint8_t> bytes,
                         bool checksums, std::vector<std::uint8_t>& exceptions) {
  const auto leaf = chunks::leaf_of_front(bytes, sizeof(std::uint8_t));
  if (!leaf) return trees::decode_stream(bytes, entry.type, entry.count, exceptions.data());
  const chunks::LeafStream stream{*leaf, checksums, entry.words_bytes(), entry.stored_bytes, entry.digest};
  const auto checked = chunks::check_leaf(stream, bytes);
  if (!checked) return checked.status();
  core::Workers this_thread(1, nullptr);
  return chunks::LeafDecoder(this_thread)
      .decode(*checked, bytes.subspan(checked->payloads_offset), 0, exceptions);
}

/// As in "integers, differences from price / 1000".
std::string text_of(const container::BaseColumn& base, const Schema& schema) {
  std::string text = ", differences from " + schema[base.index].name;
  if (base.multiplier != 1) text += " * " + std::to_string(base.multiplier);
  if (base.divisor != 1) text += " / " + std::to_string(base.divisor);
  return text;
}

}  // namespace

Result<StoredColumn> describe_column(const container::ColumnEntry& entry, const Schema& schema,
                                     bool checksums, std::span<const std::span<const std::uint8_t>> streams) {
  StoredColumn described;
  described.cell_format = rows::describe_format(entry.format);
  if (entry.base) described.cell_format += text_of(*entry.base, schema);
  described.bounds = rows::numeric_range(entry);
  for (std::size_t i = 0; i < entry.streams.size(); ++i) {
    const container::StreamEntry& stream = entry.streams[i];
    described.stored_bytes += stream.stored_bytes;
    if (stream.count == 0) {
      described.trees.emplace_back();
      continue;
    }
    const Result<trees::Plan> plan = trees::plan_of(streams[i], stream.type);
    if (!plan) return plan.status();
    described.trees.push_back(trees::text_of(*plan));
    if (entry.format.has_exceptions && i + 3 == entry.streams.size()) {
      std::vector<std::uint8_t> exceptions(stream.count);
      if (const Status status = decode_exceptions(stream, streams[i], checksums, exceptions); !status.ok())
        return status;
      described.exception_count =
          exceptions.size() - static_cast<std::uint64_t>(
                                  std::count(exceptions.begin(), exceptions.end(), container::no_exception));
    }
  }
  return described;
}

PlannedStream describe_stream(const trees::ColumnView& words, std::span<const std::uint8_t> stored,
                              const trees::Objective& objective, bool is_explained) {
  PlannedStream planned;
  planned.words = words.type;
  planned.word_count = words.count;
  planned.stored_bytes = stored.size();
  const Result<std::vector<trees::StreamPart>> parts = trees::parts_of(stored, words.type, words.count);
  if (!parts) return planned;
  planned.part_count = parts->size();
  if (!is_explained || words.count == 0) return planned;

  trees::Scratch scratch;
  const auto longest = std::max_element(parts->begin(), parts->end(),
                                        [](const auto& a, const auto& b) { return a.count < b.count; });
  std::uint64_t first = 0;
  for (auto part = parts->begin(); part != longest; ++part) first += part->count;
  const std::size_t word_bytes = size_of(words.type);
  planned.nodes = nodes_of(
      {words.type, static_cast<const std::uint8_t*>(words.values) + first * word_bytes, longest->count},
      longest->plan, scratch);
  const trees::ColumnView& stream = words;
  for (const trees::Candidate& candidate :
       trees::explain_stream(stream, parts->front().plan, objective, scratch))
    planned.candidates.push_back({trees::text_of(candidate.plan), candidate.estimated_bytes,
                                  candidate.encoded_bytes, speed_of(candidate.estimated_time, stream.count),
                                  speed_of(candidate.measured_time, stream.count), candidate.is_unbeaten,
                                  candidate.keeps_speed});
  return planned;
}

}  // namespace floe::pipeline
