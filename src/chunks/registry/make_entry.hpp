// Joins a codec with the backends: included by one generated translation unit per codec.
#pragma once

#include <algorithm>
#include <type_traits>

#include "chunks/cpu/checksum.hpp"
#include "chunks/cpu/chunk_functions.hpp"
#include "chunks/cpu/match_history.hpp"
#include "chunks/reference/match_history.hpp"
#include "chunks/reference/run_pipeline.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::registry {

static_assert(cpu::raw_chunk == raw_chunk);

template <codecs::Codec C>
struct ReferenceChunks {
  static std::size_t workspace_bytes(std::size_t) { return 0; }
  static std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
    return core::chunk_checksum(checksum.row(0), checksum.padded_bytes());
  }
  static std::size_t encode(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                            std::span<std::uint8_t>, const core::ChunkContext& context) {
    const reference::MaybeBytes payload =
        reference::encode_chunk<C>(reference::Bytes(chunk.begin(), chunk.end()), context);
    if (!payload) return raw_chunk;
    std::copy(payload->begin(), payload->end(), out.begin());
    return payload->size();
  }
  static std::size_t encode_stages(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                                   std::span<std::uint8_t>, const core::ChunkContext& context) {
    const auto payload = reference::encode_stages<typename C::Word>(
        typename C::Pipeline{}, reference::Bytes(chunk.begin(), chunk.end()), context);
    if (!payload || payload->size() > out.size()) return raw_chunk;
    std::copy(payload->begin(), payload->end(), out.begin());
    return payload->size();
  }
  static bool decode(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                     std::span<std::uint8_t>, const core::ChunkContext& context) {
    const reference::MaybeBytes bytes =
        reference::decode_chunk<C>(reference::Bytes(payload.begin(), payload.end()), context);
    if (!bytes) return false;
    std::copy(bytes->begin(), bytes->end(), chunk.begin());
    return true;
  }
};

struct ReferenceHistory {
  static void encode(std::span<const std::uint64_t> words, std::span<std::uint64_t> out) {
    const auto encoded = reference::encode_history({words.begin(), words.end()});
    std::copy(encoded.begin(), encoded.end(), out.begin());
  }
  static bool decode(std::span<const std::uint64_t> in, std::span<std::uint64_t> words) {
    std::vector<std::uint64_t> decoded;
    if (!reference::decode_history({in.begin(), in.end()}, decoded)) return false;
    std::copy(decoded.begin(), decoded.end(), words.begin());
    return true;
  }
};

template <codecs::Codec C, cpu::Isa isa>
ChunkCoder cpu_coder() {
  return {
      cpu::workspace_bytes,           cpu::encode_chunk_with<C, isa>,     cpu::encode_all_stages<C>,
      cpu::decode_chunk_with<C, isa>, cpu::finish_checksum_function(isa), cpu::decodes_past_caches<C, isa>()};
}

template <codecs::Codec C>
ChunkCoder cpu_coder(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::generic:
      break;
    case cpu::Isa::avx2:
      return cpu_coder<C, cpu::Isa::avx2>();
    case cpu::Isa::avx512:
      return cpu_coder<C, cpu::Isa::avx512>();
    case cpu::Isa::neon:
      return cpu_coder<C, cpu::Isa::neon>();
  }
  return cpu_coder<C, cpu::Isa::generic>();
}

template <codecs::Codec C>
CodecEntry make_entry() {
  CodecEntry entry;
  entry.id = C::id;
  entry.name = C::name;
  entry.summary = C::summary;
  entry.word_bits = core::word_bits<typename C::Word>;
  if constexpr (requires { C::takes_dimensionality; }) entry.takes_dimensionality = C::takes_dimensionality;
  entry.cpu = cpu_coder<C>(cpu::active_isa());
  entry.reference = {ReferenceChunks<C>::workspace_bytes, ReferenceChunks<C>::encode,
                     ReferenceChunks<C>::encode_stages,   ReferenceChunks<C>::decode,
                     ReferenceChunks<C>::finish_checksum, false};
  if constexpr (std::is_same_v<typename C::SegmentStage, stages::MatchHistory>) {
    entry.has_history = true;
    entry.cpu_history = {cpu::encode_history, cpu::decode_history};
    entry.segment_history = {cpu::match_scratch_bytes, cpu::find_matches, cpu::coded_words,
                             cpu::resolve_matches};
    entry.reference_history = {ReferenceHistory::encode, ReferenceHistory::decode};
  }
  return entry;
}

}  // namespace floe::registry
