// ScanShape and LaneScanShape: every word against an earlier one.
#pragma once

#include <array>
#include <cassert>

#include "chunks/cpu/map.hpp"

namespace floe::cpu {

template <class Stage, core::Word W>
std::size_t encode(stages::ScanShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  const std::size_t words = in_bytes / sizeof(W);
  if (words > 0) core::store(out, Stage::residual(core::load<W>(in), W{0}));
  for (std::size_t i = 1; i < words; ++i) {
    const W previous = core::load<W>(in + (i - 1) * sizeof(W));
    core::store(out + i * sizeof(W), Stage::residual(core::load<W>(in + i * sizeof(W)), previous));
  }
  copy_tail<W>(in, in_bytes, out);
  return in_bytes;
}

template <class Stage, core::Word W>
std::size_t decode(stages::ScanShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  const std::size_t words = in_bytes / sizeof(W);
  W previous = 0;
  for (std::size_t i = 0; i < words; ++i) {
    previous = Stage::combine(core::load<W>(in + i * sizeof(W)), previous);
    core::store(out + i * sizeof(W), previous);
  }
  copy_tail<W>(in, in_bytes, out);
  return in_bytes;
}

/// Where the prediction of each lane stands in the sub-chunk before.
template <class Stage>
std::array<std::uint8_t, stages::lanes> source_lanes(const core::ChunkContext& context) {
  const unsigned dimensionality = context.parameters.dimensionality;
  assert(dimensionality >= 1 && dimensionality <= stages::lanes);
  std::array<std::uint8_t, stages::lanes> sources;
  for (unsigned lane = 0; lane < stages::lanes; ++lane)
    sources[lane] = static_cast<std::uint8_t>(Stage::source_lane(lane, dimensionality));
  return sources;
}

template <core::Word W>
std::array<W, stages::lanes> predict_subchunk(const std::uint8_t* subchunk_before,
                                              const std::array<std::uint8_t, stages::lanes>& sources) {
  std::array<W, stages::lanes> prediction;
  for (unsigned lane = 0; lane < stages::lanes; ++lane)
    prediction[lane] = core::load<W>(subchunk_before + sources[lane] * sizeof(W));
  return prediction;
}

/// Encoding predicts from the input and decoding from the output; otherwise they are the same walk over
/// sub-chunks.
template <class Stage, core::Word W, bool encoding>
std::size_t walk_lanes(const std::uint8_t* __restrict in, std::size_t in_bytes, std::uint8_t* __restrict out,
                       const core::ChunkContext& context) {
  constexpr std::size_t subchunk_bytes = stages::lanes * sizeof(W);
  const auto sources = source_lanes<Stage>(context);
  const std::size_t words_end = in_bytes - in_bytes % sizeof(W);
  std::array<W, stages::lanes> prediction{};
  for (std::size_t first = 0; first < words_end; first += subchunk_bytes) {
    if (first > 0) prediction = predict_subchunk<W>((encoding ? in : out) + first - subchunk_bytes, sources);
    const auto combine_lane = [&](std::size_t lane) {
      const W word = core::load<W>(in + first + lane * sizeof(W));
      core::store(out + first + lane * sizeof(W), encoding ? Stage::residual(word, prediction[lane])
                                                           : Stage::combine(word, prediction[lane]));
    };
    if (words_end - first >= subchunk_bytes) {
      for (std::size_t lane = 0; lane < stages::lanes; ++lane) combine_lane(lane);
    } else {
      for (std::size_t lane = 0; lane < (words_end - first) / sizeof(W); ++lane) combine_lane(lane);
    }
  }
  copy_tail<W>(in, in_bytes, out);
  return in_bytes;
}

template <class Stage, core::Word W>
std::size_t encode(stages::LaneScanShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext& context) {
  return walk_lanes<Stage, W, true>(in, in_bytes, out, context);
}

template <class Stage, core::Word W>
std::size_t decode(stages::LaneScanShape, const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out,
                   const core::ChunkContext& context) {
  return walk_lanes<Stage, W, false>(in, in_bytes, out, context);
}

}  // namespace floe::cpu
