#include "plan/explain.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "plan/search/finalists.hpp"
#include "plan/search/search.hpp"
#include "plan/search/windows.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::trees {
namespace {

/// Windows of a stream that trees are searched with.
constexpr std::uint64_t explained_window_words = 4096, explained_windows = 3;
/// Weights of a nanosecond of decoding, from none to one beside which bits hardly count.
constexpr std::uint32_t weights[] = {0, 64, 512, 4096, 1 << 20};

std::string_view role_of(const PlanNode& parent, unsigned child) {
  const auto one_of = [child](std::initializer_list<std::string_view> roles) {
    return child < roles.size() ? roles.begin()[child] : "";
  };
  switch (parent.encoding) {
    case EncodingId::delta:
      return one_of({"differences"});
    case EncodingId::rle:
      return one_of({"lengths", "values"});
    case EncodingId::int_mult:
      return one_of({"quotients"});
    case EncodingId::decimal:
      return one_of({"integers", "gaps", "exceptions"});
    case EncodingId::narrow:
      return one_of({"floats", "gaps", "exceptions"});
    case EncodingId::sortable:
      return one_of({"integers"});
    case EncodingId::split:
      return one_of({"stencil", "first", "second"});
    case EncodingId::sparse:
      return one_of({"gaps", "exceptions"});
    case EncodingId::stride_split:
      if (StrideSplitRules::has_one_child(parent.parameters[0])) return one_of({"parts"});
      return one_of({"part 1", "part 2", "part 3", "part 4", "part 5", "part 6", "part 7", "part 8"});
    case EncodingId::dict:
      return one_of({"entries", "codes", "exceptions"});
    case EncodingId::divide:
      return one_of({"quotients", "remainders"});
    case EncodingId::unique:
      return one_of({"entries", "codes"});
    case EncodingId::match:
      return one_of({"literals", "literal lengths", "match lengths", "distances"});
    default:
      return "";
  }
}

/// Roles and types of the nodes below `node`, which is at `index`.
void describe_children(const Plan& plan, std::size_t index, std::vector<ExplainedNode>& out) {
  const PlanNode& node = plan.nodes[index];
  const Encoding& encoding = encoding_of(node.encoding);
  std::size_t child_index = index + 1;
  for (unsigned child = 0; child < encoding.children_of(node.parameters); ++child) {
    out[child_index].role = role_of(node, child);
    out[child_index].type = encoding.child_type(out[index].type, node.parameters, child);
    describe_children(plan, child_index, out);
    child_index = next_sibling(plan, child_index);
  }
}

std::uint64_t picoseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::pico> taken = std::chrono::steady_clock::now() - start;
  return static_cast<std::uint64_t>(taken.count());
}

/// Encodes and decodes the stream. The plan becomes the one that was used.
void try_out(Candidate& candidate, const ColumnView& stream, const Objective& objective, Scratch& scratch) {
  EncodedTree tree;
  candidate.measured_time.encode_picoseconds =
      picoseconds_of([&] { tree = encode_tree(stream, candidate.plan, scratch); });
  const Block decoded = scratch.take(stream.bytes());
  candidate.measured_time.decode_picoseconds = picoseconds_of(
      [&] { decode_tree(tree.plan, tree.body.bytes(), stream.type, stream.count, decoded.data()); });
  candidate.plan = tree.plan;
  candidate.encoded_bytes = tree.body.size();
  candidate.estimated_time = time_of(tree, stream.type, objective);
  candidate.keeps_speed = keeps_speed(tree, stream, objective);
}

void mark_unbeaten(std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    const auto size = candidate.encoded_bytes, time = candidate.estimated_time.decode_picoseconds;
    candidate.is_unbeaten = std::none_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      const auto other_size = other.encoded_bytes, other_time = other.estimated_time.decode_picoseconds;
      return other_size <= size && other_time <= time && (other_size < size || other_time < time);
    });
  }
}

}  // namespace

std::vector<Candidate> explain_stream(const ColumnView& stream, const Plan& chosen,
                                      const Objective& objective, Scratch& scratch) {
  const std::vector<ColumnView> windows = windows_of(stream, explained_window_words, explained_windows);
  Objective size_alone = objective;
  size_alone.encode_nanosecond = size_alone.decode_nanosecond = 0;
  const auto estimated = [&](const Plan& plan) {
    std::uint64_t cost = 0;
    for (const ColumnView& window : windows)
      cost += estimate_tree(plan.nodes, window, stream.count, size_alone, scratch);
    Candidate candidate;
    candidate.plan = plan;
    candidate.estimated_bytes = cost / windows.size() / cost_of_byte;
    return candidate;
  };
  std::vector<Candidate> candidates;
  for (const ColumnView& window : windows) {
    for (const Choice& choice :
         search_trees(window, stream.count, objective, objective.search_depth, scratch)) {
      Candidate candidate = estimated({choice.nodes});
      const auto same_root = std::find_if(
          candidates.begin(), candidates.end(),
          [&candidate](const Candidate& other) { return other.plan.nodes[0] == candidate.plan.nodes[0]; });
      if (same_root == candidates.end()) {
        candidates.push_back(std::move(candidate));
      } else if (candidate.estimated_bytes < same_root->estimated_bytes) {
        *same_root = std::move(candidate);
      }
    }
  }
  Objective weighted = objective;
  for (const std::uint32_t weight : weights) {
    weighted.decode_nanosecond = weight;
    candidates.push_back(
        estimated({find_finalists(stream, weighted, max_plan_depth, scratch).choices[0].nodes}));
  }
  candidates.push_back(estimated(chosen));
  for (auto candidate = candidates.begin(); candidate != candidates.end();) {
    try_out(*candidate, stream, objective, scratch);
    // Trees may differ only below streams that are empty or constant; the chosen one comes last.
    const bool is_known = std::any_of(candidates.begin(), candidate,
                                      [&](const Candidate& other) { return other.plan == candidate->plan; });
    candidate = is_known ? candidates.erase(candidate) : candidate + 1;
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.estimated_bytes < b.estimated_bytes;
  });
  mark_unbeaten(candidates);
  return candidates;
}

std::vector<ExplainedNode> explain_tree(const ColumnView& stream, const Plan& plan, Scratch& scratch) {
  const EncodedTree tree = encode_tree(stream, plan, scratch);
  std::vector<ExplainedNode> nodes(tree.plan.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].node = tree.plan.nodes[i];
    nodes[i].size = tree.sizes[i];
  }
  nodes[0].type = stream.type;
  describe_children(tree.plan, 0, nodes);
  return nodes;
}

}  // namespace floe::trees
