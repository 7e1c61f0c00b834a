#include "plan/search/entropy_estimate.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/fixed_log.hpp"
#include "encodings/entropy/class_counts.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "encodings/word_order.hpp"
#include "simd/entropy/kernels.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Words that are looked at: neighbouring ones in runs.
constexpr std::size_t max_counted = 1024, run_words = 64;
/// Of a symbol: a table entry, and what samples promise too much, log2(e) / 2 bits (Miller, "Note on the bias
/// of information estimates", 1955).
constexpr std::uint64_t cost_of_bit = 256, table_entry_cost = 10 * cost_of_bit, bias = 185;

/// Offsets of one length, and with the same first bits behind the leading one, are a class, in which all are
/// as frequent.
constexpr unsigned max_class_bits = 4;
template <core::Word W>
constexpr std::size_t max_classes = (core::word_bits<W> - max_class_bits + 1) << max_class_bits;

/// What a class costs that so many of the words are in, but for the extra bits of their offsets.
constexpr auto costs_of_count = [] {
  std::array<std::int32_t, max_counted + 1> costs{};
  for (std::uint32_t count = 1; count <= max_counted; ++count)
    costs[count] =
        static_cast<std::int32_t>(bias) - static_cast<std::int32_t>(count * core::fixed_log2(count));
  return costs;
}();

EntropyCost cost_of_counts(std::span<const std::uint16_t> counts, std::size_t counted) {
  std::int64_t coded = static_cast<std::int64_t>(counted * core::fixed_log2(counted));
  std::uint64_t classes = 0;
  for (const std::uint16_t count : counts) {
    coded += costs_of_count[count];
    classes += count != 0 ? 1 : 0;
  }
  return {static_cast<std::uint64_t>(coded), classes * table_entry_cost};  // the sum is positive
}

template <core::Word W>
class Classes {
 public:
  Classes(const W* words, std::size_t count, EntropyMode mode, W base) {
    end_ =
        count_classes<max_counted>({mode, max_class_bits, 0, base}, words, static_cast<std::uint32_t>(count),
                                   1U << max_class_bits, counts_);  // all of the longest offsets
    for (std::uint32_t first = 0; first < end_; first += 1U << max_class_bits) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < 1U << max_class_bits; ++k) sum += counts_[first + k];
      extra_bits_ += std::uint64_t{sum} * dropped_bits_of_symbol(first, max_class_bits);
    }
  }
  /// With as many bits as pay.
  [[nodiscard]] EntropyCost cost(std::size_t counted) {
    EntropyCost best{~std::uint64_t{0}, 0};
    std::size_t end = end_;
    for (unsigned bits = max_class_bits;; --bits) {
      EntropyCost cost = cost_of_counts(std::span(counts_).first(end), counted);
      cost.coded += extra_bits_ * cost_of_bit;
      if (cost.coded >= best.coded) return best;
      best = cost;
      if (bits == 0) return best;
      end = coarsen(bits, end);
    }
  }

 private:
  /// To one bit fewer: classes come in pairs. Offsets whose class has one bit more than that are exact so
  /// far.
  std::size_t coarsen(unsigned bits, std::size_t end) {
    const std::size_t first = std::size_t{1} << bits;
    std::size_t to = first;
    for (std::size_t from = first; from < end; from += 2, ++to) {
      const auto both = static_cast<std::uint16_t>(counts_[from] + counts_[from + 1]);
      counts_[to] = both;
      extra_bits_ += both;
    }
    return to;
  }

  std::array<std::uint16_t, max_classes<W>> counts_;
  std::size_t end_;
  std::uint64_t extra_bits_ = 0;
};

/// How often symbols occur. In several arrays, so that equal neighbours do not wait for each other.
template <class SymbolOf>
std::array<std::uint16_t, entropy_symbols> count_symbols(std::size_t count, const SymbolOf& symbol_of) {
  constexpr std::size_t arrays = 4;
  std::array<std::array<std::uint16_t, entropy_symbols>, arrays> counts{};
  std::size_t i = 0;
  for (; i + arrays <= count; i += arrays) {
    for (std::size_t k = 0; k < arrays; ++k) ++counts[k][symbol_of(i + k)];
  }
  for (; i < count; ++i) ++counts[0][symbol_of(i)];
  for (std::size_t s = 0; s < entropy_symbols; ++s)
    counts[0][s] = static_cast<std::uint16_t>(counts[0][s] + counts[1][s] + counts[2][s] + counts[3][s]);
  return counts[0];
}

/// The same for words of few values.
template <core::Word W>
EntropyCost cost_of_bytes(const W* words, std::size_t count, W min) {
  const auto counts = count_symbols(
      count, [&](std::size_t i) { return static_cast<std::size_t>(static_cast<W>(words[i] - min)); });
  return cost_of_counts(counts, count);
}

/// The same of the first eight bits of offsets, counted from the first one that any has: a leaf with as many
/// mantissa bits as there can be has them as symbols. Nearly all floats have offsets of the same length,
/// which says little of them.
template <core::Word W>
EntropyCost cost_of_first_bits(const W* words, std::size_t count, EntropyMode mode, W base) {
  W all = 0;
  for (std::size_t i = 0; i < count; ++i) all |= offset_of(words[i], mode, base);
  const unsigned raw_bits = std::max(core::bit_length(all), symbol_offset_bits) - symbol_offset_bits;
  const auto counts = count_symbols(count, [&](std::size_t i) {
    return static_cast<std::size_t>(offset_of(words[i], mode, base) >> raw_bits);
  });
  EntropyCost cost = cost_of_counts(counts, count);
  cost.coded += count * raw_bits * cost_of_bit;
  return cost;
}

/// From where offsets are counted: upwards from the smallest word, or both ways from a middle one.
template <core::Word W>
struct Modes {
  W middle = 0;
  bool upwards = true, folded = true;  ///< Which may be the better one, going by a few words.
  bool are_long = false;               ///< Whether most offsets are nearly as long as the longest one.
};
template <core::Word W>
Modes<W> modes_of(const W* words, std::size_t count, W flip, W min, W max) {
  constexpr std::size_t max_taken = 32;
  std::array<W, max_taken> some{};
  const std::size_t taken = std::min(count, max_taken);
  for (std::size_t i = 0; i < taken; ++i) some[i] = static_cast<W>(words[i * count / taken] ^ flip);
  const auto end = some.begin() + static_cast<std::ptrdiff_t>(taken);
  const auto below = std::count_if(some.begin(), end, [&](W word) { return word < flip; }),
             above = std::count_if(some.begin(), end, [&](W word) { return word > flip; });
  Modes<W> modes;
  if (!is_zero_in_middle(static_cast<std::uint32_t>(below), static_cast<std::uint32_t>(above),
                         static_cast<std::uint32_t>(taken))) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(taken / 2);
    std::nth_element(some.begin(), middle, end);
    modes.middle = static_cast<W>(*middle ^ flip);
  }
  std::size_t up = 0, both = 0;
  for (const W word : std::span(some).first(taken)) {
    up += core::bit_length(static_cast<W>(static_cast<W>(word ^ flip) - min));
    both += core::bit_length(core::zigzag(static_cast<W>(static_cast<W>(word ^ flip) - modes.middle)));
  }
  modes.upwards = up < both + taken;
  modes.folded = both < up + taken;
  modes.are_long = std::max(up, both) + 3 * taken >= taken * core::bit_length(static_cast<W>(max - min));
  return modes;
}

template <core::Word W>
EntropyCost cost_of(const W* words, std::size_t count, DType type) {
  const auto cost_of_offsets = [&](EntropyMode mode, W base, bool are_long) {
    const EntropyCost of_classes = Classes<W>(words, count, mode, base).cost(count);
    if (!are_long) return of_classes;
    const EntropyCost of_first_bits = cost_of_first_bits(words, count, mode, base);
    return of_first_bits.coded < of_classes.coded ? of_first_bits : of_classes;
  };
  if (is_float(type)) return cost_of_offsets(EntropyMode::rotated, W{0}, true);
  const W flip = sign_flip<W>(type);
  W min = 0, max = 0;
  kernels().of<W>().range(words, count, flip, min, max);
  if (static_cast<W>(max - min) < 256) return cost_of_bytes(words, count, min);
  const Modes<W> modes = modes_of(words, count, flip, min, max);
  EntropyCost best{~std::uint64_t{0}, 0};
  if (modes.upwards) best = cost_of_offsets(EntropyMode::upwards, min, modes.are_long);
  if (modes.folded) {
    const EntropyCost folded = cost_of_offsets(EntropyMode::folded, modes.middle, modes.are_long);
    if (folded.coded < best.coded) best = folded;
  }
  return best;
}

}  // namespace

EntropyCost estimate_entropy_cost(const ColumnView& sample) {
  return with_word(size_of(sample.type), [&]<class W>(W) {
    const auto count = static_cast<std::size_t>(sample.count);
    const W* const words = sample.words<W>().data();
    if (count <= max_counted) return cost_of(words, count, sample.type);
    std::array<W, max_counted> some;
    constexpr std::size_t runs = max_counted / run_words;
    for (std::size_t run = 0; run < runs; ++run)
      std::copy_n(words + (count - run_words) * run / (runs - 1), run_words, some.begin() + run * run_words);
    EntropyCost cost = cost_of(some.data(), max_counted, sample.type);
    cost.coded = cost.coded * count / max_counted;
    return cost;
  });
}

}  // namespace floe::trees
