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

}  // namespace

/// Dictionaries grow less than the stream, because frequent words are in them already. Words with a single
/// run stand for scale^(7/8) words each: in measured and generated columns, the exponent was 0.7 to 1.1 for
/// most (the square root of Charikar et al., "Towards estimation error guarantees for distinct values", PODS
/// 2000, is right when nothing is known). Their codes grow accordingly.
DictGrowth growth_of(EncodingId encoding, const Sample& sample, std::vector<Stream>& children,
                     std::uint64_t distinct) {
  if (!is_dictionary(encoding) || sample.scale <= 256) return {sample.scale};
  const std::uint64_t entries = children[0].view().count;
  const std::uint64_t max_entries = encoding == EncodingId::dict ? max_dict_entries : max_unique_entries;
  // Where the words of the sample hardly repeat, they say nothing of how often others do.
  if (distinct > entries && 3 * entries > 2 * sample.words.count) {
    const std::uint64_t more_bits = core::fixed_log2(distinct) - core::fixed_log2(entries);
    return {distinct * 256 / entries, sample.whole(sample.words.count * more_bits), distinct > max_entries};
  }
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(entries) + 1);
  with_word(size_of(children[1].view().type), [&]<class C>(C) {
    C before = static_cast<C>(~C{0});
    for (const C code : children[1].words<C>()) {
      counts[static_cast<std::size_t>(code)] += code != before ? 1 : 0;  // runs of random lengths: no branch
      before = code;
    }
  });
  const auto once = static_cast<std::uint64_t>(std::count(counts.begin(), counts.end() - 1, 1U));
  std::uint64_t growth = sample.scale * 256 / root_of(root_of(root_of(sample.scale)));
  // Some more than the words that would fit between those of the sample are there at most.
  const std::uint64_t possible = possible_words(children[0].view()),
                      max_new = possible + possible / 8 - std::min(possible + possible / 8, entries);
  if (once > 0 && max_new < (once * growth >> 8))
    growth = std::max<std::uint64_t>(256, (once + max_new) * 256 / once);
  const std::uint64_t grown = once * growth + (entries - once) * 256;
  return {grown / entries, sample.whole(once * (core::fixed_log2(growth) - core::fixed_log2(256))),
          grown / 256 > max_entries};
}

}  // namespace floe::trees
