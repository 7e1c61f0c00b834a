// BytePackShape: groups of 32 words; 16 bytes of 4-bit codes, then the bytes that each code announces.
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

inline constexpr std::size_t code_bytes = stages::lanes / 2;

/// A last group that is not full is filled up with zeros, which cost their codes only.
template <class Stage, core::Word W>
MaybeBytes encode(stages::BytePackShape, const Bytes& in, const core::ChunkContext&) {
  std::vector<W> words = to_words<W>(in);
  words.resize(core::align_up(words.size(), stages::lanes), W{0});
  Bytes out;
  for (std::size_t first = 0; first < words.size(); first += stages::lanes) {
    for (std::size_t pair = first; pair < first + stages::lanes; pair += 2) {
      out.push_back(static_cast<std::uint8_t>(Stage::code(words[pair]) | Stage::code(words[pair + 1]) << 4));
    }
    for (std::size_t i = first; i < first + stages::lanes; ++i) {
      append_word(out, Stage::payload(words[i]), Stage::template payload_bytes<W>(Stage::code(words[i])));
    }
  }
  append(out, tail_of<W>(in));
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::BytePackShape, const Bytes& in, const core::ChunkContext& context) {
  const std::size_t word_count = context.bytes / sizeof(W);
  const std::size_t tail_bytes = context.bytes % sizeof(W);
  std::vector<W> words;
  std::size_t position = 0;
  while (words.size() < word_count) {
    const std::size_t codes = position;
    position += code_bytes;
    if (position > in.size()) return std::nullopt;
    for (unsigned lane = 0; lane < stages::lanes; ++lane) {
      const unsigned code = lane % 2 == 0 ? in[codes + lane / 2] & 15u : in[codes + lane / 2] >> 4u;
      const unsigned bytes = Stage::template payload_bytes<W>(code);
      if (position + bytes > in.size()) return std::nullopt;
      W stored = 0;
      for (unsigned b = 0; b < bytes; ++b)
        stored |= static_cast<W>(static_cast<W>(in[position + b]) << (8 * b));
      position += bytes;
      words.push_back(Stage::word(code, stored));
    }
  }
  words.resize(word_count);
  if (position + tail_bytes != in.size()) return std::nullopt;
  return to_bytes(words, Bytes(in.end() - static_cast<std::ptrdiff_t>(tail_bytes), in.end()));
}

}  // namespace floe::oracle
