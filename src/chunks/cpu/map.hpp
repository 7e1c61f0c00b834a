// MapShape: every word by itself.
#pragma once

#include <algorithm>

#include "chunks/stages/shape.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

/// The bytes after the last whole word pass unchanged through stages that keep the length.
template <core::Word W>
inline void copy_tail(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out) {
  const std::size_t words_end = in_bytes - in_bytes % sizeof(W);
  std::copy(in + words_end, in + in_bytes, out + words_end);
}

template <class Stage, core::Word W>
std::size_t encode(stages::MapShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  const std::size_t words = in_bytes / sizeof(W);
  for (std::size_t i = 0; i < words; ++i)
    core::store(out + i * sizeof(W), Stage::forward(core::load<W>(in + i * sizeof(W))));
  copy_tail<W>(in, in_bytes, out);
  return in_bytes;
}

template <class Stage, core::Word W>
std::size_t decode(stages::MapShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  const std::size_t words = in_bytes / sizeof(W);
  for (std::size_t i = 0; i < words; ++i)
    core::store(out + i * sizeof(W), Stage::inverse(core::load<W>(in + i * sizeof(W))));
  copy_tail<W>(in, in_bytes, out);
  return in_bytes;
}

}  // namespace floe::cpu
