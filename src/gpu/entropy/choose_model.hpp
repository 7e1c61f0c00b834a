// Chooses the model of a section with a block, as encodings/entropy/model_choice.cpp does.
#pragma once

#include "gpu/entropy/encode_memory.hpp"
#include "gpu/entropy/leaf_words.hpp"

namespace floe::gpu {

/// How often symbols occur: sums over the lanes of the histogram. Called by all threads; between barriers.
template <class Block>
FLOE_DEVICE void clear_histogram(Block& block, EntropyEncodeMemory& memory) {
  auto* const all = &memory.histogram[0][0];
  for (std::uint32_t i = block.rank(); i < trees::entropy_symbols * counted_lanes; i += block.size())
    all[i] = 0;
}
FLOE_DEVICE std::uint32_t count_of_symbol(const EntropyEncodeMemory& memory, std::uint32_t symbol) {
  std::uint32_t count = 0;
  FLOE_UNROLL_BY(8)
  for (unsigned i = 0; i < counted_lanes; ++i)
    count += memory.histogram[symbol][(i + symbol) % counted_lanes];
  return count;
}

template <class Warp>
FLOE_DEVICE std::uint64_t sum_over_lanes(Warp& warp, std::uint64_t number) {
  return warp.shuffle(inclusive_scan(warp, number), warp_lanes - 1);
}

/// The model of a section, and what the sample's words cost with it; the same for all threads.
struct SampledModel {
  trees::EntropyModel model;
  std::uint64_t sample_cost = 0, total_cost = ~std::uint64_t{0};
};

/// Finds the model of a section by all threads of a block. `rings`: of all warps.
template <core::Word W, class Block>
class ModelChooser {
 public:
  FLOE_DEVICE ModelChooser(Block& block, EntropyEncodeMemory& memory, std::uint32_t* rings,
                           std::uint32_t words)
      : block_(block),
        memory_(memory),
        trial_(rings + block.warp_index() * staged_extra_words),
        words_(words),
        sampled_(trees::sample_count(words)) {}

  /// Begins with a barrier.
  template <class Words>
  FLOE_DEVICE SampledModel choose(const Words& words, const WordSurvey<W>& survey) {
    block_.sync();
    take_sample([&](std::uint32_t i) { return words.word(trees::sample_position(i, words_)); });
    if (is_float(words.type())) {
      take_sample([&](std::uint32_t i) {
        return trees::offset_of(sampled_word(i), trees::EntropyMode::rotated, W{0});
      });
      const W largest = trees::offset_of(survey.bits, trees::EntropyMode::rotated, W{0});
      try_mode({trees::EntropyMode::rotated, 0, 0, 0}, core::bit_length(largest), W{0});
      return best_;
    }
    const W flip = survey.flip, min = static_cast<W>(survey.range.min ^ flip),
            max = static_cast<W>(survey.range.max ^ flip);
    const unsigned offset_bits = core::bit_length(static_cast<W>(max - min));
    try_mode({trees::EntropyMode::upwards, 0, 0, min}, offset_bits, min);
    if (offset_bits <= trees::symbol_offset_bits) return best_;
    const W middle = find_middle(flip);
    take_sample([&](std::uint32_t i) {
      return trees::offset_of(sampled_word(i), trees::EntropyMode::folded, middle);
    });
    try_mode({trees::EntropyMode::folded, 0, 0, middle}, trees::folded_offset_bits(min, max, middle), W{0});
    return best_;
  }

 private:
  [[nodiscard]] FLOE_DEVICE W sampled_word(std::uint32_t i) const {
    return load_aligned<W>(memory_.sample + i * sizeof(W));
  }
  /// Every thread has words of its own.
  template <class Make>
  FLOE_DEVICE void take_sample(const Make& make) {
    FLOE_UNROLL_BY(sizeof(W) == 8 ? 4 : 8)
    for (std::uint32_t i = block_.rank(); i < sampled_; i += block_.size())
      store_word(memory_.sample, i, make(i));
  }

  /// Ends with a barrier.
  FLOE_DEVICE W find_middle(W flip) {
    const std::uint32_t count = trees::middle_count(sampled_), step = trees::middle_step(sampled_);
    const auto word = [&](std::uint32_t i) { return static_cast<W>(sampled_word(i * step) ^ flip); };
    std::uint64_t sides = 0;  // of 0: below, and above << 32
    for (std::uint32_t i = block_.rank(); i < count; i += block_.size())
      sides += word(i) < flip ? 1 : word(i) > flip ? std::uint64_t{1} << 32 : 0;
    sides = block_scan(block_, memory_.totals, sides).total;
    const bool is_zero = trees::is_zero_in_middle(low_half(sides), high_half(sides), count);
    for (std::uint32_t i = block_.rank(); !is_zero && i < count; i += block_.size()) {
      const W own = word(i);
      std::uint32_t before = 0;
      for (std::uint32_t j = 0; j < count; ++j) before += word(j) < own || (word(j) == own && j < i) ? 1 : 0;
      if (before == count / 2) memory_.base = static_cast<W>(own ^ flip);
    }
    block_.sync();
    return is_zero ? W{0} : static_cast<W>(memory_.base);
  }

  /// Replaces the choice by one with this mode if that costs less. Offsets are the words of the sample minus
  /// `base`. Begins with a barrier.
  FLOE_DEVICE void try_mode(trees::EntropyModel model, unsigned offset_bits, W base) {
    block_.sync();
    for (unsigned m = block_.warp_index(); m <= trees::max_mantissa_bits; m += block_.warp_count()) {
      model.mantissa_bits = m;
      model.raw_bits = trees::raw_bits_tried<W>(model.mode, offset_bits, m);
      try_model(model, base);
    }
    block_.sync();
    const std::uint64_t before = best_.total_cost, per_symbol = trees::symbol_cost(sampled_, words_);
    FLOE_NO_UNROLL
    for (unsigned m = trees::max_mantissa_bits + 1; m-- > 0;) {
      model.mantissa_bits = m;
      model.raw_bits = trees::raw_bits_tried<W>(model.mode, offset_bits, m);
      const std::uint32_t kinds = memory_.tried_kinds[m];
      const std::uint64_t cost = memory_.tried_cost[m],
                          all = trees::weighed_cost(cost + kinds * per_symbol, kinds, model);
      if (all < before && all <= best_.total_cost) best_ = {model, cost, all};
      if (model.mode == trees::EntropyMode::upwards && offset_bits <= trees::symbol_offset_bits) return;
    }
  }

  /// What the sample costs, by a warp.
  FLOE_DEVICE void try_model(const trees::EntropyModel& model, W base) {
    auto& warp = block_.warp();
    for (unsigned s = warp.lane(); s < trees::entropy_symbols; s += warp_lanes) trial_[s] = 0;
    warp.sync();
    FLOE_UNROLL_BY(4)
    for (std::uint32_t i = warp.lane(); i < sampled_; i += warp_lanes) {
      const W part = static_cast<W>(static_cast<W>(sampled_word(i) - base) >> model.raw_bits);
      atomic_add(trial_ + trees::symbol_of(part, model.mantissa_bits), 1);
    }
    warp.sync();
    std::uint64_t cost = 0;
    std::uint32_t kinds = 0;
    FLOE_UNROLL_BY(2)
    for (unsigned s = warp.lane(); s < trees::entropy_symbols; s += warp_lanes) {
      const std::uint32_t count = trial_[s];
      if (count == 0) continue;
      cost += trees::occurrence_cost(count, s, model);
      ++kinds;
    }
    cost = sum_over_lanes(warp, cost);
    kinds = warp.reduce_add(kinds);
    if (warp.lane() != 0) return;
    memory_.tried_cost[model.mantissa_bits] = std::uint64_t{sampled_} * core::fixed_log2(sampled_) + cost;
    memory_.tried_kinds[model.mantissa_bits] = kinds;
  }

  Block& block_;
  EntropyEncodeMemory& memory_;
  std::uint32_t* trial_;
  std::uint32_t words_, sampled_;
  SampledModel best_;
};

}  // namespace floe::gpu
