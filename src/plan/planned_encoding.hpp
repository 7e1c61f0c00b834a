// Encodes a segment with a known tree, or another one that promises fewer bytes. The bytes depend on the
// segment, the tree and the objective alone.
#pragma once

#include <optional>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// With a tree that was good for other segments. Streams that it does not take get small trees of their own.
EncodedTree encode_remembered(const ColumnView& segment, const Plan& plan, Scratch& scratch);

/// With the best tree that a search finds, for a segment that some tree makes `known_bytes` of: nothing if
/// the tree that a search finds promises no fewer, where that is all that counts.
std::optional<EncodedTree> encode_if_promising(const ColumnView& segment, const Objective& objective,
                                               std::uint64_t known_bytes, Scratch& scratch);

/// Whether a segment was encoded with `used` as encode_remembered does it with `wanted`, whatever else there
/// was to plan children with: it took another leaf only where leaves take all words, or where these are
/// equal.
bool fits_everywhere(const Plan& used, const Plan& wanted);

}  // namespace floe::trees
