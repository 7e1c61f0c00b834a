// Kernels that take a full chunk through a whole pipeline. Pipelines and instruction sets without one, and
// shorter chunks, run stage by stage (run_pipeline.hpp), which is also what the kernels are tested against.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunks/codecs/codecs.hpp"
#include "chunks/cpu/isa.hpp"
#include "chunks/cpu/overlap.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// Scratch memory of a kernel, aligned to 64.
inline constexpr std::size_t fused_scratch_bytes = 2 * (core::chunk_bytes + 2048);

/// The kernel for a pipeline, a word and an instruction set; FLOE_KERNEL declares those that exist.
template <class Pipeline, core::Word W, Isa isa>
struct Fused {};

template <class Pipeline, class W, Isa isa>
concept HasFused = requires {
  &Fused<Pipeline, W, isa>::encode;
};

using SpeedPipeline = chunk_codecs::SpSpeed::Pipeline;
using NarrowSpeedPipeline = chunk_codecs::Speed16::Pipeline;
using RatioPipeline = chunk_codecs::SpRatio::Pipeline;
using Ratio64Pipeline = chunk_codecs::DpRatio::Pipeline;
using GfcPipeline = chunk_codecs::Gfc64::Pipeline;

/// `chunk` has core::chunk_bytes bytes, and so has `out`; only `scratch` is aligned.
/// - encode returns the bytes of the payload, or core::raw_chunk.
/// - decode writes all of `chunk`; false if the payload contradicts the format. It reads nothing outside the
///   payload. If `past_caches`, it heeds MemoryOverlap::writes_past_caches(); `chunk` is then aligned to 4.
/// - context.overlap, which may be null, advances by as many lines as a chunk has, a few at a time.
#define FLOE_KERNEL(isa, pipeline, word, past_caches)                                               \
  template <>                                                                                       \
  struct Fused<pipeline, word, Isa::isa> {                                                          \
    static constexpr bool decodes_past_caches = past_caches;                                        \
    static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,  \
                              const core::ChunkContext& context) noexcept;                          \
    static bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, \
                       std::uint8_t* scratch, const core::ChunkContext& context) noexcept;          \
  }

/// Defines it by calls of functions of the namespace `isa`.
#define FLOE_DEFINE_KERNEL(isa, pipeline, word, encoding, decoding)                                         \
  std::size_t Fused<pipeline, word, Isa::isa>::encode(const std::uint8_t* chunk, std::uint8_t* out,         \
                                                      [[maybe_unused]] std::uint8_t* scratch,               \
                                                      const core::ChunkContext& context) noexcept {         \
    return isa::encoding;                                                                                   \
  }                                                                                                         \
  bool Fused<pipeline, word, Isa::isa>::decode(const std::uint8_t* payload, std::size_t payload_bytes,      \
                                               std::uint8_t* chunk, [[maybe_unused]] std::uint8_t* scratch, \
                                               const core::ChunkContext& context) noexcept {                \
    return isa::decoding;                                                                                   \
  }

}  // namespace floe::cpu
