// What a kernel for whole full chunks looks like, and which pipelines go to which kernel.
#pragma once

#include "chunks/cpu/fused.hpp"
#include "chunks/cpu/traffic.hpp"
#include "chunks/stages/bit_pack.hpp"
#include "chunks/stages/bit_transpose.hpp"
#include "chunks/stages/byte_pack.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/drop_tops.hpp"
#include "chunks/stages/drop_zeros.hpp"
#include "chunks/stages/lane_delta.hpp"
#include "chunks/stages/zigzag.hpp"

namespace floe::cpu {

/// The kernels of an instruction set: its folder specialises this with those that it has, under the names
/// used below.
///   std::size_t encode_*(const std::uint8_t* chunk, std::uint8_t* out, ...): `chunk` and `out` have
///   core::chunk_bytes bytes. Returns the bytes of the payload, or core::raw_chunk. bool decode_*(const
///   std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, ...): writes all
///   core::chunk_bytes bytes of `chunk`; false if the payload contradicts the format. Reads nothing outside
///   the payload.
/// `scratch` has fused_scratch_bytes bytes, aligned to 64; the others have any alignment. `dimensionality` is
/// 1 to 32. `traffic`, which may be null, is carried on while the kernel works: as many lines as a chunk has
/// in all, a few at a time. If `decodes_past_caches` is among the names, decode_* of the pipelines that have
/// it below heeds traffic->writes_past_caches(); `chunk` is then aligned to 4.
template <Isa isa>
struct Kernels {};

using SpeedPipeline = codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;
using RatioPipeline =
    codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitTranspose, stages::DropZeroBytes>;
using Ratio64Pipeline =
    codecs::Pipeline<stages::Delta, stages::ZigZag, stages::DropZeroTops, stages::DropRepeatedTops>;
using GfcPipeline = codecs::Pipeline<stages::LaneDelta, stages::BytePack>;

template <Isa isa>
inline constexpr bool has_output_past_caches = requires {
  Kernels<isa>::decodes_past_caches;
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_speed8; }
struct Fused<SpeedPipeline, std::uint8_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_speed8(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_speed8(payload, payload_bytes, chunk, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_speed16; }
struct Fused<SpeedPipeline, std::uint16_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_speed16(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_speed16(payload, payload_bytes, chunk, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_speed32; }
struct Fused<SpeedPipeline, std::uint32_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_speed32(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_speed32(payload, payload_bytes, chunk, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_speed64; }
struct Fused<SpeedPipeline, std::uint64_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_speed64(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_speed64(payload, payload_bytes, chunk, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_ratio32; }
struct Fused<RatioPipeline, std::uint32_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_ratio32(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t* scratch, const core::ChunkContext& context) {
    return Kernels<isa>::decode_ratio32(payload, payload_bytes, chunk, scratch, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_ratio64; }
struct Fused<Ratio64Pipeline, std::uint64_t, isa> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_ratio64(chunk, out, scratch, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t* scratch, const core::ChunkContext& context) {
    return Kernels<isa>::decode_ratio64(payload, payload_bytes, chunk, scratch, context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_gfc32; }
struct Fused<GfcPipeline, std::uint32_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t*,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_gfc32(chunk, out, context.parameters.dimensionality, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_gfc32(payload, payload_bytes, chunk, context.parameters.dimensionality,
                                      context.traffic);
  }
};

template <Isa isa>
requires requires { &Kernels<isa>::encode_gfc64; }
struct Fused<GfcPipeline, std::uint64_t, isa> {
  static constexpr bool decodes_past_caches = has_output_past_caches<isa>;
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t*,
                            const core::ChunkContext& context) {
    return Kernels<isa>::encode_gfc64(chunk, out, context.parameters.dimensionality, context.traffic);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                     std::uint8_t*, const core::ChunkContext& context) {
    return Kernels<isa>::decode_gfc64(payload, payload_bytes, chunk, context.parameters.dimensionality,
                                      context.traffic);
  }
};

}  // namespace floe::cpu
