// Encodings that take long and predict well, for searches that look at nothing but sizes.
#pragma once

#include <vector>

#include "plan/search/candidates.hpp"

namespace floe::trees {

/// Adds `grid`, for floats, and `linear`, for integers, where some hundred words show that they may pay.
/// Throws std::bad_alloc.
void add_predictions(const ColumnView& sample, const StreamFacts& facts, const Position& position,
                     std::vector<Prospect>& prospects, Scratch& scratch);

/// `affine` for floats where some hundred words are on lattices, and it may need fewer than `known_bits` for
/// the whole sample. `strides` are those of other dimensions. Throws std::bad_alloc.
std::optional<PlanNode> find_lattices(const ColumnView& sample, const StreamFacts& facts,
                                      const FarStrides& strides, std::uint64_t known_bits, Scratch& scratch);

/// Whether predictions make words of the stream clearly shorter than differences do, going by some hundred of
/// them.
bool promises_predictions(const ColumnView& stream, Scratch& scratch);

}  // namespace floe::trees
