// SPratio: the smaller codec for 32-bit floats. Format page: docs/format/codecs/spratio.md.
// Source: Azami, Fallin, Burtscher, "Efficient Lossless Compression of Scientific Floating-Point Data on CPUs
// and GPUs", ASPLOS 2025.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/bit_transpose.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/drop_zeros.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::codecs {

/// Smooth 32-bit data whose neighbours share many leading bits. Noise or alternating signs defeat it where
/// SPspeed still gains.
struct SpRatio {
  static constexpr std::uint16_t id = 3;
  static constexpr const char* name = "spratio";
  static constexpr const char* summary =
      "delta, zig-zag, bit planes, zero bytes dropped; 32-bit words, small";
  using Word = std::uint32_t;
  using Pipeline =
      codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitTranspose, stages::DropZeroBytes>;
  using SegmentStage = stages::NoSegmentStage;
};
static_assert(Codec<SpRatio>);

}  // namespace floe::codecs
