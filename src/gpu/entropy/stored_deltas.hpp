// Deltas above a leaf of entropy, of which some are taken while words are read, and those before them by a
// block that stores what they make: each difference is a sum of few words of the stream where they begin.
#pragma once

#include "encodings/rules.hpp"
#include "gpu/entropy/leaf_words.hpp"

namespace floe::gpu {

struct DeltaStep {
  std::uint32_t order = 0, stride = 1;

  [[nodiscard]] FLOE_HD constexpr bool is_near() const {
    return stride <= trees::DeltaRules::max_near_stride;
  }
  /// Words that stand in its header, if there are so many.
  [[nodiscard]] FLOE_HD constexpr std::uint32_t heads() const { return is_near() ? order * stride : 0; }
  /// Whether it can be taken while the words of a leaf are read. `strided`: strides can.
  [[nodiscard]] FLOE_HD constexpr bool is_of_leaf(unsigned word_bytes, bool strided) const {
    return stride == 1 || (strided && order == 1 && stride <= max_packed_stride(word_bytes));
  }
};

/// Deltas of a chain, in their order.
struct DeltaSteps {
  static constexpr unsigned max_steps = 4;
  DeltaStep step[max_steps];
  std::uint32_t count = 0;

  /// How many are stored: all but the last one, if that is of the leaf.
  [[nodiscard]] FLOE_HD constexpr unsigned stored(unsigned word_bytes, bool strided) const {
    return count > 0 && step[count - 1].is_of_leaf(word_bytes, strided) ? count - 1 : count;
  }
};

/// Which words a difference is the sum of, each with a factor: number `shift` + i, less an offset, of
/// difference i. Words before the first one are 0.
struct DeltaTaps {
  static constexpr unsigned max_taps = 9;
  std::uint32_t count = 1, shift = 0;
  std::uint32_t offset[max_taps] = {};
  std::int32_t factor[max_taps] = {1};
};

/// Those of the first `stored` deltas. Precondition: are_stored.
FLOE_HD constexpr DeltaTaps taps_of(const DeltaSteps& deltas, unsigned stored) {
  DeltaTaps taps;
  for (unsigned i = 0; i < stored; ++i) {
    const DeltaStep step = deltas.step[i];
    const std::uint32_t before = taps.count;
    for (std::uint32_t t = 0; t < before; ++t) {
      for (std::uint32_t k = 1; k <= step.order; ++k) {
        taps.offset[taps.count] = taps.offset[t] + k * step.stride;
        taps.factor[taps.count++] =
            k == 2 ? taps.factor[t] : -static_cast<std::int32_t>(step.order) * taps.factor[t];
      }
    }
    taps.shift += step.heads();
  }
  return taps;
}

/// Whether a block stores the first `stored` deltas: words before the first one are 0 in all of them but the
/// last one, which may begin with words in its header.
FLOE_HD constexpr bool are_stored(const DeltaSteps& deltas, unsigned stored) {
  unsigned taps = 1;
  for (unsigned i = 0; i < stored; ++i) {
    const DeltaStep step = deltas.step[i];
    taps *= step.order + 1;
    if (step.is_near() && (i + 1 < stored || step.heads() > trees::DeltaRules::max_near_stride)) return false;
  }
  return taps <= DeltaTaps::max_taps;
}

/// Difference `index`, if load(i) gives word i.
template <core::Word W, class Load>
FLOE_DEVICE W difference_at(const DeltaTaps& taps, std::uint32_t index, const Load& load) {
  W sum = 0;
  for (std::uint32_t t = 0; t < taps.count; ++t) {
    const std::uint32_t at = index + taps.shift, offset = taps.offset[t];
    if (at >= offset)
      sum = static_cast<W>(sum + static_cast<W>(load(at - offset) * static_cast<W>(taps.factor[t])));
  }
  return sum;
}

/// Writes differences from number `first` on, `count` in all, of words at `from`, to `to`, `per` at a time
/// where these and all words that they need are aligned for it. see(word) sees words as they lie in memory,
/// but for the first taps.shift ones. By all threads.
template <core::Word W, bool is_sortable, unsigned per, class Block, class See>
FLOE_DEVICE void store_some_differences(Block& block, const DeltaTaps& taps, const std::uint8_t* from,
                                        std::uint32_t first, std::uint32_t count, std::uint8_t* to,
                                        const See& see) {
  constexpr unsigned batch = 4;
  struct alignas(per * sizeof(W)) Some {
    W word[per];
  };
  const std::uint32_t end = (count - first) / per, shift = taps.shift, taps_count = taps.count;
  FLOE_NO_UNROLL
  for (std::uint32_t own = block.rank(); own < end; own += batch * block.size()) {
    Some sum[batch] = {};
    FLOE_NO_UNROLL
    for (std::uint32_t t = 0; t < taps_count; ++t) {
      const std::uint32_t offset = taps.offset[t];
      const W factor = static_cast<W>(taps.factor[t]);
      Some some[batch] = {};
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        const std::uint32_t which = own + i * block.size(), at = first + which * per + shift;
        if (which < end && at >= offset)
          some[i] = load_aligned<Some>(from + std::uint64_t{at - offset} * sizeof(W));
      }
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        FLOE_UNROLL
        for (unsigned k = 0; k < per; ++k) {
          bool good = true;
          W word = some[i].word[k];
          if (t == 0 && own + i * block.size() < end) see(word);
          if constexpr (is_sortable) word = MapSortable<W>::map(word, {}, good);  // 0 remains 0
          sum[i].word[k] = static_cast<W>(sum[i].word[k] + static_cast<W>(word * factor));
        }
      }
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t which = own + i * block.size();
      if (which < end) store_aligned(to + std::uint64_t{first + which * per} * sizeof(W), sum[i]);
    }
  }
}

/// Writes `count` differences of words at `from` to `to`, a multiple of 16. see(word) sees all words.
template <core::Word W, bool is_sortable, class Block, class See>
FLOE_DEVICE void store_differences(Block& block, const DeltaTaps& taps, const std::uint8_t* from,
                                   std::uint32_t count, std::uint8_t* to, const See& see) {
  constexpr unsigned per = 16 / sizeof(W);
  for (std::uint32_t i = block.rank(); i < taps.shift; i += block.size())
    see(load_aligned<W>(from + std::uint64_t{i} * sizeof(W)));
  std::uint32_t all = taps.shift;
  for (std::uint32_t t = 0; t < taps.count; ++t) all |= taps.offset[t];
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && all % per == 0;
  const std::uint32_t done = is_aligned ? count / per * per : 0;
  if (done > 0) store_some_differences<W, is_sortable, per>(block, taps, from, 0, done, to, see);
  if (done < count) store_some_differences<W, is_sortable, 1>(block, taps, from, done, count, to, see);
}

/// Whether all words are equal, to all threads: they look at the first ones first.
template <class Block, class Load>
FLOE_DEVICE bool are_equal(Block& block, std::uint32_t count, const Load& load) {
  const auto first = load(0);
  FLOE_NO_UNROLL
  for (std::uint32_t begin = 0; begin < count; begin += block.size()) {
    const std::uint32_t own = begin + block.rank();
    if (block.any(own < count && load(own) != first)) return false;
  }
  return true;
}

}  // namespace floe::gpu
