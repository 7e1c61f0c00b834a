// LatticeShape: which neighbours does a word of a chunk have, and how are words predicted from them?
#pragma once

#include <bit>

#include "core/checked_math.hpp"
#include "core/chunk.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// The dimensions of an array in which a chunk can hold neighbours: at most three, the fastest-varying first.
/// The size of the outermost dimension is not looked at: a stream does not know it.
class Lattice {
 public:
  static constexpr unsigned max_dimensions = 3;

  Lattice(const core::ChunkContext& context, std::size_t words, unsigned dimensions)
      : first_word_(context.first_word) {
    std::uint64_t stride = 1;
    for (std::uint32_t left = context.rank; left > 0 && count_ < dimensions && stride < words; --left) {
      const bool outermost = left == 1;
      const std::uint64_t size = outermost ? 0 : context.extent[left - 1];
      if (outermost || size > 1) axes_[count_++] = {stride, size};
      const auto next = core::checked_multiply(stride, size);
      if (outermost || !next || size == 0) break;
      stride = *next;
    }
  }

  /// Distances from word `i` of the chunk to its neighbours in the dimensions that it may use; returns how
  /// many dimensions. A dimension is used if the word is not at its start, and if the farthest corner of the
  /// cube of neighbours, with those of the faster dimensions, is still in the chunk.
  unsigned usable_strides(std::size_t i, std::array<std::size_t, max_dimensions>& strides) const {
    unsigned used = 0;
    std::uint64_t farthest = 0;
    for (unsigned a = 0; a < count_; ++a) {
      const std::uint64_t steps = (first_word_ + i) / axes_[a].stride;
      const std::uint64_t coordinate = axes_[a].size == 0 ? steps : steps % axes_[a].size;
      if (coordinate == 0 || farthest + axes_[a].stride > i) continue;
      farthest += axes_[a].stride;
      strides[used++] = static_cast<std::size_t>(axes_[a].stride);
    }
    return used;
  }

 private:
  struct Axis {
    std::uint64_t stride = 0;  ///< In words; less than the chunk's words.
    std::uint64_t size = 0;    ///< 0 for the outermost dimension.
  };
  std::array<Axis, max_dimensions> axes_;
  unsigned count_ = 0;
  std::uint64_t first_word_;
};

template <class Stage, core::Word W>
W predict(const std::vector<W>& words, std::size_t i, const Lattice& lattice) {
  std::array<std::size_t, Lattice::max_dimensions> strides{};
  const unsigned dimensions = lattice.usable_strides(i, strides);
  W prediction = 0;
  for (unsigned corner = 1; corner < 1u << dimensions; ++corner) {
    std::size_t distance = 0;
    for (unsigned d = 0; d < dimensions; ++d) distance += (corner >> d & 1) != 0 ? strides[d] : 0;
    const W contribution =
        Stage::contribution(words[i - distance], static_cast<unsigned>(std::popcount(corner)));
    prediction = static_cast<W>(prediction + contribution);
  }
  return prediction;
}

template <class Stage, core::Word W>
MaybeBytes encode(LatticeShape, const Bytes& in, const core::ChunkContext& context) {
  static_assert(LatticeStage<Stage, W> && Stage::max_dimensions <= Lattice::max_dimensions);
  const std::vector<W> words = reference::to_words<W>(in);
  const Lattice lattice(context, words.size(), Stage::max_dimensions);
  std::vector<W> residuals(words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    residuals[i] = Stage::residual(words[i], predict<Stage>(words, i, lattice));
  return reference::to_bytes(residuals, reference::tail_of<W>(in));
}

template <class Stage, core::Word W>
MaybeBytes decode(LatticeShape, const Bytes& in, const core::ChunkContext& context) {
  std::vector<W> words = reference::to_words<W>(in);
  const Lattice lattice(context, words.size(), Stage::max_dimensions);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = Stage::combine(words[i], predict<Stage>(words, i, lattice));
  return reference::to_bytes(words, reference::tail_of<W>(in));
}

}  // namespace floe::experiments
