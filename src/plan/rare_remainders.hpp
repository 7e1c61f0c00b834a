// Integers that are multiples of a number, but for a few that samples do not show.
#pragma once

#include "encodings/scratch.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Where a tree divides a stream by what divides all words (`int_mult`), and this is less than what divides
/// nearly all of them, quotients and remainders (`divide`) take its place: one odd lot makes volumes of
/// shares, in hundreds, as long as all shares.
void divide_but_for_few(const ColumnView& stream, Plan& plan, Scratch& scratch);

/// The same of what a tree made of a stream, if that is shorter. `child_planner` may be null. Throws
/// std::bad_alloc.
void encode_but_for_few(const ColumnView& stream, EncodedTree& tree, Scratch& scratch,
                        ChildPlanner* child_planner);

}  // namespace floe::trees
