// Slow, obvious chunk coders out of stages: the definition that the library must equal bit for bit.
#pragma once

#include "chunks/codecs/codecs.hpp"
#include "tests/oracle/byte_pack.hpp"
#include "tests/oracle/drop.hpp"
#include "tests/oracle/drop_tops.hpp"
#include "tests/oracle/map.hpp"
#include "tests/oracle/offset_pack.hpp"
#include "tests/oracle/pack.hpp"
#include "tests/oracle/scan.hpp"
#include "tests/oracle/tile.hpp"

namespace floe::oracle {

template <class Stage, core::Word W>
MaybeBytes encode_stage(const Bytes& in, const core::ChunkContext& context) {
  return encode<Stage, W>(typename Stage::Shape{}, in, context);
}

template <class Stage, core::Word W>
MaybeBytes decode_stage(const Bytes& in, const core::ChunkContext& context) {
  return decode<Stage, W>(typename Stage::Shape{}, in, context);
}

template <core::Word W>
MaybeBytes encode_stages(chunk_codecs::Pipeline<>, const Bytes& in, const core::ChunkContext&) {
  return in;
}

template <core::Word W, class First, class... Rest>
MaybeBytes encode_stages(chunk_codecs::Pipeline<First, Rest...>, const Bytes& in,
                         const core::ChunkContext& context) {
  const MaybeBytes out = encode_stage<First, W>(in, context);
  return out ? encode_stages<W>(chunk_codecs::Pipeline<Rest...>{}, *out, context) : std::nullopt;
}

template <core::Word W>
MaybeBytes decode_stages(chunk_codecs::Pipeline<>, const Bytes& in, const core::ChunkContext&) {
  return in;
}

template <core::Word W, class First, class... Rest>
MaybeBytes decode_stages(chunk_codecs::Pipeline<First, Rest...>, const Bytes& in,
                         const core::ChunkContext& context) {
  const MaybeBytes out = decode_stages<W>(chunk_codecs::Pipeline<Rest...>{}, in, context);
  return out ? decode_stage<First, W>(*out, context) : std::nullopt;
}

/// The payload of a chunk, or nothing if the chunk is to be stored raw: a stage did not fit or nothing was
/// gained.
template <chunk_codecs::Codec C>
MaybeBytes encode_chunk(const Bytes& chunk, const core::ChunkContext& context) {
  MaybeBytes payload = encode_stages<typename C::Word>(typename C::Pipeline{}, chunk, context);
  if (payload && payload->size() >= chunk.size()) return std::nullopt;
  return payload;
}

/// The chunk's bytes, or nothing if the payload contradicts the format.
template <chunk_codecs::Codec C>
MaybeBytes decode_chunk(const Bytes& payload, const core::ChunkContext& context) {
  MaybeBytes chunk = decode_stages<typename C::Word>(typename C::Pipeline{}, payload, context);
  if (chunk && chunk->size() != context.bytes) return std::nullopt;
  return chunk;
}

}  // namespace floe::oracle
