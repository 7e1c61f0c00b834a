// The speed pipeline on 8- and 16-bit words: bytes, small integers, f16 and bf16. Format page:
// docs/format/codecs/narrow_speed.md.
#pragma once

#include "chunks/codecs/pipeline.hpp"
#include "chunks/stages/bit_pack.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::codecs {

template <core::Word W>
struct NarrowSpeed {
  using Word = W;
  using Pipeline = codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;
  using SegmentStage = stages::NoSegmentStage;
};
struct Speed8 : NarrowSpeed<std::uint8_t> {
  static constexpr std::uint16_t id = 7;
  static constexpr const char* name = "speed8";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 8-bit words, fast";
};
struct Speed16 : NarrowSpeed<std::uint16_t> {
  static constexpr std::uint16_t id = 8;
  static constexpr const char* name = "speed16";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 16-bit words, fast";
};
static_assert(Codec<Speed8> && Codec<Speed16>);

}  // namespace floe::codecs
