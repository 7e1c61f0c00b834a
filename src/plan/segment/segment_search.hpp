// Searches for the tree of a segment, and encodes it. The bytes depend on the segment and the objective
// alone.
#pragma once

#include <optional>
#include <span>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Encodes a segment with the best tree that a search finds: never more than its words, its plan included,
/// but for a byte. If it `is_whole`, not a part of a longer one, a codec may come without its bytes; its size
/// is 0 then. `codec_bytes` becomes what samples promise of the best codec, if any was looked at. Trees of
/// `similar` words are tried first: where one is no worse than what the faster goal finds, the search ends.
/// Throws std::bad_alloc.
EncodedTree encode_searched(const ColumnView& segment, const Objective& objective, Scratch& scratch,
                            bool is_whole = false, std::optional<std::uint64_t>* codec_bytes = nullptr,
                            std::span<const Plan> similar = {});

/// The same of a segment that some tree makes `known_bytes` of: nothing if samples promise clearly more.
std::optional<EncodedTree> encode_searched_below(std::uint64_t known_bytes, const ColumnView& segment,
                                                 const Objective& objective, Scratch& scratch);

}  // namespace floe::trees
