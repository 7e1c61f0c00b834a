// What turns the words of a stream into integers whose differences to far words may be short, and what that
// costs.
#pragma once

#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/far/steps.hpp"
#include "plan/search/search.hpp"

namespace floe::trees {

/// A tree but for the sub-tree of the integers.
struct FarFrame {
  std::vector<PlanNode> before, behind;
  std::size_t depth = 0;   ///< Nodes above the integers.
  DType type = DType::u8;  ///< Of the integers.
  std::uint64_t cost = 0;  ///< For the whole stream.
  Integers integers;
};

/// Those of which integers can be had word by word: integers as they are, floats in their order, decimals.
/// The words must remain. Precondition: at least 1024 words. Throws std::bad_alloc, as what follows.
std::vector<FarFrame> frames_of_words(const ColumnView& stream, const Objective& objective, Scratch& scratch);
/// Codes of a dictionary that has all words in their order; none if it has too many. Keeps the codes, whose
/// memory `scratch` gives.
std::optional<FarFrame> frame_of_codes(const ColumnView& stream, const Objective& objective,
                                       Scratch& scratch);

}  // namespace floe::trees
