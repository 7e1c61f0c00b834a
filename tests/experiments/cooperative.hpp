// CooperativeShape: a group of one runs the stage's function.
#pragma once

#include <memory>

#include "core/chunk.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

template <class Stage, core::Word W>
MaybeBytes encode(CooperativeShape, const Bytes& in, const core::ChunkContext&) {
  static_assert(CooperativeStage<Stage>);
  if (in.size() > core::chunk_bytes) return std::nullopt;
  const auto shared = std::make_unique<typename Stage::Shared>();
  Bytes out(Stage::bound(in.size()));
  out.resize(Stage::encode(SingleGroup{}, in, out, *shared));
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(CooperativeShape, const Bytes& in, const core::ChunkContext&) {
  const std::optional<std::size_t> size = Stage::decoded_bytes(in);
  if (!size || *size > core::chunk_bytes) return std::nullopt;
  const auto shared = std::make_unique<typename Stage::Shared>();
  Bytes out(*size);
  if (!Stage::decode(SingleGroup{}, in, out, *shared)) return std::nullopt;
  return out;
}

}  // namespace floe::experiments
