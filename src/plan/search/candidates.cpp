#include "plan/search/candidates.hpp"

#include <algorithm>

#include "chunks/registry/codec_entry.hpp"
#include "core/fixed_log.hpp"

namespace floe::trees {
namespace {

void add_decimals(const ColumnView& sample, std::vector<PlanNode>& out) {
  const DecimalFacts facts = find_decimals(sample);
  // At more than 15 % exceptions, integers no longer pay.
  if (facts.exceptions * 100 <= facts.sampled * 15)
    out.push_back({EncodingId::decimal, {facts.digits, facts.integer_bytes}});
}

/// The smallest stride at which words are clearly nearer to each other than neighbours are; 1 if there is
/// none.
std::uint32_t best_stride(const StreamFacts& facts) {
  const std::uint64_t neighbours = facts.difference_bits[1],
                      margin = std::max(facts.sampled / 2, neighbours / 8);
  const std::uint64_t least =
      *std::min_element(facts.difference_bits.begin() + 2, facts.difference_bits.end());
  if (least + margin >= neighbours) return 1;
  std::uint32_t stride = 2;
  while (facts.difference_bits[stride] > least + (neighbours - least) / 8) ++stride;
  return stride;
}

void add_integer_transforms(const StreamFacts& facts, const Position& position, std::vector<PlanNode>& out) {
  const bool is_difference = position.parent == EncodingId::delta;
  const ShorterDifferences shorter = shorter_differences(facts);
  if (facts.divisor > 1 && position.parent != EncodingId::int_mult) out.push_back({EncodingId::int_mult, {}});
  if (!is_difference && shorter.of_neighbours) out.push_back({EncodingId::delta, {1, 1}});
  if (!is_difference && shorter.of_differences) out.push_back({EncodingId::delta, {2, 1}});
  if (facts.split_gain_bits > facts.sampled && position.parent != EncodingId::split)
    out.push_back({EncodingId::split, {0, 0}});
}

/// Of a word, if two ranges of words are packed apart.
std::uint64_t split_cost(const StreamFacts& facts) {
  return (facts.offset_bits - std::min(facts.offset_bits, facts.split_gain_bits)) * cost_of_bit /
         facts.sampled;
}
/// Of a word's place in a dictionary. In a sorted one, neighbours may have near places.
std::uint64_t code_cost(const StreamFacts& facts, const Parameters& parameters) {
  const std::uint64_t cost =
      core::fixed_log2(facts.distinct) * (facts.sampled - facts.majority) / facts.sampled;
  return parameters[0] == 1 ? cost / 2 : cost;
}

}  // namespace

ShorterDifferences shorter_differences(const StreamFacts& facts) {
  const std::uint64_t quarter_bit = facts.sampled / 4;
  return {facts.difference_bits[1] + quarter_bit < facts.offset_bits,
          facts.second_difference_bits + quarter_bit < facts.difference_bits[1], best_stride(facts)};
}

std::vector<PlanNode> candidate_leaves(DType type) {
  if (is_integer(type)) return {{EncodingId::bitpack, {}}, {EncodingId::entropy, {}}};
  std::vector<PlanNode> leaves = {{EncodingId::raw, {}}, {EncodingId::entropy, {}}};
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    const PlanNode leaf{EncodingId::codec, {codec.id, 0}};
    if (encoding_of(EncodingId::codec).accepts(type, leaf.parameters) && !codec.takes_dimensionality)
      leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<PlanNode> candidate_transforms(const ColumnView& sample, const StreamFacts& facts,
                                           const Position& position) {
  std::vector<PlanNode> out;
  const bool is_run_value = position.parent == EncodingId::rle && position.child == 1;
  if (has_runs(facts) && !is_run_value) out.push_back({EncodingId::rle, {}});
  if (facts.majority * 2 >= facts.sampled && position.parent != EncodingId::sparse)
    out.push_back({EncodingId::sparse, {}});
  if (position.parent != EncodingId::divide && position.parent != EncodingId::delta &&
      size_of(sample.type) >= 4 && (facts.divisor == 1 || is_float(sample.type))) {
    if (const auto divisor = find_divisor(sample)) out.push_back({EncodingId::divide, *divisor});
  }
  if (is_float(sample.type)) {
    add_decimals(sample, out);
    out.push_back({EncodingId::sortable, {}});
  } else {
    add_integer_transforms(facts, position, out);
  }
  if (const std::uint32_t stride = shorter_differences(facts).stride; stride > 1) {
    out.push_back({EncodingId::stride_split, {stride, 0}});
    if (is_integer(sample.type) && position.parent != EncodingId::delta)
      out.push_back({EncodingId::delta, {1, stride}});
  }
  if (!position.below_dict && repeats_words(facts) && size_of(sample.type) > 1) {
    const std::uint32_t most = encoding_of(EncodingId::dict).ranges[1].usual;
    out.push_back({EncodingId::dict, {2, most}});
    // Where neighbours are near each other, their places in a sorted dictionary are, too.
    if (shorter_differences(facts).of_neighbours) out.push_back({EncodingId::dict, {1, most}});
  }
  return out;
}

std::uint64_t optimistic_cost(const StreamFacts& facts) {
  const std::uint64_t differences =
      std::min(*std::min_element(facts.difference_bits.begin() + 1, facts.difference_bits.end()),
               facts.second_difference_bits);
  const std::uint64_t bits = std::min(facts.offset_bits, differences);
  const std::uint64_t runs =
      facts.runs * (bits / facts.sampled + 1 + core::fixed_log2(facts.sampled / facts.runs) / 256);
  return std::min(bits, runs) * cost_of_bit / facts.sampled;
}

std::vector<PlanNode> fastest_first(std::vector<PlanNode> candidates, const Objective& objective) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](const PlanNode& a, const PlanNode& b) {
    return time_cost(objective, encoding_of(a.encoding), 1000) <
           time_cost(objective, encoding_of(b.encoding), 1000);
  });
  return candidates;
}

bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts, std::uint64_t limit,
                 const Objective& objective) {
  const auto time_of_kiloword = [&](EncodingId id) { return time_cost(objective, encoding_of(id), 1024); };
  // Of 1024 words, times and bits of what is packed below.
  const std::uint64_t packing = time_of_kiloword(EncodingId::bitpack), bit = 1024 * cost_of_bit;
  std::uint64_t least = time_of_kiloword(node.encoding);
  switch (node.encoding) {
    case EncodingId::rle:
      least += (2 * packing + 2 * bit) * facts.runs / facts.sampled;
      break;
    case EncodingId::split:
    case EncodingId::stride_split:
      least += packing + std::min(optimistic_cost(facts), split_cost(facts)) * 1024;
      break;
    case EncodingId::dict:
      least += packing + std::min(optimistic_cost(facts), code_cost(facts, node.parameters)) * 1024;
      break;
    default:
      break;
  }
  return sample.whole(sample.words.count) * least / 1024 >= limit;
}

}  // namespace floe::trees
