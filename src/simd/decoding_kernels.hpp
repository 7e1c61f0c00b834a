// What decoding does with words of one width: in place, or straight to where they belong. Once per
// instruction set, as in simd/kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/word.hpp"

namespace floe::trees {

/// Runs of equal words, and how far they are written.
template <core::Word W>
struct Runs {
  const std::uint32_t* lengths;
  const W* values;
  std::size_t count;
  std::size_t next;    ///< The run that is written.
  std::uint32_t left;  ///< Words of it that are missing.
};

/// Nothing needs to be aligned.
template <core::Word W>
struct DecodingKernels {
  /// Adds to each word the one `stride` words before it, which is a sum by then. `history` has the `stride`
  /// words before the first one, and then the last ones. Precondition: stride > 0.
  void (*add_up)(W* words, std::size_t count, std::size_t stride, W* history);
  /// Adds to each word one of `last`, which do not overlap them, and becomes the sum. If it `turns`, words
  /// are turned sums in the end.
  void (*add)(W* words, W* last, std::size_t count, bool turns);
  /// Inverts all bits but the sign of words whose top bit is set. `to` may be `from`.
  void (*turn)(const W* from, W* to, std::size_t count);
  /// words[i] * factor + base.
  void (*scale)(W* words, std::size_t count, W factor, W base);
  /// words[i] * divisor + remainders[i]; by_magnitude: of words without their sign, which comes back then.
  void (*join)(W* words, const W* remainders, std::size_t count, W divisor, bool by_magnitude);
  /// Writes words until there are `count` or no run is left; returns how many. Up to the end of the `count`
  /// words anything may be written.
  std::size_t (*repeat)(Runs<W>& runs, W* words, std::size_t count);
  /// words[row * parts + part] = from[part * distance + row].
  void (*interleave)(const W* from, std::size_t distance, std::size_t parts, std::size_t rows, W* words);
};

}  // namespace floe::trees
