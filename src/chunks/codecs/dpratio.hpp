// DPratio: the smaller codec for 64-bit floats. Format page: docs/format/codecs/dpratio.md.
// Source: Azami, Fallin, Burtscher, "Efficient Lossless Compression of Scientific Floating-Point Data on CPUs
// and GPUs", ASPLOS 2025.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/drop_tops.hpp"
#include "chunks/stages/match_history.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::codecs {

/// 64-bit data with repeated values or predictable upper bits. Slow to compress, and a slice costs its whole
/// segment, because the search for matches runs over the segment before it is cut into chunks.
struct DpRatio {
  static constexpr std::uint16_t id = 4;
  static constexpr const char* name = "dpratio";
  static constexpr const char* summary =
      "value history, delta, zig-zag, adaptive upper bits dropped; 64-bit words, small";
  using Word = std::uint64_t;
  using Pipeline =
      codecs::Pipeline<stages::Delta, stages::ZigZag, stages::DropZeroTops, stages::DropRepeatedTops>;
  using SegmentStage = stages::MatchHistory;
};
static_assert(Codec<DpRatio>);

}  // namespace floe::codecs
