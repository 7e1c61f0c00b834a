// A rival of the segments of a group where they repeat each other: all of them as one, in which matches reach
// from one to the other.
#pragma once

#include <vector>

#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

/// Encodes the words of all segments, which lie one behind the other, as one stream by trees of `coder`, if a
/// sample shows that they repeat each other. If that is smaller, it takes their place. All segments but the
/// last one have the same length. Returns whether it does. Throws std::bad_alloc. Errors: those of the
/// encoder.
Result<bool> join_segments(std::vector<StreamJob>& segments, StreamCoder& coder, GroupEncoder& encoder);

}  // namespace floe::pipeline
