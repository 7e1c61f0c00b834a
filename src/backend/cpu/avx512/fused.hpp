// Which pipelines have AVX-512 kernels.
#pragma once

#include "backend/cpu/avx512/gfc.hpp"
#include "backend/cpu/avx512/ratio32.hpp"
#include "backend/cpu/avx512/speed.hpp"
#include "backend/cpu/fused.hpp"
#include "stages/bit_pack.hpp"
#include "stages/bit_transpose.hpp"
#include "stages/byte_pack.hpp"
#include "stages/delta.hpp"
#include "stages/drop_zeros.hpp"
#include "stages/lane_delta.hpp"
#include "stages/zigzag.hpp"

namespace floe::cpu {

using SpeedPipeline = codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitPack>;

template <>
struct Fused<SpeedPipeline, std::uint32_t, Isa::avx512> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, const core::ChunkContext&) {
    return avx512::encode_speed32(chunk, out, scratch);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t*,
                     const core::ChunkContext&) {
    return avx512::decode_speed32(payload, payload_bytes, chunk);
  }
};

template <>
struct Fused<SpeedPipeline, std::uint64_t, Isa::avx512> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, const core::ChunkContext&) {
    return avx512::encode_speed64(chunk, out, scratch);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t*,
                     const core::ChunkContext&) {
    return avx512::decode_speed64(payload, payload_bytes, chunk);
  }
};

template <>
struct Fused<codecs::Pipeline<stages::Delta, stages::ZigZag, stages::BitTranspose, stages::DropZeroBytes>, std::uint32_t, Isa::avx512> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, const core::ChunkContext&) {
    return avx512::encode_ratio32(chunk, out, scratch);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
                     const core::ChunkContext&) {
    return avx512::decode_ratio32(payload, payload_bytes, chunk, scratch);
  }
};

template <>
struct Fused<codecs::Pipeline<stages::LaneDelta, stages::BytePack>, std::uint64_t, Isa::avx512> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t*, const core::ChunkContext& context) {
    return avx512::encode_gfc64(chunk, out, context.parameters.dimensionality);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t*,
                     const core::ChunkContext& context) {
    return avx512::decode_gfc64(payload, payload_bytes, chunk, context.parameters.dimensionality);
  }
};

template <>
struct Fused<codecs::Pipeline<stages::LaneDelta, stages::BytePack>, std::uint32_t, Isa::avx512> {
  static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t*, const core::ChunkContext& context) {
    return avx512::encode_gfc32(chunk, out, context.parameters.dimensionality);
  }
  static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t*,
                     const core::ChunkContext& context) {
    return avx512::decode_gfc32(payload, payload_bytes, chunk, context.parameters.dimensionality);
  }
};

}  // namespace floe::cpu
