// Values seen before in the same context: published as FCM, the first step of DPratio.
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// A stage over a whole segment, before it is cut into chunks: n words become 2n words, n values followed by
/// n distances. The context of a word is a 32-bit key made of the three words before it (0 where there are
/// none). Of the at most four latest earlier words with the same key, newest first, the first equal one is
/// the match: value 0, distance to it. Words without a match keep their value and get distance 0.
struct MatchHistory {
  static constexpr unsigned candidates = 4;
  static constexpr unsigned context_words = 3;

  static FLOE_HD constexpr std::uint32_t hash(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word) ^ static_cast<std::uint32_t>(word >> 32);
  }
};

/// For codecs that have no stage over the segment.
struct NoSegmentStage {};

}  // namespace floe::stages
