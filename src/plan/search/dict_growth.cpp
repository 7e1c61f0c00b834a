#include "plan/search/dict_growth.hpp"

#include <algorithm>
#include <numeric>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"
#include "encodings/dictionary.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {
namespace {

/// As many as fit into the range of some different words and have their common distance, up to 2^32.
std::uint64_t possible_words(const ColumnView& words) {
  constexpr std::uint64_t too_many = std::uint64_t{1} << 32;
  if (!is_integer(words.type)) return too_many;
  return with_word(size_of(words.type), [&]<class W>(W) -> std::uint64_t {
    const auto ordered = [&](W word) { return in_order(word, order_of(words.type)); };
    W min = ordered(words.words<W>()[0]), max = min;
    std::uint64_t step = 0;
    for (const W word : words.words<W>()) {
      const W here = ordered(word);
      const std::uint64_t distance = static_cast<W>(here - min);
      if (step != 1 && (step == 0 || distance % step != 0)) step = std::gcd(step, distance);
      min = std::min(min, here);
      max = std::max(max, here);
    }
    return std::min<std::uint64_t>(too_many,
                                   static_cast<W>(max - min) / std::max<std::uint64_t>(step, 1) + 1);
  });
}

/// The square root of a number in 1/256.
std::uint64_t root_of(std::uint64_t number) {
  return std::max<std::uint64_t>(1, core::square_root(number * 256));
}

/// How many of the codes have a single run.
std::uint64_t count_single(const ColumnView& codes, std::uint64_t entries) {
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(entries) + 1);
  with_word(size_of(codes.type), [&]<class C>(C) {
    C before = static_cast<C>(~C{0});
    for (const C code : codes.words<C>()) {
      counts[static_cast<std::size_t>(code)] += code != before ? 1 : 0;  // runs of random lengths: no branch
      before = code;
    }
  });
  return static_cast<std::uint64_t>(std::count(counts.begin(), counts.end() - 1, 1U));
}

/// The more sorted words there are, the nearer they are to each other: the scale of what they need, if there
/// are so many for each of these, in 1/256.
std::uint64_t scale_of_sorted(const ColumnView& words, std::uint64_t scale) {
  const std::uint64_t bits = with_word(size_of(words.type), [&]<class W>(W) -> std::uint64_t {
    const std::span<const W> sorted = words.words<W>();
    const auto ordered = [&](std::size_t i) { return in_order(sorted[i], order_of(words.type)); };
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      sum += core::bit_length(static_cast<W>(ordered(i) - ordered(i - 1)));
    return sum * 256 / std::max<std::size_t>(sorted.size() - 1, 1);
  });
  if (bits <= 256 || scale <= 256) return scale;
  const std::uint64_t saved = core::fixed_log2(scale) - core::fixed_log2(256);
  return scale * (bits - std::min(saved, bits - 256)) / bits;
}

}  // namespace

/// Where it is not known how many words there are, dictionaries grow less than the stream, because frequent
/// words are in them already. Words with a single run stand for scale^(7/8) words each: in measured and
/// generated columns, the exponent was 0.7 to 1.1 for most (the square root of Charikar et al., "Towards
/// estimation error guarantees for distinct values", PODS 2000, is right when nothing is known). Their codes
/// grow accordingly.
DictGrowth growth_of(const PlanNode& node, const Sample& sample, std::vector<Stream>& children,
                     DistinctCount distinct) {
  if (!is_dictionary(node.encoding) || sample.scale <= 256) return {sample.scale};
  const std::uint64_t entries = children[0].view().count;
  const bool is_sorted = distinct.words > 0 &&
                         (node.encoding == EncodingId::unique || node.parameters[0] == DictRules::by_value);
  // So many codes of the sample need more bits, because that part of the entries grows.
  const auto grown_to = [&](std::uint64_t words, std::uint64_t codes, std::uint64_t growth) -> DictGrowth {
    const std::uint64_t scale = words * 256 / entries;
    return {is_sorted ? scale_of_sorted(children[0].view(), scale) : scale,
            sample.whole(codes * (core::fixed_log2(growth) - core::fixed_log2(256))),
            words > (node.encoding == EncodingId::dict ? max_dict_entries : max_unique_entries)};
  };
  // Where the words of the sample hardly repeat, they say nothing of how often others do.
  if (distinct.words > entries && 3 * entries > 2 * sample.words.count)
    return grown_to(distinct.words, sample.words.count, distinct.words * 256 / entries);
  const std::uint64_t once = count_single(children[1].view(), entries);
  if (distinct.is_exact && distinct.words >= entries && once > 0)
    return grown_to(distinct.words, once, (distinct.words - entries + once) * 256 / once);
  std::uint64_t growth = sample.scale * 256 / root_of(root_of(root_of(sample.scale)));
  // Some more than the words that would fit between those of the sample are there at most.
  const std::uint64_t possible = possible_words(children[0].view()),
                      max_new = possible + possible / 8 - std::min(possible + possible / 8, entries);
  if (once > 0 && max_new < (once * growth >> 8))
    growth = std::max<std::uint64_t>(256, (once + max_new) * 256 / once);
  return grown_to((once * growth + (entries - once) * 256) / 256, once, growth);
}

}  // namespace floe::trees
