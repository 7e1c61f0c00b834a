// The codecs of codecs.def: each is a named list of stages over the words of one chunk.
// Sources: Azami, Fallin, Burtscher, "Efficient Lossless Compression of Scientific Floating-Point Data on
// CPUs and GPUs", ASPLOS 2025 (SPspeed, SPratio, DPspeed, DPratio); O'Neil, Burtscher, "Floating-Point Data
// Compression at 75 Gb/s on a GPU", GPGPU-4, 2011 (GFC).
#pragma once

#include "chunks/stages/stages.hpp"

namespace floe::chunk_codecs {

/// Stages in the order in which they encode. All work on words of the codec's width; a stage that changes the
/// length of its input (pack, drop) hands its bytes to the next one, which takes them as words again with the
/// remainder copied.
template <class... Stages>
struct Pipeline {
  template <core::Word W>
  static constexpr bool accepts = (stages::AnyStage<Stages, W> && ...);
};

/// What codecs.def may name: a unique id that never changes, the public name, the word it works on and its
/// pipeline; `has_history` and `takes_dimensionality` if they are true.
template <class C>
concept Codec = core::Word<typename C::Word> && C::Pipeline::template accepts<typename C::Word>&& requires {
  { C::id } -> std::convertible_to<std::uint16_t>;
  { C::name } -> std::convertible_to<const char*>;
  { C::summary } -> std::convertible_to<const char*>;
};

template <std::uint16_t id_, core::Word W>
struct Speed {
  static constexpr std::uint16_t id = id_;
  using Word = W;
  using Pipeline = chunk_codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;
};

/// Smooth 32-bit data, at the speed of memory. Falls back gracefully on noise: the width of a sub-chunk is
/// what its words need.
struct SpSpeed : Speed<1, std::uint32_t> {
  static constexpr const char* name = "spspeed";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 32-bit words, fast";
};
struct DpSpeed : Speed<2, std::uint64_t> {
  static constexpr const char* name = "dpspeed";
  static constexpr const char* summary = "delta, zig-zag, bit widths per sub-chunk; 64-bit words, fast";
};

/// The same for narrow words, which are also packed as offsets.
template <std::uint16_t id_, core::Word W>
struct NarrowSpeed {
  static constexpr std::uint16_t id = id_;
  using Word = W;
  using Pipeline = chunk_codecs::Pipeline<stages::OffsetPack>;
};
/// Bytes and small integers.
struct Speed8 : NarrowSpeed<7, std::uint8_t> {
  static constexpr const char* name = "speed8";
  static constexpr const char* summary =
      "differences or offsets, bit widths per sub-chunk; 8-bit words, fast";
};
/// Small integers, f16 and bf16.
struct Speed16 : NarrowSpeed<8, std::uint16_t> {
  static constexpr const char* name = "speed16";
  static constexpr const char* summary =
      "differences or offsets, bit widths per sub-chunk; 16-bit words, fast";
};

/// Smooth 32-bit data whose neighbours share many leading bits. Noise or alternating signs defeat it where
/// SPspeed still gains.
struct SpRatio {
  static constexpr std::uint16_t id = 3;
  static constexpr const char* name = "spratio";
  static constexpr const char* summary =
      "delta, zig-zag, bit planes, zero bytes dropped; 32-bit words, small";
  using Word = std::uint32_t;
  using Pipeline =
      chunk_codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitTranspose, stages::DropZeroBytes>;
};

/// 64-bit data with repeated values or predictable upper bits. Slow to compress, and a slice costs its whole
/// segment: stages::MatchHistory runs over the segment before it is cut into chunks.
struct DpRatio {
  static constexpr std::uint16_t id = 4;
  static constexpr const char* name = "dpratio";
  static constexpr const char* summary =
      "value history, delta, zig-zag, adaptive upper bits dropped; 64-bit words, small";
  static constexpr bool has_history = true;
  using Word = std::uint64_t;
  using Pipeline =
      chunk_codecs::Pipeline<stages::Delta, stages::ZigZag, stages::DropZeroTops, stages::DropRepeatedTops>;
};

/// Interleaved tuples of up to 32 values; whole bytes only, so it is simple and fast everywhere. The
/// publication has 64-bit words only.
template <std::uint16_t id_, core::Word W>
struct Gfc {
  static constexpr std::uint16_t id = id_;
  static constexpr const char* name = "gfc";
  static constexpr bool takes_dimensionality = true;
  using Word = W;
  using Pipeline = chunk_codecs::Pipeline<stages::LaneDelta, stages::BytePack>;
};
struct Gfc64 : Gfc<5, std::uint64_t> {
  static constexpr const char* summary =
      "difference to the previous 32 values, leading zero bytes dropped; 64-bit words";
};
struct Gfc32 : Gfc<6, std::uint32_t> {
  static constexpr const char* summary =
      "difference to the previous 32 values, leading zero bytes dropped; 32-bit words";
};

}  // namespace floe::chunk_codecs
