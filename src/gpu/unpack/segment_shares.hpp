// The shares into which warps that need no block divide segments. Each takes a few vectors at a time: few
// enough that all have some, and of the last segments fewer, so that they end together. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/word.hpp"

namespace floe::gpu {

/// How the segments of a column are divided, all alike: shorter ones as if they were as long.
struct ShareSizes {
  std::uint16_t vectors = 0, shares = 0;  ///< Vectors of a share; shares of a segment.

  /// Shares of up to `max` vectors.
  static constexpr ShareSizes of(std::uint32_t vectors, std::uint32_t max) {
    const std::uint32_t shares = (vectors + max - 1) / max;
    return {static_cast<std::uint16_t>((vectors + shares - 1) / shares), static_cast<std::uint16_t>(shares)};
  }
};

/// How many vectors a warp takes at a time, and of which segment on it takes fewer.
struct SharePlan {
  std::uint32_t coarse = 1, fine = 1;
  std::uint32_t first_fine = 0;  ///< Of the segments.

  /// For so many vectors, in segments of about the same length. When the coarse shares are at their end,
  /// warps differ by up to one of them; as many vectors as that are left to the fine ones.
  static constexpr SharePlan of(std::uint64_t vectors, std::uint32_t segments, std::uint32_t warps) {
    SharePlan plan;
    plan.coarse =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(vectors / (4 * std::uint64_t{warps}), 1, 8));
    plan.fine = std::max(1u, plan.coarse / 4);
    const std::uint64_t left = std::min<std::uint64_t>(vectors, std::uint64_t{warps} * plan.coarse);
    if (vectors > 0) plan.first_fine = static_cast<std::uint32_t>(segments - segments * left / vectors);
    return plan;
  }
};

/// A share of a column of which `coarse_segments` segments have coarse shares, and others fine ones.
struct ShareRange {
  std::uint32_t segment = 0, first = 0, vectors = 0;

  static FLOE_HD constexpr ShareRange of(std::uint32_t index, std::uint32_t coarse_segments,
                                         ShareSizes coarse, ShareSizes fine) {
    const std::uint32_t coarse_shares = coarse_segments * coarse.shares;
    const bool is_fine = index >= coarse_shares;
    const ShareSizes sizes = is_fine ? fine : coarse;
    if (is_fine) index -= coarse_shares;
    return {index / sizes.shares + (is_fine ? coarse_segments : 0), index % sizes.shares * sizes.vectors,
            sizes.vectors};
  }
};

}  // namespace floe::gpu
