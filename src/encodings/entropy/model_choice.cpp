#include "encodings/entropy/model_choice.hpp"

#include <algorithm>
#include <array>

#include "encodings/entropy/class_counts.hpp"
#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "encodings/word_order.hpp"
#include "simd/entropy/kernels.hpp"
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
    end_ = count_classes<max_sample_words>({mode, max_mantissa_bits, 0, base}, sample.data(), sampled, 1,
                                           both_[0]);
    both_[0][end_] = 0;  // pairs end behind the last class
  }
  /// To one mantissa bit fewer than the `mantissa_bits` of now.
  void coarsen(unsigned mantissa_bits) {
    const std::uint32_t first = 1U << mantissa_bits;
    if (end_ <= first) return;
    const std::uint32_t pairs = (end_ - first + 1) / 2;  // behind the end stands a 0
    now_ ^= 1;
    std::uint16_t* const coarser = both_[now_].data();
    std::copy_n(counts_, first, coarser);
    const std::uint16_t* const from = counts_ + first;
    std::uint16_t* const to = coarser + first;
    entropy_kernels().add_pairs(from, pairs, to);
    to[pairs] = 0;
    counts_ = coarser;
    end_ = first + pairs;
  }
  /// Those of the symbols that occur, and zeros up to the last one with as many extra bits. Returns how many.
  std::uint32_t count_symbols(const EntropyModel& model, SymbolCounts& symbols) const {
    const std::uint32_t used = symbol_of_class(end_ - 1, model.mantissa_bits, model.raw_bits) + 1,
                        filled = static_cast<std::uint32_t>(core::align_up(used, 1U << model.mantissa_bits));
    std::fill_n(symbols.begin(), filled, 0U);
    const std::uint32_t small = std::min(end_, (model.raw_bits + 1) << model.mantissa_bits);
    // Most classes below may be those of raw bits alone.
    const auto first_above = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(small, symbol_of(std::uint64_t{1} << model.raw_bits, model.mantissa_bits)));
    symbols[0] = entropy_kernels().add_all(counts_, first_above);
    add_small(model, first_above, small, symbols);
    for (std::uint32_t i = small; i < end_; ++i)
      symbols[i - (model.raw_bits << model.mantissa_bits)] += counts_[i];
    return used;
  }

 private:
  /// Classes from `first` on, with which a symbol begins, to `end`: of those that have the same length, and
  /// more bits than symbols have, some together are a symbol (symbol_of_class).
  void add_small(const EntropyModel& model, std::uint32_t first, std::uint32_t end,
                 SymbolCounts& symbols) const {
    const std::uint32_t mantissa = 1U << model.mantissa_bits;
    for (std::uint32_t i = first; i < end;) {
      const std::uint32_t of_length = std::min(end, i - i % mantissa + mantissa);
      const unsigned dropped = dropped_bits_of_symbol(i, model.mantissa_bits),
                     shift = model.raw_bits - dropped;
      std::uint32_t symbol = (i - (dropped << model.mantissa_bits)) >> shift;
      if (shift == 0) {
        for (; i < of_length; ++i, ++symbol) symbols[symbol] += counts_[i];
      }
      for (; i < of_length; ++symbol) {
        std::uint32_t sum = 0;
        for (const std::uint32_t next = std::min(of_length, i + (1U << shift)); i < next; ++i)
          sum += counts_[i];
        symbols[symbol] += sum;
      }
    }
  }

  std::array<std::array<std::uint16_t, class_count<W> + 2>, 2> both_;
  const std::uint16_t* counts_ = both_[0].data();
  unsigned now_ = 0;
  std::uint32_t end_ = 0;
};

struct SampledSymbols {
  std::uint64_t cost = 0;  ///< Without the symbols' own.
  std::uint32_t kinds = 0;
};

/// What so many occurrences of a symbol save, of what all symbols cost: these times their logarithm.
constexpr auto saved_by_count = [] {
  std::array<std::uint32_t, max_sample_words + 1> saved{};
  for (std::uint32_t count = 0; count < saved.size(); ++count) saved[count] = count * core::fixed_log2(count);
  return saved;
}();

/// The sum of occurrence_cost() of the symbols, of which so many are used, and of what these save.
SampledSymbols cost_of(const SymbolCounts& counts, std::uint32_t used, std::uint32_t sampled,
                       const EntropyModel& model) {
  const std::uint32_t of_length = 1U << model.mantissa_bits;  // symbols with as many extra bits
  std::uint32_t extra = 0, saved = 0, kinds = 0;
  for (std::uint32_t first = 0; first < used; first += of_length) {
    std::uint32_t occurrences = 0;
    for (std::uint32_t s = first; s < first + of_length; ++s) occurrences += counts[s];
    extra += occurrences * (dropped_bits_of_symbol(first, model.mantissa_bits) + model.raw_bits);
  }
  for (std::uint32_t s = 0; s < used; ++s) {
    saved += saved_by_count[counts[s]];
    kinds += counts[s] != 0 ? 1 : 0;
  }
  return {std::uint64_t{saved_by_count[sampled]} + (std::uint64_t{extra} << bit_cost_bits) - saved, kinds};
}

/// Replaces a choice by one with this mode if that costs less.
template <core::Word W>
void try_mode(const Sample<W>& sample, std::uint32_t words, EntropyModel model, unsigned offset_bits,
              ModelChoice& best, std::uint64_t& best_cost) {
  const std::uint32_t sampled = sample_count(words);
  const std::uint64_t per_symbol = symbol_cost(sampled, words);
  ClassCounts<W> classes(sample, sampled, model.mode, static_cast<W>(model.base));
  const std::uint64_t before = best_cost;
  SymbolCounts counts;
  for (unsigned m = max_mantissa_bits + 1; m-- > 0;) {
    model.mantissa_bits = m;
    model.raw_bits = raw_bits_tried<W>(model.mode, offset_bits, m);
    const std::uint32_t used = classes.count_symbols(model, counts);
    const SampledSymbols symbols = cost_of(counts, used, sampled, model);
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
  for (std::uint32_t i = 0; i < sampled; i += sample_run_words)
    std::copy_n(words + sample_position(i, count), std::min(sampled - i, sample_run_words),
                sample.begin() + i);
  ModelChoice best;
  std::uint64_t best_cost = ~std::uint64_t{0};
  if (is_float) {
    const W largest = offset_of(entropy_kernels().of<W>().unite(words, count), EntropyMode::rotated, W{0});
    try_mode(sample, count, {EntropyMode::rotated, 0, 0, 0}, core::bit_length(largest), best, best_cost);
    return best;
  }
  W min = 0, max = 0;
  kernels().of<W>().range(words, count, flip, min, max);
  const unsigned offset_bits = core::bit_length(static_cast<W>(max - min));
  try_mode(sample, count, {EntropyMode::upwards, 0, 0, min}, offset_bits, best, best_cost);
  if (offset_bits <= symbol_offset_bits) return best;
  const W middle = middle_of(sample, sampled, flip);
  try_mode(sample, count, {EntropyMode::folded, 0, 0, middle}, folded_offset_bits(min, max, middle), best,
           best_cost);
  return best;
}
template ModelChoice choose_model(const std::uint8_t*, std::uint32_t, std::uint8_t, bool);
template ModelChoice choose_model(const std::uint16_t*, std::uint32_t, std::uint16_t, bool);
template ModelChoice choose_model(const std::uint32_t*, std::uint32_t, std::uint32_t, bool);
template ModelChoice choose_model(const std::uint64_t*, std::uint32_t, std::uint64_t, bool);

}  // namespace floe::trees
