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
      : block_(block), memory_(memory), trials_(rings), words_(words), sampled_(trees::sample_count(words)) {}

  /// Begins with a barrier.
  template <class Words>
  FLOE_DEVICE SampledModel choose(const Words& words, const WordSurvey<W>& survey) {
    block_.sync();
    read_sample(words);
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
  /// Every thread has words of its own, of which it asks for several at once.
  template <class Words>
  FLOE_DEVICE void read_sample(const Words& words) {
    constexpr unsigned at_once = sizeof(W) == 8 ? 4 : 8;
    for (std::uint32_t first = block_.rank(); first < sampled_; first += at_once * block_.size()) {
      std::uint32_t position[at_once];
      W word[at_once];
      FLOE_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t i = first + k * block_.size();
        position[k] = trees::sample_position(i < sampled_ ? i : first, words_);
      }
      words.read(position, word);
      FLOE_UNROLL
      for (unsigned k = 0; k < at_once; ++k)
        if (const std::uint32_t i = first + k * block_.size(); i < sampled_)
          store_word(memory_.sample, i, word[k]);
    }
  }
  /// Makes the sample anew of what it has.
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
    const bool are_symbols =
        model.mode == trees::EntropyMode::upwards && offset_bits <= trees::symbol_offset_bits;
    const unsigned fewest = are_symbols ? trees::max_mantissa_bits : 0, at_once = block_.warp_count();
    FLOE_NO_UNROLL
    for (unsigned first = fewest; first <= trees::max_mantissa_bits; first += at_once) {
      block_.sync();
      for (std::uint32_t i = block_.rank(); i < at_once * trees::entropy_symbols; i += block_.size())
        trials_[i] = 0;
      block_.sync();
      count_symbols(model.mode, offset_bits, first, base);
      block_.sync();
      model.mantissa_bits = first + block_.warp_index();
      if (model.mantissa_bits > trees::max_mantissa_bits) continue;
      model.raw_bits = trees::raw_bits_tried<W>(model.mode, offset_bits, model.mantissa_bits);
      judge_trial(model);
    }
    block_.sync();
    auto& warp = block_.warp();
    constexpr unsigned shift = 3;  // of equal costs that with the fewest mantissa bits
    static_assert(trees::max_mantissa_bits < 1u << shift);
    std::uint32_t key = ~std::uint32_t{0};
    if (warp.lane() >= fewest && warp.lane() <= trees::max_mantissa_bits) {
      model.mantissa_bits = warp.lane();
      model.raw_bits = trees::raw_bits_tried<W>(model.mode, offset_bits, model.mantissa_bits);
      key = total_cost(model) << shift | model.mantissa_bits;
    }
    key = ~warp.reduce_max(~key);
    const std::uint32_t cost = key >> shift;
    if (cost >= best_.total_cost) return;
    model.mantissa_bits = key & ((1u << shift) - 1);
    model.raw_bits = trees::raw_bits_tried<W>(model.mode, offset_bits, model.mantissa_bits);
    best_ = {model, memory_.tried_cost[model.mantissa_bits], cost};
  }
  /// Costs of samples are less than 2^29: 2^11 words of up to 76 bits each, in 1/256 bits.
  [[nodiscard]] FLOE_DEVICE std::uint32_t total_cost(const trees::EntropyModel& model) const {
    const std::uint32_t kinds = memory_.tried_kinds[model.mantissa_bits];
    return static_cast<std::uint32_t>(trees::weighed_cost(
        memory_.tried_cost[model.mantissa_bits] + kinds * trees::symbol_cost(sampled_, words_), kinds,
        model));
  }

  /// How often symbols of the sample occur with `first` mantissa bits and more, a model for each warp, each
  /// in a table of its own. By all threads, which ask for each word once.
  FLOE_DEVICE void count_symbols(trees::EntropyMode mode, unsigned offset_bits, unsigned first, W base) {
    const unsigned models = block_.warp_count();
    unsigned raw_bits[max_encode_warps];
    FLOE_UNROLL
    for (unsigned k = 0; k < models; ++k)
      raw_bits[k] =
          first + k <= trees::max_mantissa_bits ? trees::raw_bits_tried<W>(mode, offset_bits, first + k) : 0;
    FLOE_UNROLL_BY(2)
    for (std::uint32_t i = block_.rank(); i < sampled_; i += block_.size()) {
      const W offset = static_cast<W>(sampled_word(i) - base);
      const auto highest = static_cast<std::int32_t>(highest_bit_of(offset) - first);
      FLOE_UNROLL
      for (unsigned k = 0; k < models; ++k) {
        if (first + k > trees::max_mantissa_bits) break;
        const auto longer = highest - static_cast<std::int32_t>(k + raw_bits[k]);
        const auto dropped = static_cast<std::uint32_t>(longer > 0 ? longer : 0);
        const std::uint32_t symbol =
            (dropped << (first + k)) + static_cast<std::uint32_t>(offset >> (raw_bits[k] + dropped));
        atomic_add(trials_ + k * trees::entropy_symbols + symbol, 1);
      }
    }
  }

  /// What the sample costs with the model whose symbols this warp's table has.
  FLOE_DEVICE void judge_trial(const trees::EntropyModel& model) {
    static_assert(trees::max_sample_words <= core::max_device_log);
    auto& warp = block_.warp();
    const std::uint32_t* const counts = trials_ + block_.warp_index() * trees::entropy_symbols;
    std::uint32_t cost = 0, kinds = 0;  // modulo 2^32, as the cost of all is less
    FLOE_UNROLL_BY(2)
    for (unsigned s = warp.lane(); s < trees::entropy_symbols; s += warp_lanes) {
      const std::uint32_t count = counts[s];
      if (count == 0) continue;
      cost += static_cast<std::uint32_t>(trees::occurrence_cost(count, s, model));
      ++kinds;
    }
    cost = warp.reduce_add(cost);
    kinds = warp.reduce_add(kinds);
    if (warp.lane() != 0) return;
    memory_.tried_cost[model.mantissa_bits] = sampled_ * core::fixed_log2(sampled_) + cost;
    memory_.tried_kinds[model.mantissa_bits] = kinds;
  }

  Block& block_;
  EntropyEncodeMemory& memory_;
  std::uint32_t* trials_;  ///< A table of symbols for each warp.
  std::uint32_t words_, sampled_;
  SampledModel best_;
};

}  // namespace floe::gpu
