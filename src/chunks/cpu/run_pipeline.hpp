// The portable CPU backend: a chunk's stages run one after the other between two areas of the caller's
// workspace.
#pragma once

#include <cassert>
#include <optional>
#include <span>
#include <type_traits>

#include "chunks/codecs/codecs.hpp"
#include "chunks/cpu/byte_pack.hpp"
#include "chunks/cpu/drop.hpp"
#include "chunks/cpu/drop_tops.hpp"
#include "chunks/cpu/map.hpp"
#include "chunks/cpu/offset_pack.hpp"
#include "chunks/cpu/pack.hpp"
#include "chunks/cpu/scan.hpp"
#include "chunks/cpu/tile.hpp"
#include "chunks/cpu/workspace.hpp"

namespace floe::cpu {

using core::raw_chunk;

using StageBytes = std::span<const std::uint8_t>;
using MaybeStageBytes =
    std::optional<StageBytes>;  ///< Empty: does not fit (encoding) or contradicts the format (decoding).

template <core::Word W>
MaybeStageBytes encode_stages(chunk_codecs::Pipeline<>, StageBytes in, const PingPong&,
                              const core::ChunkContext&) {
  return in;
}

template <core::Word W, class First, class... Rest>
MaybeStageBytes encode_stages(chunk_codecs::Pipeline<First, Rest...>, StageBytes in, const PingPong& areas,
                              const core::ChunkContext& context) {
  std::uint8_t* const out = areas.other_than(in.data());
  const std::size_t out_bytes = encode<First, W>(typename First::Shape{}, in.data(), in.size(), out, context);
  if (out_bytes == no_result) return std::nullopt;
  return encode_stages<W>(chunk_codecs::Pipeline<Rest...>{}, {out, out_bytes}, areas, context);
}

template <core::Word W>
MaybeStageBytes decode_stages(chunk_codecs::Pipeline<>, StageBytes in, const PingPong&,
                              const core::ChunkContext&) {
  return in;
}

template <core::Word W, class First, class... Rest>
MaybeStageBytes decode_stages(chunk_codecs::Pipeline<First, Rest...>, StageBytes in, const PingPong& areas,
                              const core::ChunkContext& context) {
  const MaybeStageBytes encoded = decode_stages<W>(chunk_codecs::Pipeline<Rest...>{}, in, areas, context);
  if (!encoded) return std::nullopt;
  std::uint8_t* const out = areas.other_than(encoded->data());
  const std::size_t out_bytes =
      decode<First, W>(typename First::Shape{}, encoded->data(), encoded->size(), out, context);
  if (out_bytes == no_result) return std::nullopt;
  return StageBytes{out, out_bytes};
}

/// Undoes the first stage, which writes the chunk itself. Stages that keep the length write nothing past it
/// and so need no copy.
template <core::Word W, class First, class... Rest>
bool decode_to_chunk(chunk_codecs::Pipeline<First, Rest...> pipeline, StageBytes payload,
                     std::span<std::uint8_t> chunk, const PingPong& areas,
                     const core::ChunkContext& context) {
  using Shape = typename First::Shape;
  constexpr bool keeps_length =
      std::is_same_v<Shape, stages::MapShape> || std::is_same_v<Shape, stages::ScanShape> ||
      std::is_same_v<Shape, stages::LaneScanShape> || std::is_same_v<Shape, stages::TileShape>;
  if constexpr (keeps_length) {
    const MaybeStageBytes encoded =
        decode_stages<W>(chunk_codecs::Pipeline<Rest...>{}, payload, areas, context);
    if (!encoded || encoded->size() != chunk.size()) return false;
    decode<First, W>(Shape{}, encoded->data(), encoded->size(), chunk.data(), context);
  } else {
    const MaybeStageBytes bytes = decode_stages<W>(pipeline, payload, areas, context);
    if (!bytes || bytes->size() != chunk.size()) return false;
    std::copy(bytes->begin(), bytes->end(), chunk.begin());
  }
  return true;
}

/// The payload of a chunk: raw_chunk if a stage did not fit or the payload would not be shorter than the
/// chunk. Needs out.size() >= chunk.size() > 0 and workspace_bytes(chunk.size()) bytes of workspace.
/// Allocates nothing.
template <chunk_codecs::Codec C>
std::size_t encode_chunk(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                         std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
  assert(!chunk.empty() && out.size() >= chunk.size() && context.bytes == chunk.size() &&
         workspace.size() >= workspace_bytes(chunk.size()));
  const PingPong areas(workspace.data(), chunk.size());
  const MaybeStageBytes payload =
      encode_stages<typename C::Word>(typename C::Pipeline{}, chunk, areas, context);
  if (!payload || payload->size() >= chunk.size()) return raw_chunk;
  std::copy(payload->begin(), payload->end(), out.begin());
  return payload->size();
}

/// Writes all of `chunk`, or returns false if the payload contradicts the format. Any payload is safe:
/// nothing is read outside it and nothing written outside `chunk` and `workspace`. Needs
/// workspace_bytes(chunk.size()) bytes of workspace. Allocates nothing.
template <chunk_codecs::Codec C>
bool decode_chunk(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                  std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
  assert(workspace.size() >= workspace_bytes(chunk.size()) && context.bytes == chunk.size());
  if (payload.size() > stage_bytes(chunk.size())) return false;
  const PingPong areas(workspace.data(), chunk.size());
  std::uint8_t* const copy = areas.other_than(nullptr);
  std::fill_n(std::copy(payload.begin(), payload.end(), copy), slack_bytes, std::uint8_t{0});
  return decode_to_chunk<typename C::Word>(typename C::Pipeline{}, {copy, payload.size()}, chunk, areas,
                                           context);
}

}  // namespace floe::cpu
