#include "plan/search/candidates.hpp"

#include <algorithm>
#include <optional>

#include "core/fixed_log.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/facts/narrow_facts.hpp"

namespace floe::trees {
namespace {

/// Bits of the words, or of differences of some kind.
std::uint64_t min_bits(const StreamFacts& facts) {
  const std::uint64_t differences =
      std::min(*std::min_element(facts.difference_bits.begin() + 1, facts.difference_bits.end()),
               facts.second_difference_bits);
  return std::min(facts.offset_bits, differences);
}

/// If runs are coded: of lengths and words.
std::uint64_t run_bits(const StreamFacts& facts) {
  return facts.runs *
         (min_bits(facts) / facts.sampled + 1 + core::fixed_log2(facts.sampled / facts.runs) / 256);
}

/// If all words but the most frequent one are exceptions: of gaps and words.
std::uint64_t exception_bits(const StreamFacts& facts) {
  const std::uint64_t exceptions = facts.sampled - facts.frequent;
  if (exceptions == 0) return 0;
  return exceptions *
         (min_bits(facts) / facts.sampled + 1 + core::fixed_log2(facts.sampled / exceptions) / 256);
}

/// Where most words are exceptions, these and their positions must take clearly less than all words do.
bool may_be_sparse(const StreamFacts& facts) {
  if (facts.frequent * 2 >= facts.sampled) return true;
  return facts.frequent * frequent_part >= facts.sampled &&
         exception_bits(facts) + 2 * facts.sampled <= min_bits(facts);
}

/// If what the divisor divides is small.
std::uint64_t quotient_bits(const StreamFacts& facts, std::uint64_t divisor) {
  const std::uint64_t saved = facts.sampled * core::fixed_log2(divisor) / 256, bits = min_bits(facts);
  return bits - std::min(bits, saved);
}

/// Returns the facts of the integers that stand for all words, or for most of them if they are shorter;
/// nothing if there are none.
std::optional<StreamFacts> add_decimals(const ColumnView& sample, const StreamFacts& facts,
                                        std::vector<Prospect>& out) {
  std::optional<StreamFacts> found;
  for (const DecimalFacts& decimals : find_decimals_of_parts(sample)) {
    // At more than 15 % exceptions, integers no longer pay.
    if (decimals.exceptions * 100 > decimals.sampled * 15) continue;
    const std::uint64_t exception_bits = 8 * size_of(sample.type) + 8;
    const StreamFacts integers = find_coarse_facts_of_decimals(sample, decimals, max_stride_tried);
    const std::uint64_t bits = min_bits(integers) + decimals.exceptions * exception_bits;
    out.push_back({{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}, bits});
    if (!found && (decimals.exceptions == 0 || bits < min_bits(facts))) found = integers;
  }
  return found;
}

/// The smallest stride at which words are clearly nearer to each other than neighbours are; 1 if there is
/// none.
std::uint32_t best_stride(const StreamFacts& facts) {
  const std::uint64_t neighbours = facts.difference_bits[1],
                      margin = std::max(facts.sampled / 2, neighbours / 8);
  const std::uint64_t min = *std::min_element(facts.difference_bits.begin() + 2, facts.difference_bits.end());
  if (min + margin >= neighbours) return 1;
  std::uint32_t stride = 2;
  while (facts.difference_bits[stride] > min + (neighbours - min) / 8) ++stride;
  return stride;
}

void add_integer_transforms(const StreamFacts& facts, const Position& position, std::vector<Prospect>& out) {
  const bool is_difference = position.parent == EncodingId::delta || position.parent == EncodingId::linear;
  const ShorterDifferences shorter = shorter_differences(facts);
  // Second differences of what is as smooth as a curve without noise have shorter differences again.
  const bool is_smooth = position.order == 2 && facts.difference_bits[1] + facts.sampled < facts.offset_bits;
  if (facts.divisor > 1 && position.parent != EncodingId::int_mult)
    out.push_back({{EncodingId::int_mult, {}}, quotient_bits(facts, facts.divisor)});
  if ((!is_difference || is_smooth) && shorter.of_neighbours)
    out.push_back({{EncodingId::delta, {1, 1}}, facts.difference_bits[1]});
  if ((!is_difference || is_smooth) && shorter.of_differences)
    out.push_back({{EncodingId::delta, {2, 1}}, facts.second_difference_bits});
  if (facts.split_gain_bits > facts.sampled && position.parent != EncodingId::split)
    out.push_back(
        {{EncodingId::split, {0, 0}}, std::min(facts.offset_bits - facts.split_gain_bits, min_bits(facts))});
}

/// Of a word, if two ranges of words are packed apart.
std::uint64_t split_cost(const StreamFacts& facts) {
  return (facts.offset_bits - std::min(facts.offset_bits, facts.split_gain_bits)) * cost_of_bit /
         facts.sampled;
}
/// Of a word's position in a dictionary. In a sorted one, neighbours may have near positions.
std::uint64_t code_cost(const StreamFacts& facts, const Parameters& parameters) {
  const std::uint64_t others = 2 * facts.frequent >= facts.sampled ? facts.sampled - facts.frequent
                                                                   : facts.sampled,
                      cost = core::fixed_log2(facts.distinct) * others / facts.sampled;
  return parameters[0] == 1 ? cost / 2 : cost;
}

}  // namespace

ShorterDifferences shorter_differences(const StreamFacts& facts) {
  const std::uint64_t quarter_bit = facts.sampled / 4;
  return {facts.difference_bits[1] + quarter_bit < facts.offset_bits,
          facts.second_difference_bits + quarter_bit < facts.difference_bits[1], best_stride(facts)};
}

namespace {

/// Where neighbours are near each other, their positions in a sorted dictionary are, too.
void add_dictionaries(const StreamFacts& facts, const StreamFacts& integers, const Position& position,
                      std::vector<Prospect>& out) {
  const auto add = [&](std::uint32_t order, std::uint64_t code_bits, std::uint64_t entries) {
    const Parameters parameters{order, encoding_of(EncodingId::dict).ranges[1].usual};
    out.push_back({{EncodingId::dict, parameters}, code_bits + entries * min_bits(facts) / facts.sampled});
  };
  if (repeats_words(facts)) {
    const auto bits = [&](std::uint32_t order) {
      return facts.sampled * code_cost(facts, {order}) / cost_of_bit;
    };
    add(DictRules::by_frequency_then_value, bits(DictRules::by_frequency_then_value), facts.distinct);
    if (shorter_differences(facts).of_neighbours)
      add(DictRules::by_value, bits(DictRules::by_value), facts.distinct);
  } else if (position.distinct.words > 0) {
    // Positions are nearer to each other than words by as much as words are farther apart than positions.
    const std::uint64_t all_bits = facts.sampled * core::fixed_log2(position.distinct.words) / cost_of_bit,
                        saved = integers.offset_bits - std::min(integers.offset_bits, all_bits),
                        bits = min_bits(integers),
                        entry_bits = saved + 2 * facts.sampled;  // of sorted ones, if all words were entries
    add(DictRules::by_value, bits - std::min(bits, saved) + entry_bits * position.distinct_part / 256, 0);
  }
}

}  // namespace

bool keeps_words(EncodingId encoding) {
  return encoding == EncodingId::sortable || encoding == EncodingId::decimal ||
         encoding == EncodingId::int_mult || encoding == EncodingId::narrow;
}

bool is_curve(const StreamFacts& facts, const Position& position) {
  return position.parent == EncodingId::delta && position.order == 2 &&
         facts.second_difference_bits + 2 * facts.sampled < facts.difference_bits[1] &&
         facts.difference_bits[1] + facts.sampled < facts.offset_bits;
}

std::vector<PlanNode> candidate_leaves(DType type) {
  std::vector<PlanNode> leaves = {{is_integer(type) ? EncodingId::bitpack : EncodingId::raw, {}}};
  if (encoding_of(EncodingId::entropy).accepts(type, {})) leaves.push_back({EncodingId::entropy, {}});
  return leaves;
}

std::vector<Prospect> candidate_transforms(const ColumnView& sample, const StreamFacts& facts,
                                           const Position& position) {
  std::vector<Prospect> out;
  const bool is_run_value = position.parent == EncodingId::rle && position.child == 1;
  if (has_runs(facts) && !is_run_value) out.push_back({{EncodingId::rle, {}}, run_bits(facts)});
  if (may_be_sparse(facts) && position.parent != EncodingId::sparse)
    out.push_back({{EncodingId::sparse, {}}, exception_bits(facts)});
  // Of floats that stand for integers, the exponents and signs make neighbours look far apart, so that what
  // is saved of their bits would seem to leave next to nothing.
  std::optional<StreamFacts> integers;
  if (is_float(sample.type)) integers = add_decimals(sample, facts, out);
  const StreamFacts& neighbours = integers ? *integers : facts;
  if (position.parent != EncodingId::divide && position.parent != EncodingId::delta &&
      size_of(sample.type) >= 4 && (facts.divisor == 1 || is_float(sample.type))) {
    if (const auto divisor = find_divisor(sample)) {
      const std::uint64_t bits = min_bits(facts), min = integers ? min_bits(*integers) : 0;
      out.push_back({{EncodingId::divide, divisor->parameters},
                     std::max(min, bits - std::min(bits, divisor->saved_bits)),
                     divisor->remainder_bits});
    }
  }
  if (is_float(sample.type)) {
    out.push_back({{EncodingId::sortable, {}}, min_bits(facts)});
  } else {
    add_integer_transforms(facts, position, out);
  }
  if (const std::uint32_t stride = shorter_differences(facts).stride; stride > 1) {
    out.push_back({{EncodingId::stride_split, {stride, 0}}, facts.difference_bits[stride]});
    if (is_integer(sample.type) && position.parent != EncodingId::delta)
      out.push_back({{EncodingId::delta, {1, stride}}, facts.difference_bits[stride]});
  }
  if (!position.below_dict && size_of(sample.type) > 1) add_dictionaries(facts, neighbours, position, out);
  return out;
}

void prefer_rows(const StreamFacts& facts, const Position& position, std::span<const std::uint32_t> rows,
                 std::vector<Prospect>& prospects) {
  const std::uint32_t found = shorter_differences(facts).stride;
  if (found == 1 || (position.parent && !(position.child == 0 && keeps_words(*position.parent)))) return;
  const std::uint64_t limit = (facts.difference_bits[found] + facts.difference_bits[1]) / 2;
  for (const std::uint32_t row : rows) {
    if (row > max_stride_tried) return;
    if (facts.difference_bits[row] > limit) continue;
    for (Prospect& of : prospects) {
      const bool is_delta = of.node == PlanNode{EncodingId::delta, {1, found}};
      if (!is_delta && of.node != PlanNode{EncodingId::stride_split, {found, 0}}) continue;
      of.node.parameters[is_delta ? 1 : 0] = row;
      of.bits = facts.difference_bits[row];
    }
    return;
  }
}

void add_narrow(const ColumnView& sample, bool replaces_quotients, std::vector<Prospect>& prospects) {
  if (sample.type != DType::f64) return;
  const auto quotients = std::ranges::find(prospects, PlanNode{EncodingId::divide, {1, 29}}, &Prospect::node);
  if (quotients != prospects.end()) {
    if (replaces_quotients && were_floats(sample)) quotients->node = {EncodingId::narrow, {}};
    return;
  }
  constexpr std::uint64_t few_bits = 8;  // of a word, which floats hardly need less than
  const std::uint64_t sampled = std::min(sample.count, max_sampled_words),
                      known = std::ranges::min(prospects, {}, &Prospect::bits).bits;
  const auto is_short = [&](const Prospect& of) {
    return of.node.encoding == EncodingId::decimal && are_short_decimals(sample, of.node.parameters[0]);
  };
  if (known <= few_bits * sampled || std::ranges::any_of(prospects, is_short)) return;
  const auto found = find_rounded_floats(sample);
  if (!found) return;
  const std::uint64_t exception_bits = 8 * size_of(sample.type) + 8,
                      bits = min_bits(found->facts) + found->exceptions * exception_bits;
  if (bits + sampled > known) return;
  prospects.push_back({{EncodingId::narrow, {found->rounding.digits, found->rounding.kind}}, bits});
}

std::uint64_t optimistic_cost(const StreamFacts& facts) {
  return std::min(min_bits(facts), run_bits(facts)) * cost_of_bit / facts.sampled;
}

std::vector<PlanNode> fastest_first(const std::vector<Prospect>& prospects, const Objective& objective) {
  std::vector<PlanNode> nodes;
  for (const Prospect& prospect : prospects) nodes.push_back(prospect.node);
  std::stable_sort(nodes.begin(), nodes.end(), [&](const PlanNode& a, const PlanNode& b) {
    return time_cost(objective, encoding_of(a.encoding), 1000) <
           time_cost(objective, encoding_of(b.encoding), 1000);
  });
  return nodes;
}

std::vector<PlanNode> short_list(std::vector<Prospect> prospects, std::uint64_t known_bits,
                                 std::uint64_t sampled, const Objective& objective) {
  // Searches that may take long see for themselves.
  if (weighs_encoding(objective) || (is_fast(objective) && !objective.for_devices)) {
    for (Prospect& of : prospects) of.bits = std::max(of.bits, of.remainder_bits);
  }
  std::stable_sort(prospects.begin(), prospects.end(),
                   [](const Prospect& a, const Prospect& b) { return a.bits < b.bits; });
  std::vector<PlanNode> nodes;
  const std::uint64_t min = prospects.empty() ? known_bits : std::min(known_bits, prospects[0].bits),
                      max = min + min / objective.promising_part + sampled;
  for (const Prospect& prospect : prospects) {
    if (nodes.size() == objective.max_candidates) break;
    if (prospect.bits <= max) nodes.push_back(prospect.node);
  }
  return nodes;
}

bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts, std::uint64_t limit,
                 const Objective& objective) {
  const auto time_of_kiloword = [&](EncodingId id) { return time_cost(objective, encoding_of(id), 1024); };
  // Of 1024 words, times and bits of what is packed below.
  const std::uint64_t packing = time_of_kiloword(EncodingId::bitpack), bit = 1024 * cost_of_bit;
  std::uint64_t min = time_of_kiloword(node.encoding);
  switch (node.encoding) {
    case EncodingId::rle:
      min += (2 * packing + 2 * bit) * facts.runs / facts.sampled;
      break;
    case EncodingId::split:
    case EncodingId::stride_split:
      min += packing + std::min(optimistic_cost(facts), split_cost(facts)) * 1024;
      break;
    case EncodingId::dict:
      min += packing + std::min(optimistic_cost(facts), code_cost(facts, node.parameters)) * 1024;
      break;
    default:
      break;
  }
  return sample.whole(sample.words.count) * min / 1024 >= limit;
}

}  // namespace floe::trees
