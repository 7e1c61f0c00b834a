#include "encodings/entropy/model_choice.hpp"

#include <algorithm>
#include <array>

#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

template <core::Word W>
using Sample = std::array<W, max_sample_words>;

/// How often the classes of a sample's offsets occur, with fewer and fewer mantissa bits.
template <core::Word W>
class ClassCounts {
 public:
  ClassCounts(const Sample<W>& sample, std::uint32_t sampled, EntropyMode mode, W base) {
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < sampled; ++i) {
      const auto at =
          static_cast<std::uint32_t>(symbol_of(offset_of(sample[i], mode, base), max_mantissa_bits));
      ++counts_[at];
      last = std::max(last, at);
    }
    end_ = last + 1;
  }
  /// To one mantissa bit fewer than the `mantissa_bits` of now.
  void coarsen(unsigned mantissa_bits) {
    const std::uint32_t first = 1U << mantissa_bits;
    if (end_ <= first) return;
    const std::uint32_t pairs = (end_ - first + 1) / 2;  // behind the end, counts are 0
    for (std::uint32_t i = 0; i < pairs; ++i)
      counts_[first + i] = static_cast<std::uint16_t>(counts_[first + 2 * i] + counts_[first + 2 * i + 1]);
    std::fill(counts_.begin() + first + pairs, counts_.begin() + end_, std::uint16_t{0});
    end_ = first + pairs;
  }
  [[nodiscard]] SymbolCounts symbols(const EntropyModel& model) const {
    SymbolCounts symbols{};
    const std::uint32_t small = std::min(end_, (model.raw_bits + 1) << model.mantissa_bits);
    // Most classes below may be those of raw bits alone.
    const auto first_above = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(small, symbol_of(std::uint64_t{1} << model.raw_bits, model.mantissa_bits)));
    std::uint32_t raw = 0;
    for (std::uint32_t i = 0; i < first_above; ++i) raw += counts_[i];
    symbols[0] = raw;
    for (std::uint32_t i = first_above; i < small; ++i)
      symbols[symbol_of_class(i, model.mantissa_bits, model.raw_bits)] += counts_[i];
    for (std::uint32_t i = small; i < end_; ++i)
      symbols[i - (model.raw_bits << model.mantissa_bits)] += counts_[i];
    return symbols;
  }

 private:
  std::array<std::uint16_t, class_count<W> + 1> counts_{};
  std::uint32_t end_ = 0;
};

struct SampledSymbols {
  std::uint64_t cost = 0;  ///< Without the symbols' own.
  std::uint32_t kinds = 0;
};

SampledSymbols cost_of(const SymbolCounts& counts, std::uint32_t sampled, const EntropyModel& model) {
  SampledSymbols all{std::uint64_t{sampled} * core::fixed_log2(sampled), 0};
  for (std::uint32_t s = 0; s < entropy_symbols; ++s) {
    if (counts[s] == 0) continue;
    all.cost += occurrence_cost(counts[s], s, model);
    ++all.kinds;
  }
  return all;
}

/// Replaces a choice by one with this mode if that costs less.
template <core::Word W>
void try_mode(const Sample<W>& sample, std::uint32_t words, EntropyModel model, unsigned offset_bits,
              ModelChoice& best, std::uint64_t& best_cost) {
  const std::uint32_t sampled = sample_count(words);
  const std::uint64_t per_symbol = symbol_cost(sampled, words);
  ClassCounts<W> classes(sample, sampled, model.mode, static_cast<W>(model.base));
  const std::uint64_t before = best_cost;
  for (unsigned m = max_mantissa_bits + 1; m-- > 0;) {
    model.mantissa_bits = m;
    model.raw_bits = raw_bits_tried<W>(model.mode, offset_bits, m);
    const SampledSymbols symbols = cost_of(classes.symbols(model), sampled, model);
    const std::uint64_t cost = weighed_cost(symbols.cost + symbols.kinds * per_symbol, symbols.kinds, model);
    if (cost < before && cost <= best_cost) {
      best_cost = cost;
      best = {model, symbols.cost, sampled};
    }
    if (m == 0 || (model.mode == EntropyMode::upwards && offset_bits <= symbol_offset_bits)) return;
    classes.coarsen(m);
  }
}

template <core::Word W>
W middle_of(const Sample<W>& sample, std::uint32_t sampled, W flip) {
  std::array<W, max_middle_words> some;
  const std::uint32_t count = middle_count(sampled);
  for (std::uint32_t i = 0; i < count; ++i) some[i] = static_cast<W>(sample[i * middle_step(sampled)] ^ flip);
  const auto below = std::count_if(some.begin(), some.begin() + count, [&](W word) { return word < flip; }),
             above = std::count_if(some.begin(), some.begin() + count, [&](W word) { return word > flip; });
  if (is_zero_in_middle(static_cast<std::uint32_t>(below), static_cast<std::uint32_t>(above), count))
    return 0;
  const auto middle = some.begin() + count / 2;
  std::nth_element(some.begin(), middle, some.begin() + count);
  return static_cast<W>(*middle ^ flip);
}

}  // namespace

template <core::Word W>
ModelChoice choose_model(const W* words, std::uint32_t count, W flip, bool is_float) {
  const std::uint32_t sampled = sample_count(count);
  Sample<W> sample;
  for (std::uint32_t i = 0; i < sampled; ++i) sample[i] = words[sample_position(i, count)];
  ModelChoice best;
  std::uint64_t best_cost = ~std::uint64_t{0};
  if (is_float) {
    W all = 0;
    for (std::uint32_t i = 0; i < count; ++i) all |= words[i];
    const W largest = offset_of(all, EntropyMode::rotated, W{0});
    try_mode(sample, count, {EntropyMode::rotated, 0, 0, 0}, core::bit_length(largest), best, best_cost);
    return best;
  }
  W least = 0, most = 0;
  kernels().of<W>().range(words, count, flip, least, most);
  const unsigned offset_bits = core::bit_length(static_cast<W>(most - least));
  try_mode(sample, count, {EntropyMode::upwards, 0, 0, least}, offset_bits, best, best_cost);
  if (offset_bits <= symbol_offset_bits) return best;
  const W middle = middle_of(sample, sampled, flip);
  try_mode(sample, count, {EntropyMode::folded, 0, 0, middle}, folded_offset_bits(least, most, middle), best,
           best_cost);
  return best;
}
template ModelChoice choose_model(const std::uint8_t*, std::uint32_t, std::uint8_t, bool);
template ModelChoice choose_model(const std::uint16_t*, std::uint32_t, std::uint16_t, bool);
template ModelChoice choose_model(const std::uint32_t*, std::uint32_t, std::uint32_t, bool);
template ModelChoice choose_model(const std::uint64_t*, std::uint32_t, std::uint64_t, bool);

}  // namespace floe::trees
