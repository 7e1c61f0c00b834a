// SPspeed: the fast codec for 32-bit floats. Format page: docs/format/codecs/spspeed.md.
// Source: Azami, Fallin, Burtscher, "Efficient Lossless Compression of Scientific Floating-Point Data on CPUs
// and GPUs", ASPLOS 2025.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/bit_pack.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::codecs {

/// Smooth 32-bit data, at the speed of memory. Falls back gracefully on noise: the width of a sub-chunk is
/// what its words need.
struct SpSpeed {
  static constexpr std::uint16_t id = 1;
  static constexpr const char* name = "spspeed";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 32-bit words, fast";
  using Word = std::uint32_t;
  using Pipeline = codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;
  using SegmentStage = stages::NoSegmentStage;
};
static_assert(Codec<SpSpeed>);

}  // namespace floe::codecs
