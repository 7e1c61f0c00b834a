// MapShape: every word by itself.
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

template <class Stage, core::Word W>
MaybeBytes encode(stages::MapShape, const Bytes& in, const core::ChunkContext&) {
  std::vector<W> words = to_words<W>(in);
  for (W& word : words) word = Stage::forward(word);
  return to_bytes(words, tail_of<W>(in));
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::MapShape, const Bytes& in, const core::ChunkContext&) {
  std::vector<W> words = to_words<W>(in);
  for (W& word : words) word = Stage::inverse(word);
  return to_bytes(words, tail_of<W>(in));
}

}  // namespace floe::oracle
