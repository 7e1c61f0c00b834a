#include "plan/search/facts/facts.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/bits.hpp"
#include "encodings/offset_lengths.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Of fewer words, no part shows anything.
constexpr std::size_t screened_words = 256;

template <core::Word W>
std::uint64_t zigzag_bits(W difference) {
  return core::bit_length(core::zigzag(difference));
}

/// Bits saved by a threshold above which words are counted from the smallest one there.
template <core::Word W>
std::uint64_t split_gain(std::span<const W> words, W min, W max) {
  constexpr unsigned bits = core::word_bits<W>;
  const OffsetLengths<W> offsets = count_offset_lengths(words, min);
  const W range = static_cast<W>(max - min);
  const std::uint64_t together = words.size() * core::bit_length(range);
  std::uint64_t best = together, above = 0;
  W min_above = static_cast<W>(~W{0});
  for (unsigned length = bits; length > 0; --length) {
    above += offsets.counts[length];
    min_above = std::min(min_above, offsets.min[length]);
    if (above == 0) continue;
    best = std::min(best, (words.size() - above) * (length - 1) +
                              above * core::bit_length(static_cast<W>(range - min_above)));
  }
  return together - best;
}

/// The words with different hashes: a few fewer than different words, never more.
template <core::Word W>
std::uint64_t count_distinct(std::span<const W> words) {
  std::array<std::uint16_t, max_sampled_words> slots;
  kernels().of<W>().hash_words(words.data(), words.size(), slots.data());
  std::array<std::uint8_t, hash_slots> seen{};
  std::uint64_t distinct = 0;
  for (const std::uint16_t slot : std::span(slots).first(words.size())) {
    distinct += seen[slot] ^ 1U;
    seen[slot] = 1;
  }
  return distinct;
}

/// Strides above 2: of some of the words, unless those are nearer to each other than neighbours are.
template <core::Word W>
void add_large_strides(std::span<const W> words, std::size_t max_stride, StreamFacts& facts) {
  const auto bits_of = [&](std::span<const W> some, std::size_t stride) {
    return kernels().of<W>().sum_difference_bits(some.data(), some.size(), stride, max_stride_tried);
  };
  constexpr std::size_t parts = 4;
  const std::span<const W> some =
      words.size() < screened_words ? words : words.subspan(words.size() / 2, words.size() / parts);
  const std::uint64_t neighbours = bits_of(some, 1);
  for (std::size_t stride = 3; stride <= max_stride; ++stride) {
    const std::uint64_t bits = bits_of(some, stride);
    facts.difference_bits[stride] = some.size() == words.size() ? bits
                                    : bits < neighbours         ? bits_of(words, stride)
                                    : neighbours == 0           ? facts.difference_bits[1]
                                                      : facts.difference_bits[1] * bits / neighbours;
  }
}

/// Words less what all differences have in common, if there is something: clocks and counters go on by a step
/// that children of differences are measured from.
template <core::Word W>
struct Levelled {
  explicit Levelled(std::span<const W> words) {
    constexpr std::size_t looked_at = 15;
    using Signed = std::make_signed_t<W>;
    std::array<Signed, looked_at> some{};
    for (std::size_t i = 0; i < looked_at; ++i) {
      const std::size_t at = 1 + (words.size() - 2) * i / (looked_at - 1);
      some[i] = static_cast<Signed>(static_cast<W>(words[at] - words[at - 1]));
    }
    std::nth_element(some.begin(), some.begin() + looked_at / 2, some.end());
    const W step = static_cast<W>(some[looked_at / 2]);
    for (std::size_t i = 0; i < words.size(); ++i)
      all[i] = static_cast<W>(words[i] - static_cast<W>(i) * step);
  }
  std::array<W, max_sampled_words> all;
};

template <core::Word W>
StreamFacts coarse_facts_of(std::span<const W> words, std::size_t max_stride) {
  StreamFacts facts;
  facts.sampled = words.size();
  W min = 0, max = 0;
  kernels().of<W>().range(words.data(), words.size(), 0, min, max);
  facts.runs = 1 + kernels().of<W>().count_changes(words.data() + 1, words.size() - 1);
  facts.distinct = count_distinct(words);
  const BitSums sums = kernels().of<W>().sum_bit_lengths(words.data(), words.size(), min, max_stride_tried);
  facts.offset_bits = sums.offsets;
  facts.difference_bits[1] = sums.differences;
  facts.difference_bits[2] = sums.differences_by_two;
  facts.second_difference_bits = sums.second_differences;
  if (words.size() > 1) facts.second_difference_bits += zigzag_bits(static_cast<W>(words[1] - words[0]));
  const auto add_strides = [&](std::span<const W> some) {
    if (max_stride > 2 && words.size() > max_stride_tried) add_large_strides(some, max_stride, facts);
  };
  if (words.size() <= max_stride_tried || sums.second_differences + facts.sampled / 4 >= sums.differences) {
    add_strides(words);
    return facts;
  }
  const Levelled<W> levelled(words);
  const std::span<const W> level(levelled.all.data(), words.size());
  const auto bits_of = [&](std::size_t stride) {
    return std::uint64_t{
        kernels().of<W>().sum_difference_bits(level.data(), level.size(), stride, max_stride_tried)};
  };
  facts.difference_bits[1] = std::min(facts.difference_bits[1], bits_of(1));
  facts.difference_bits[2] = std::min(facts.difference_bits[2], bits_of(2));
  add_strides(facts.difference_bits[1] < sums.differences ? level : words);
  return facts;
}

template <core::Word W>
W common_divisor(std::span<const W> words, W min) {
  constexpr std::size_t few = 16;
  W divisor = 0;
  for (std::size_t i = 0; i < words.size() && divisor != 1; ++i) {
    if (i % few == 0 && divisor != 0) {  // most of them often divide all that follow
      const std::size_t left = words.size() - i;
      if (kernels().of<W>().count_multiples(words.data() + i, left, min, divisor) == left) break;
    }
    divisor = static_cast<W>(std::gcd(std::uint64_t{divisor}, std::uint64_t{static_cast<W>(words[i] - min)}));
  }
  return std::max<W>(divisor, 1);
}

/// How often the most frequent word occurs, going by hashes.
template <core::Word W>
std::uint64_t count_most_frequent(std::span<const W> words) {
  std::array<std::uint16_t, max_sampled_words> slots;
  kernels().of<W>().hash_words(words.data(), words.size(), slots.data());
  std::array<std::uint16_t, hash_slots> counts{};
  std::size_t at = 0;
  std::uint16_t max_count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (++counts[slots[i]] <= max_count) continue;
    max_count = counts[slots[i]];
    at = i;
  }
  return static_cast<std::uint64_t>(std::count(words.begin(), words.end(), words[at]));
}

template <core::Word W>
StreamFacts facts_of(std::span<const W> words, bool is_float) {
  StreamFacts facts = coarse_facts_of(words, max_stride_tried);
  W min = 0, max = 0;
  kernels().of<W>().range(words.data(), words.size(), 0, min, max);
  if ((facts.sampled - facts.distinct) * frequent_part >= facts.sampled)
    facts.frequent = count_most_frequent(words);
  if (!is_float) facts.divisor = common_divisor(words, min);
  facts.split_gain_bits = split_gain(words, min, max);
  return facts;
}

/// Calls `work` with the words in the middle of the stream, in order.
template <class Work>
StreamFacts with_middle(const ColumnView& stream, const Work& work) {
  return with_word(size_of(stream.type), [&]<class W>(W) {
    const auto count = static_cast<std::size_t>(std::min(stream.count, max_sampled_words));
    const std::span<const W> middle =
        stream.words<W>().subspan(static_cast<std::size_t>((stream.count - count) / 2), count);
    std::array<W, max_sampled_words> ordered;
    std::transform(middle.begin(), middle.end(), ordered.begin(),
                   [&](W word) { return in_order(word, order_of(stream.type)); });
    return work(std::span<const W>(ordered).first(count));
  });
}

}  // namespace

StreamFacts find_facts(const ColumnView& stream) {
  return with_middle(stream, [&](const auto& words) { return facts_of(words, is_float(stream.type)); });
}

StreamFacts find_coarse_facts(const ColumnView& stream, std::size_t max_stride) {
  return with_middle(stream, [max_stride](const auto& words) { return coarse_facts_of(words, max_stride); });
}

}  // namespace floe::trees
