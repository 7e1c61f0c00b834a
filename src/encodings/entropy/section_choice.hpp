// What encoders choose for a section, in integers: from where samples are taken, what a model costs, how
// large blocks are. For every backend; whoever does it in parallel must come to the same.
#pragma once

#include "core/fixed_log.hpp"
#include "encodings/entropy/section_layout.hpp"

namespace floe::trees {

// Samples: runs of words from all over the section, or all words if there are few.
inline constexpr std::uint32_t sample_run_words = 64, sample_runs = 32;
inline constexpr std::uint32_t max_sample_words = sample_run_words * sample_runs;
inline constexpr std::uint32_t max_middle_words = 128;

FLOE_HD constexpr std::uint32_t sample_count(std::uint32_t words) noexcept {
  return words < max_sample_words ? words : max_sample_words;
}
/// Where in the section a word of the sample is.
FLOE_HD constexpr std::uint32_t sample_position(std::uint32_t i, std::uint32_t words) noexcept {
  if (words < max_sample_words) return i;
  const std::uint32_t run = i / sample_run_words, last_run = words / sample_run_words - 1;
  return run * last_run / (sample_runs - 1) * sample_run_words + i % sample_run_words;
}
/// The base of folded offsets is from some words of the sample, every so many: 0 if it lies among the middle
/// half of them, because many differences are exactly 0; otherwise the word at position count / 2 in
/// ascending order.
FLOE_HD constexpr std::uint32_t middle_step(std::uint32_t sampled) noexcept {
  return static_cast<std::uint32_t>(core::divide_up(sampled, max_middle_words));
}
FLOE_HD constexpr std::uint32_t middle_count(std::uint32_t sampled) noexcept {
  return static_cast<std::uint32_t>(core::divide_up(sampled, middle_step(sampled)));
}
FLOE_HD constexpr bool is_zero_in_middle(std::uint32_t below_zero, std::uint32_t above_zero,
                                         std::uint32_t count) noexcept {
  return 4 * below_zero <= 3 * count && 4 * above_zero <= 3 * count;
}

/// The bits of the largest folded offset of words from `min` to `max` in the order of their type; all, if
/// differences wrap around.
template <core::Word W>
FLOE_HD constexpr unsigned folded_offset_bits(W min, W max, W base) noexcept {
  const W top = static_cast<W>(W{1} << (core::word_bits<W> - 1)), below = static_cast<W>(base - min),
          above = static_cast<W>(max - base);
  if (below >= top || above >= top) return core::word_bits<W>;
  return core::bit_length(static_cast<W>(core::zigzag(static_cast<W>(W{0} - below)) | core::zigzag(above)));
}
/// With so few bits of offsets upwards, offsets are symbols, and nothing else is tried.
inline constexpr unsigned symbol_offset_bits = 8;

/// The fewest raw bits with which offsets of `offset_bits` have symbols below 256.
FLOE_HD constexpr unsigned raw_bits_for(unsigned offset_bits, unsigned mantissa_bits) noexcept {
  const unsigned in_symbols = mantissa_bits + 1 + ((entropy_symbols >> mantissa_bits) - 2);
  return offset_bits > in_symbols ? offset_bits - in_symbols : 0;
}

/// The raw bits that are tried with so many mantissa bits. Floats of 16 bits have half of their bits raw
/// where symbols have all mantissa bits: symbols then are the other half, with the whole exponent of bf16,
/// and devices decode these twice as fast.
template <core::Word W>
FLOE_HD constexpr unsigned raw_bits_tried(EntropyMode mode, unsigned offset_bits,
                                          unsigned mantissa_bits) noexcept {
  constexpr unsigned half = core::word_bits<W> / 2;
  const unsigned fewest = raw_bits_for(offset_bits, mantissa_bits);
  const bool may_be_halves =
      sizeof(W) == 2 && mode == EntropyMode::rotated && mantissa_bits == max_mantissa_bits;
  return may_be_halves && fewest < half ? half : fewest;
}
/// Rotated words of 16 bits of which symbols are half.
FLOE_HD constexpr bool is_of_halves(const EntropyModel& model) noexcept {
  return model.mode == EntropyMode::rotated && model.raw_bits == 8;
}
/// What a model counts for among others that cost `cost` in all: halves may cost 0.4 % more than the best
/// one where so few symbols occur that frequencies can be short.
FLOE_HD constexpr std::uint64_t weighed_cost(std::uint64_t cost, std::uint32_t symbols,
                                             const EntropyModel& model) noexcept {
  constexpr std::uint32_t few = 64;
  const bool is_favoured = is_of_halves(model) && model.mantissa_bits == max_mantissa_bits && symbols <= few;
  return is_favoured ? cost - cost / 256 : cost;
}

// The sample is counted once, in classes: symbols with all mantissa bits and no raw bits. Those with one
// mantissa bit fewer have classes in pairs.
template <core::Word W>
inline constexpr std::uint32_t class_count = (core::word_bits<W> - 6) << max_mantissa_bits;

/// Classes with m mantissa bits to those with m - 1: class i from 2^m on becomes this; smaller ones stay.
FLOE_HD constexpr std::uint32_t coarser_class(std::uint32_t i, unsigned mantissa_bits) noexcept {
  const std::uint32_t first = 1U << mantissa_bits;
  return i < first ? i : first + (i - first) / 2;
}
/// The symbol of a class, if raw bits are in no symbol.
FLOE_HD constexpr std::uint32_t symbol_of_class(std::uint32_t i, unsigned mantissa_bits,
                                                unsigned raw_bits) noexcept {
  if (i >= (raw_bits + 1) << mantissa_bits) return i - (raw_bits << mantissa_bits);
  return static_cast<std::uint32_t>(
      top_of_symbol(i, mantissa_bits) << dropped_bits_of_symbol(i, mantissa_bits) >> raw_bits);
}

// Costs are numbers of 1/256 bits.
inline constexpr unsigned bit_cost_bits = core::log_fraction_bits;
inline constexpr std::uint64_t table_entry_cost = 10 << bit_cost_bits;

/// Of a symbol that occurs in the sample, beside its occurrences: its share of the table.
FLOE_HD constexpr std::uint64_t symbol_cost(std::uint32_t sampled, std::uint32_t words) noexcept {
  return table_entry_cost * sampled / words;
}
/// Of all occurrences of a symbol; those of all symbols and total * log2(total) are a model's costs. Unsigned
/// numbers wrap around, the sum does not. The smallest sum wins; of equal ones upward offsets, then the
/// fewest mantissa bits.
FLOE_HD constexpr std::uint64_t occurrence_cost(std::uint32_t count, std::uint32_t symbol,
                                                const EntropyModel& model) noexcept {
  const std::uint32_t extra = dropped_bits_of_symbol(symbol, model.mantissa_bits) + model.raw_bits;
  return std::uint64_t{count} * ((std::uint64_t{extra} << bit_cost_bits) - core::fixed_log2(count));
}

/// Of all words of a section, once frequencies are known.
FLOE_HD constexpr std::uint64_t coded_cost(std::uint32_t count, std::uint32_t frequency, std::uint32_t symbol,
                                           const EntropyModel& model, unsigned frequency_bits) noexcept {
  const std::uint32_t extra =
      dropped_bits_of_symbol(symbol, model.mantissa_bits) + model.raw_bits + frequency_bits;
  return std::uint64_t{count} * ((std::uint64_t{extra} << bit_cost_bits) - core::fixed_log2(frequency));
}
/// Short frequencies are coded and decoded faster: are they, if they cost no more than 0.2 %? Of rotated
/// words of 16 bits, of which symbols are half, 0.8 %: devices decode those twice as fast.
FLOE_HD constexpr bool takes_short_frequencies(std::uint64_t short_cost, std::uint64_t long_cost,
                                               const EntropyModel& model) noexcept {
  return short_cost <= long_cost + long_cost / (is_of_halves(model) ? 128 : 512);
}
/// The smallest blocks of at least 20000 bytes, so that their states and entries are 0.7 % of them; of some
/// words with a cost.
inline constexpr unsigned min_chosen_block_bits = 12, max_chosen_block_bits = 15;  // 16 bits count extra u32
inline constexpr std::uint64_t min_block_bytes = 20000;
FLOE_HD constexpr unsigned block_bits_for(std::uint64_t cost, std::uint32_t words) noexcept {
  unsigned bits = min_chosen_block_bits;
  while (bits < max_chosen_block_bits && (cost >> bit_cost_bits << bits) < 8 * min_block_bytes * words)
    ++bits;
  return bits;
}

/// For planners: what a leaf has beside tables, and beside symbols and extra bits, which are so many:
/// headers, states, and what fills up before the body and within it.
FLOE_HD constexpr std::uint64_t entropy_overhead_bits(std::uint64_t words,
                                                      std::uint64_t coded_bits) noexcept {
  constexpr std::uint64_t header_bits = 8 * 30, section_header_bits = 8 * 24;
  if (words < min_aligned_words) return header_bits + (std::uint64_t{32} << entropy_lane_bits(words));
  // A state has 8 of its 32 bits from the symbols, in the mean.
  constexpr std::uint64_t block_bits = 24 * max_entropy_lanes + 8 * (directory_entry_bytes + 16 / 2);
  const std::uint64_t sections = section_count(words), blocks = sections + coded_bits / (8 * min_block_bytes);
  return header_bits + sections * section_header_bits + blocks * block_bits;
}

}  // namespace floe::trees
