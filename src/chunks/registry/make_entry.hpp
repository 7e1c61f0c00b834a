// Joins a codec with the functions for its chunks: included by one generated translation unit per codec.
#pragma once

#include "chunks/cpu/checksum.hpp"
#include "chunks/cpu/chunk_functions.hpp"
#include "chunks/cpu/match_history.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::registry {

static_assert(cpu::raw_chunk == raw_chunk);

template <chunk_codecs::Codec C, cpu::Isa isa>
ChunkCoder cpu_coder() {
  return {cpu::workspace_bytes, cpu::encode_chunk_with<C, isa>, cpu::decode_chunk_with<C, isa>,
          cpu::finish_checksum_function(isa), cpu::decodes_past_caches<C, isa>()};
}

template <chunk_codecs::Codec C>
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

template <chunk_codecs::Codec C>
CodecEntry make_entry() {
  CodecEntry entry;
  entry.id = C::id;
  entry.name = C::name;
  entry.summary = C::summary;
  entry.word_bits = core::word_bits<typename C::Word>;
  if constexpr (requires { C::takes_dimensionality; }) entry.takes_dimensionality = C::takes_dimensionality;
  entry.cpu = cpu_coder<C>(cpu::active_isa());
  if constexpr (requires { C::has_history; }) {
    entry.has_history = true;
    entry.segment_history = {cpu::match_scratch_bytes, cpu::find_matches, cpu::coded_words,
                             cpu::resolve_matches};
  }
  return entry;
}

}  // namespace floe::registry
