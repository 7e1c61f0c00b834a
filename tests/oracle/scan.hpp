// ScanShape and LaneScanShape: every word against an earlier one.
#pragma once

#include "chunks/stages/shape.hpp"
#include "core/chunk.hpp"
#include "tests/oracle/bytes.hpp"

namespace floe::oracle {

template <class Stage, core::Word W>
MaybeBytes encode(stages::ScanShape, const Bytes& in, const core::ChunkContext&) {
  const std::vector<W> words = to_words<W>(in);
  std::vector<W> residuals;
  W previous = 0;
  for (const W word : words) {
    residuals.push_back(Stage::residual(word, previous));
    previous = word;
  }
  return to_bytes(residuals, tail_of<W>(in));
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::ScanShape, const Bytes& in, const core::ChunkContext&) {
  const std::vector<W> residuals = to_words<W>(in);
  std::vector<W> words;
  W previous = 0;
  for (const W residual : residuals) words.push_back(previous = Stage::combine(residual, previous));
  return to_bytes(words, tail_of<W>(in));
}

/// Index of the word that predicts word `i`; only asked for words beyond the first sub-chunk.
template <class Stage>
std::size_t predictor_of(std::size_t i, const core::ChunkContext& context) {
  const std::size_t subchunk = i / stages::lanes;
  const auto lane = static_cast<unsigned>(i % stages::lanes);
  return (subchunk - 1) * stages::lanes + Stage::source_lane(lane, context.parameters.dimensionality);
}

template <class Stage, core::Word W>
MaybeBytes encode(stages::LaneScanShape, const Bytes& in, const core::ChunkContext& context) {
  const std::vector<W> words = to_words<W>(in);
  std::vector<W> residuals;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const W prediction = i < stages::lanes ? W{0} : words[predictor_of<Stage>(i, context)];
    residuals.push_back(Stage::residual(words[i], prediction));
  }
  return to_bytes(residuals, tail_of<W>(in));
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::LaneScanShape, const Bytes& in, const core::ChunkContext& context) {
  const std::vector<W> residuals = to_words<W>(in);
  std::vector<W> words;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const W prediction = i < stages::lanes ? W{0} : words[predictor_of<Stage>(i, context)];
    words.push_back(Stage::combine(residuals[i], prediction));
  }
  return to_bytes(words, tail_of<W>(in));
}

}  // namespace floe::oracle
