// How a dictionary grows from a sample to the whole stream.
#pragma once

#include <algorithm>
#include <vector>

#include "encodings/stream.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/windows.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

constexpr bool is_dictionary(EncodingId encoding) noexcept {
  return encoding == EncodingId::dict || encoding == EncodingId::unique;
}

/// The first node of a tree that is neither decimals nor floats in their order.
inline EncodingId first_of_integers(const Plan& plan) {
  const auto first = std::find_if(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return node.encoding != EncodingId::decimal && node.encoding != EncodingId::narrow &&
           node.encoding != EncodingId::sortable;
  });
  return first->encoding;
}

/// What a sample of a dictionary does not show.
struct DictGrowth {
  std::uint64_t entry_scale = 256;  ///< Entries of the stream for each one of the sample, in 1/256.
  std::uint64_t code_cost = 0;      ///< What the codes of rare words need more.
  bool is_too_large = false;        ///< Codes do not reach so far.
};

/// `children`: what the encoding made of the sample. Nothing grows that is no dictionary, or where the sample
/// is the stream.
DictGrowth growth_of(const PlanNode& node, const Sample& sample, std::vector<Stream>& children,
                     DistinctCount distinct = {});

}  // namespace floe::trees
