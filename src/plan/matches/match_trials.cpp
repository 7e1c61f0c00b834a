#include "plan/matches/match_trials.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plan/matches/matches.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Where the first trees with matches do not save such a part of the best one, the last ones are not tried.
constexpr std::uint64_t last_matches = 2, saved_by_first = 128;
/// Where matches need more than the best tree by such a part, longer ones are not tried.
constexpr std::uint64_t matches_part = 32;
/// Nor are matches of single words, of fewer than eight bytes, if all before need more by such a part; and of
/// integers that floats are taken for, the same differences, if those before need more by another.
constexpr std::uint64_t hopeless_part_of_words = 4, hopeless_part = 8;
/// Streams below matches get better trees unless quick ones make the whole longer than the best tree by such
/// a part.
constexpr std::uint64_t near_part = 16;
/// Where time counts, that is the part of the bytes that better trees of streams below may save.
constexpr std::uint64_t saved_by_children = 8;
/// Where matches pay in a tree, so often others are looked for in what it is then.
constexpr unsigned max_more = 2;

/// Where matches of bytes that are found in little time leave more than the best tree by such a part, the
/// best ones, which take ten times as long, are not looked for. Such a part of the bytes is looked at first.
constexpr std::uint64_t far_part = 8, middle_part = 8;

bool is_of_faster_goal(const Plan& plan) {
  return plan.nodes[0].encoding == EncodingId::match && plan.nodes[0].parameters[0] == 0;
}

}  // namespace

void MatchTrials::run(const Plan& first) {
  InnerMatchSearch inner(segment_, objective_, scratch_);
  // What is looked at serves no search, and would take the place of what does.
  const auto look = [&](const auto& at) {
    const SearchMemo::Episode episode(memo_);
    return inner.of(at, encoded_bytes(best_));
  };
  // Where matches are better by little, streams of the best other tree may repeat, too; or, where that begins
  // otherwise, those of the tree that was found first.
  std::vector<InnerMatches> own = look(best_);
  if (own.empty() && first.nodes[0] != best_.wanted.nodes[0]) own = look(first);
  consider_words();
  std::vector<InnerMatches> all = look(InnerMatchSearch::any_tree);
  all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  std::stable_sort(all.begin(), all.end(),
                   [](const InnerMatches& a, const InnerMatches& b) { return a.bytes < b.bytes; });
  consider(all);
  for (unsigned i = 0; i < max_more && has_inner_matches_; ++i) {
    has_inner_matches_ = false;
    consider(look(best_));
  }
}

EncodedTree MatchTrials::encode(const Plan& plan, const Objective& of_children) {
  SampledChildPlanner child_planner(of_children, encoded_bytes(best_) * cost_of_byte, scratch_);
  return encode_tree(segment_, plan, scratch_, &child_planner);
}

void MatchTrials::keep_if_preferred(EncodedTree tree) {
  if (is_preferred(tree, best_, segment_, objective_)) best_ = std::move(tree);
}

void MatchTrials::consider_words() {
  const std::vector<Plan> plans = match_plans(segment_, best_, objective_, scratch_);
  if (plans.empty() || is_far_from_best(plans[0])) return;
  if (!objective_.remembers) return consider_all_words(plans);
  Objective weighed = objective_;
  weighed.encode_nanosecond = 0;  // the time is spent
  const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, weighed); };
  for (const Plan& plan : plans) {
    // The first plan is that of a faster goal. Where it is no better, others hardly are.
    const bool is_fast = objective_.rival && is_of_faster_goal(plan);
    EncodedTree matched = encode(plan, is_fast ? faster_ : objective_);
    if (weighs_time(objective_) ? cost(matched) < cost(best_)
                                : is_preferred(matched, best_, segment_, objective_))
      best_ = std::move(matched);
    else if (is_fast)
      break;
  }
}

bool MatchTrials::is_far_from_best(Plan matches) {
  if (size_of(segment_.type) > 1 || is_of_faster_goal(matches)) return false;
  matches.nodes[0].parameters[0] = 0;
  const SearchMemo::Episode episode(memo_);
  const auto is_far = [&](std::uint64_t part) {
    const std::uint64_t count = segment_.count / part, known = encoded_bytes(best_) / part;
    const auto* const bytes =
        static_cast<const std::uint8_t*>(segment_.values) + (segment_.count - count) / 2;
    return encoded_bytes(encode_tree({segment_.type, bytes, count}, matches, scratch_)) >
           known + known / far_part;
  };
  return is_far(middle_part) && is_far(1);
}

void MatchTrials::consider_all_words(const std::vector<Plan>& plans) {
  const std::uint64_t known = encoded_bytes(best_);
  const bool stays_hopeless = size_of(segment_.type) < 8 && is_of_faster_goal(plans[0]);
  std::uint64_t fewest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool is_last = i > 0 && i + last_matches >= plans.size();
    if (is_last && encoded_bytes(best_) + known / saved_by_first > known) return;
    if (i > 1 && stays_hopeless && fewest > known + known / hopeless_part_of_words) return;
    const SearchMemo::Episode episode(memo_);  // nothing that matches leave of a stream serves others
    fewest = std::min(fewest, consider_all_of(plans[i]));
  }
}

void MatchTrials::consider(const std::vector<InnerMatches>& choices) {
  std::vector<PlanNode> hopeless;  // above matches
  for (const InnerMatches& matches : choices) {
    const std::uint64_t bytes = encoded_bytes(best_);
    if (objective_.remembers && matches.bytes > bytes) return;
    const std::vector<PlanNode>& nodes = matches.plan.nodes;
    const EncodingId first = nodes[0].encoding;
    const bool is_of_floats = !objective_.remembers && matches.node == 2 &&
                              (first == EncodingId::sortable || first == EncodingId::grid);
    if (is_of_floats && std::ranges::find(hopeless, nodes[1]) != hopeless.end()) continue;
    if (consider(matches) > bytes + bytes / hopeless_part && is_of_floats) hopeless.push_back(nodes[1]);
    has_inner_matches_ = has_inner_matches_ || encoded_bytes(best_) < bytes;
  }
}

std::uint64_t MatchTrials::consider(const InnerMatches& matches) {
  if (objective_.remembers) {
    // To search for trees of all that is short, and for longer matches, would take several times as long.
    const std::uint64_t bytes = encoded_bytes(encode_tree(segment_, with_match_effort(matches, 0), scratch_));
    if (bytes <= encoded_bytes(best_) + encoded_bytes(best_) / saved_by_children)
      keep_if_preferred(encode(matches.plan, objective_));
    return bytes;
  }
  const SearchMemo::Episode episode(memo_);
  remember_matched_stream(matches);
  const std::uint64_t bytes = consider_all_of(matches.plan);
  if (bytes <= encoded_bytes(best_) + encoded_bytes(best_) / matches_part)
    consider_all_of(with_match_effort(matches, 2));
  return bytes;
}

/// What it is made of takes less time than most of what is remembered, but its matches take longer.
void MatchTrials::remember_matched_stream(const InnerMatches& matches) {
  if (scratch_.memo == nullptr) return;
  const std::vector<PlanNode>& nodes = matches.plan.nodes;
  ColumnView stream = segment_;
  for (std::size_t node = 0; node < matches.node;) {
    const auto* const made = scratch_.memo->encode(
        nodes[node].encoding, encoding_of(nodes[node].encoding).encode, stream, nodes[node].parameters, true);
    if (made == nullptr || !made->fits) return;
    std::size_t child = node + 1, index = 0;
    for (std::size_t next; (next = next_sibling(matches.plan, child)) <= matches.node; child = next) ++index;
    stream = made->children[index].view();
    node = child;
  }
}

/// Streams below get trees as with a faster goal first, which takes an eighth of the time. Returns the bytes.
std::uint64_t MatchTrials::consider_all_of(const Plan& plan) {
  const std::uint64_t known = encoded_bytes(best_);
  EncodedTree tree = encode(plan, faster_);
  std::uint64_t bytes = encoded_bytes(tree);
  if (bytes <= known + known / near_part && !is_of_faster_goal(plan)) {
    tree = encode(plan, objective_);
    bytes = encoded_bytes(tree);
  }
  keep_if_preferred(std::move(tree));
  return bytes;
}

}  // namespace floe::trees
