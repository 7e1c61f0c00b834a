// Whole full chunks in one kernel, for the pipelines and instruction sets that have one; everything else runs
// stage by stage (run_pipeline.hpp), which is also what the kernels are tested against.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunks/codecs/pipeline.hpp"
#include "chunks/cpu/isa.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// Scratch memory of a kernel, aligned to 64.
inline constexpr std::size_t fused_scratch_bytes = 2 * (core::chunk_bytes + 2048);

/// A specialisation has, for chunks of core::chunk_bytes bytes,
///   static std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, const
///   core::ChunkContext&); static bool decode(const std::uint8_t* payload, std::size_t payload_bytes,
///   std::uint8_t* chunk, std::uint8_t* scratch, const core::ChunkContext&);
/// encode returns the payload's bytes, or raw_chunk; `out` has core::chunk_bytes bytes. decode is as safe as
/// decode_chunk.
template <class Pipeline, core::Word W, Isa isa>
struct Fused {};

template <class Pipeline, class W, Isa isa>
concept HasFused = requires {
  &Fused<Pipeline, W, isa>::encode;
};

}  // namespace floe::cpu
