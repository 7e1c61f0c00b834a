// Chooses the model of a section with a block, as encodings/entropy/model_choice.cpp does.
#pragma once

#include "gpu/encode/encode_select.hpp"
#include "gpu/entropy/encode_memory.hpp"

namespace floe::gpu {

/// How often symbols occur: sums over the lanes of the histogram. Called by all threads; between barriers.
template <class Block>
FLOE_DEVICE void clear_histogram(Block& block, EntropyEncodeMemory& memory) {
  auto* const all = &memory.histogram[0][0];
  for (std::uint32_t i = block.rank(); i < trees::entropy_symbols * warp_lanes; i += block.size()) all[i] = 0;
}
FLOE_DEVICE std::uint32_t count_of_symbol(const EntropyEncodeMemory& memory, std::uint32_t symbol) {
  std::uint32_t count = 0;
  FLOE_UNROLL_BY(8)
  for (unsigned i = 0; i < warp_lanes; ++i) count += memory.histogram[symbol][(i + symbol) % warp_lanes];
  return count;
}

/// The model of a section, and what the sample's words cost with it; the same for all threads.
struct SampledModel {
  trees::EntropyModel model;
  std::uint64_t sample_cost = 0, total_cost = ~std::uint64_t{0};
};

/// Finds the model of a section by all threads of a block.
template <core::Word W, class Block>
class ModelChooser {
 public:
  FLOE_DEVICE ModelChooser(Block& block, EntropyEncodeMemory& memory, std::uint32_t words)
      : block_(block), memory_(memory), words_(words), sampled_(trees::sample_count(words)) {}

  FLOE_DEVICE SampledModel choose(const EncodeStream& section) {
    for (std::uint32_t i = block_.rank(); i < sampled_; i += block_.size())
      store_word(memory_.sample, i, stream_word<W>(section, trees::sample_position(i, words_)));
    if (is_float(section.type)) {
      const W largest = trees::offset_of(unite(section), trees::EntropyMode::rotated, W{0});
      try_mode({trees::EntropyMode::rotated, 0, 0, 0}, core::bit_length(largest));
      return best_;
    }
    const W flip = flip_of<W>(section.type);
    const WordRange<W> range = find_range<W>(block_, section, flip);
    const W least = static_cast<W>(range.min ^ flip), most = static_cast<W>(range.max ^ flip);
    const unsigned offset_bits = core::bit_length(static_cast<W>(most - least));
    try_mode({trees::EntropyMode::upwards, 0, 0, least}, offset_bits);
    if (offset_bits <= trees::symbol_offset_bits) return best_;
    const W middle = find_middle(flip);
    try_mode({trees::EntropyMode::folded, 0, 0, middle}, trees::folded_offset_bits(least, most, middle));
    return best_;
  }

 private:
  FLOE_DEVICE W sampled_word(std::uint32_t i) const {
    return load_aligned<W>(memory_.sample + i * sizeof(W));
  }

  /// All words ORed together; begins with a barrier.
  FLOE_DEVICE W unite(const EncodeStream& section) {
    W own = 0;
    for_each_word<W>(block_, section, 0, section.count,
                     [&](std::uint32_t, W word) { own = static_cast<W>(own | word); });
    auto& warp = block_.warp();
    std::uint64_t all = warp.reduce_or(static_cast<std::uint32_t>(own));
    if constexpr (sizeof(W) == 8)
      all |= std::uint64_t{warp.reduce_or(static_cast<std::uint32_t>(own >> 32))} << 32;
    block_.sync();
    if (warp.lane() == 0) memory_.totals[block_.warp_index()] = all;
    block_.sync();
    all = 0;
    for (unsigned w = 0; w < block_.warp_count(); ++w) all |= memory_.totals[w];
    block_.sync();
    return static_cast<W>(all);
  }

  FLOE_DEVICE W find_middle(W flip) {
    const std::uint32_t count = trees::middle_count(sampled_), step = trees::middle_step(sampled_);
    const auto word = [&](std::uint32_t i) { return static_cast<W>(sampled_word(i * step) ^ flip); };
    std::uint64_t sides = 0;  // of 0: below, and above << 32
    for (std::uint32_t i = block_.rank(); i < count; i += block_.size())
      sides += word(i) < flip ? 1 : word(i) > flip ? std::uint64_t{1} << 32 : 0;
    sides = block_scan(block_, memory_.totals, sides).total;
    if (trees::is_zero_in_middle(low_half(sides), high_half(sides), count)) return 0;
    for (std::uint32_t i = block_.rank(); i < count; i += block_.size()) {
      const W own = word(i);
      std::uint32_t before = 0;
      for (std::uint32_t j = 0; j < count; ++j) before += word(j) < own || (word(j) == own && j < i) ? 1 : 0;
      if (before == count / 2) memory_.base = static_cast<W>(own ^ flip);
    }
    block_.sync();
    return static_cast<W>(memory_.base);
  }

  /// Replaces the choice by one with this mode if that costs less.
  FLOE_DEVICE void try_mode(trees::EntropyModel model, unsigned offset_bits) {
    const std::uint64_t before = best_.total_cost, per_symbol = trees::symbol_cost(sampled_, words_);
    FLOE_NO_UNROLL
    for (unsigned m = trees::max_mantissa_bits + 1; m-- > 0;) {
      model.mantissa_bits = m;
      model.raw_bits = trees::raw_bits_for(offset_bits, m);
      std::uint64_t kinds = 0;
      const std::uint64_t cost = cost_of(model, kinds), all = cost + kinds * per_symbol;
      if (all < before && all <= best_.total_cost) best_ = {model, cost, all};
      if (model.mode == trees::EntropyMode::upwards && offset_bits <= trees::symbol_offset_bits) return;
    }
  }

  FLOE_DEVICE std::uint64_t cost_of(const trees::EntropyModel& model, std::uint64_t& kinds) {
    auto& warp = block_.warp();
    block_.sync();
    clear_histogram(block_, memory_);
    block_.sync();
    for (std::uint32_t i = block_.rank(); i < sampled_; i += block_.size()) {
      const W offset = trees::offset_of(sampled_word(i), model.mode, static_cast<W>(model.base));
      const auto symbol =
          static_cast<std::uint32_t>(trees::symbol_of(offset >> model.raw_bits, model.mantissa_bits));
      atomic_add(&memory_.histogram[symbol][warp.lane()], 1);
    }
    block_.sync();
    std::uint64_t cost = 0, own_kinds = 0;
    for (std::uint32_t s = block_.rank(); s < trees::entropy_symbols; s += block_.size()) {
      const std::uint32_t count = count_of_symbol(memory_, s);
      if (count == 0) continue;
      cost += trees::occurrence_cost(count, s, model);
      ++own_kinds;
    }
    cost = block_scan(block_, memory_.totals, cost).total;
    kinds = block_scan(block_, memory_.totals, own_kinds).total;
    return std::uint64_t{sampled_} * core::fixed_log2(sampled_) + cost;
  }

  Block& block_;
  EntropyEncodeMemory& memory_;
  std::uint32_t words_, sampled_;
  SampledModel best_;
};

}  // namespace floe::gpu
