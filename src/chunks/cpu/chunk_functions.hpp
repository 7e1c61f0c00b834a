// The chunk functions of a codec for an instruction set: the fused kernel for full chunks where there is one,
// stage by stage otherwise.
#pragma once

#include <cstdint>
#include <span>

#include "chunks/cpu/kernels.hpp"
#include "chunks/cpu/run_pipeline.hpp"
#include "chunks/cpu/workspace.hpp"
#if defined(__x86_64__)
#include "chunks/cpu/avx2/kernels.hpp"
#include "chunks/cpu/avx512/kernels.hpp"
#elif defined(__aarch64__)
#include "chunks/cpu/neon/kernels.hpp"
#endif

namespace floe::cpu {

static_assert(workspace_bytes(core::chunk_bytes) >= fused_scratch_bytes + 63);
inline std::uint8_t* aligned_scratch(std::span<std::uint8_t> workspace) {
  return workspace.data() + (64 - reinterpret_cast<std::uintptr_t>(workspace.data()) % 64) % 64;
}

/// As encode_chunk.
template <chunk_codecs::Codec C, Isa isa>
std::size_t encode_chunk_with(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                              std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
  if constexpr (HasFused<typename C::Pipeline, typename C::Word, isa>) {
    if (chunk.size() == core::chunk_bytes) {
      return Fused<typename C::Pipeline, typename C::Word, isa>::encode(chunk.data(), out.data(),
                                                                        aligned_scratch(workspace), context);
    }
  }
  return encode_chunk<C>(chunk, out, workspace, context);
}

/// As decode_chunk.
template <chunk_codecs::Codec C, Isa isa>
bool decode_chunk_with(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                       std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
  if constexpr (HasFused<typename C::Pipeline, typename C::Word, isa>) {
    if (chunk.size() == core::chunk_bytes) {
      return Fused<typename C::Pipeline, typename C::Word, isa>::decode(
          payload.data(), payload.size(), chunk.data(), aligned_scratch(workspace), context);
    }
  }
  return decode_chunk<C>(payload, chunk, workspace, context);
}

/// Whether decode_chunk_with writes full chunks past the caches if it is told to
/// (core::MemoryOverlap::write_past_caches).
template <chunk_codecs::Codec C, Isa isa>
constexpr bool decodes_past_caches() {
  if constexpr (requires { Fused<typename C::Pipeline, typename C::Word, isa>::decodes_past_caches; }) {
    return Fused<typename C::Pipeline, typename C::Word, isa>::decodes_past_caches;
  }
  return false;
}

}  // namespace floe::cpu
