#include "plan/statistics/statistics.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t page_words = 8192, sampled_words = 1024;

/// Patterns of floats that are no plain numbers.
template <core::Word W>
void count_special(W word, Statistics& statistics) {
  constexpr unsigned mantissa = core::word_bits<W> == 64 ? 52 : 23;
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  constexpr W infinity = static_cast<W>(static_cast<W>(~top) >> mantissa << mantissa);
  const W magnitude = static_cast<W>(word & ~top);
  statistics.nans += magnitude > infinity ? 1 : 0;
  statistics.infinities += magnitude == infinity ? 1 : 0;
  statistics.negative_zeros += word == top ? 1 : 0;
  statistics.subnormals += magnitude != 0 && magnitude >> mantissa == 0 ? 1 : 0;
}

template <core::Word W>
void sample(std::span<const W> words, WordOrder order, Statistics& statistics) {
  W least = static_cast<W>(~W{0}), before = words[0];
  for (const W word : words) least = std::min(least, in_order(word, order));
  for (const W word : words) {
    const W number = in_order(word, order);
    ++statistics.offsets[core::bit_length(static_cast<W>(number - least))];
    ++statistics
          .differences[core::bit_length(core::zigzag(static_cast<W>(number - in_order(before, order))))];
    ++statistics.changed_bits[core::bit_length(static_cast<W>(word ^ before))];
    if (order == WordOrder::floats && core::word_bits<W> >= 32) count_special(word, statistics);
    before = word;
  }
  statistics.sampled += words.size();
}

template <core::Word W>
Statistics collect(std::span<const W> words, DType type) {
  const WordOrder order = order_of(type);
  Statistics statistics;
  statistics.type = type;
  statistics.count = words.size();
  statistics.first = words.front();
  statistics.last = words.back();
  const W first = in_order(words[0], order);
  WordCounts<W> all{first, first, words[0], words[0], 0, 0};
  std::uint64_t changes = 0;
  for (std::size_t i = 1; i < words.size(); i += counted_words) {
    all.changes = all.descents = 0;  // bytes hold no more than one call counts
    kernels().of<W>().count_words(words.data() + i, std::min(counted_words, words.size() - i), order, all);
    changes += all.changes;
    statistics.descents += all.descents;
  }
  for (std::size_t i = 0; i < words.size(); i += page_words) {
    sample(words.subspan(i, std::min<std::size_t>(sampled_words, words.size() - i)), order, statistics);
  }
  statistics.runs = changes + 1;
  statistics.ascents = changes - statistics.descents;
  statistics.least = from_order(all.least, order);
  statistics.most = from_order(all.most, order);
  statistics.bits_in_all = all.bits_in_all;
  statistics.bits_in_any = all.bits_in_any;
  return statistics;
}

void add(BitLengths& to, const BitLengths& lengths) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += lengths[i];
}

}  // namespace

Statistics collect_statistics(const ColumnView& stream) {
  if (stream.count == 0) return {.type = stream.type};
  return with_word(size_of(stream.type), [&]<class W>(W) { return collect(stream.words<W>(), stream.type); });
}

Statistics merge(const Statistics& before, const Statistics& after) {
  if (before.count == 0) return after;
  if (after.count == 0) return before;
  return with_word(size_of(before.type), [&]<class W>(W) {
    const WordOrder order = order_of(before.type);
    const auto number = [&](std::uint64_t word) { return in_order(static_cast<W>(word), order); };
    Statistics sum = before;
    sum.count += after.count;
    if (number(after.least) < number(sum.least)) sum.least = after.least;
    if (number(after.most) > number(sum.most)) sum.most = after.most;
    sum.last = after.last;
    sum.runs += after.runs - (before.last == after.first ? 1 : 0);
    sum.ascents += after.ascents + (number(after.first) > number(before.last) ? 1 : 0);
    sum.descents += after.descents + (number(after.first) < number(before.last) ? 1 : 0);
    sum.bits_in_all &= after.bits_in_all;
    sum.bits_in_any |= after.bits_in_any;
    sum.sampled += after.sampled;
    add(sum.offsets, after.offsets);
    add(sum.differences, after.differences);
    add(sum.changed_bits, after.changed_bits);
    sum.nans += after.nans;
    sum.infinities += after.infinities;
    sum.negative_zeros += after.negative_zeros;
    sum.subnormals += after.subnormals;
    return sum;
  });
}

}  // namespace floe::trees
