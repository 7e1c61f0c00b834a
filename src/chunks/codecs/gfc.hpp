// GFC for 64-bit and 32-bit floats. Format page: docs/format/codecs/gfc.md.
// Source: O'Neil, Burtscher, "Floating-Point Data Compression at 75 Gb/s on a GPU", GPGPU-4, 2011; for 32
// bits: the same scheme.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/byte_pack.hpp"
#include "chunks/stages/lane_delta.hpp"

namespace floe::codecs {

/// Interleaved tuples of up to 32 values; whole bytes only, so it is simple and fast everywhere.
template <core::Word W>
struct Gfc {
  static constexpr const char* name = "gfc";
  static constexpr bool takes_dimensionality = true;
  using Word = W;
  using Pipeline = codecs::Pipeline<stages::LaneDelta, stages::BytePack>;
  using SegmentStage = stages::NoSegmentStage;
};
struct Gfc64 : Gfc<std::uint64_t> {
  static constexpr std::uint16_t id = 5;
  static constexpr const char* summary =
      "difference to the previous 32 values, leading zero bytes dropped; 64-bit words";
};
struct Gfc32 : Gfc<std::uint32_t> {
  static constexpr std::uint16_t id = 6;
  static constexpr const char* summary =
      "difference to the previous 32 values, leading zero bytes dropped; 32-bit words";
};
static_assert(Codec<Gfc64> && Codec<Gfc32>);

}  // namespace floe::codecs
