// DPspeed: the fast codec for 64-bit floats. Format page: docs/format/codecs/dpspeed.md.
// Source: Azami, Fallin, Burtscher, "Efficient Lossless Compression of Scientific Floating-Point Data on CPUs
// and GPUs", ASPLOS 2025.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/bit_pack.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::codecs {

/// SPspeed on 64-bit words.
struct DpSpeed {
  static constexpr std::uint16_t id = 2;
  static constexpr const char* name = "dpspeed";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 64-bit words, fast";
  using Word = std::uint64_t;
  using Pipeline = codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;
  using SegmentStage = stages::NoSegmentStage;
};
static_assert(Codec<DpSpeed>);

}  // namespace floe::codecs
