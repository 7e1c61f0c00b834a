// The words of a leaf of entropy, as a block encodes them: words in memory, or what a short chain makes of
// them while they are read, which then are never stored.
#pragma once

#include "encodings/entropy/section_choice.hpp"
#include "gpu/encode/encode_chain.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// What lies between words in memory and those of a leaf, in this order.
struct LeafChain {
  bool is_sortable = false;
  std::uint8_t order = 0;   ///< Of differences: 0 to 2.
  std::uint8_t stride = 1;  ///< Of differences of order 1: up to max_packed_stride().
  std::uint8_t shift = 0;   ///< Of quotients of floats: what the divisor is the power of two of.

  /// Words that differences begin with, if there are so many.
  [[nodiscard]] FLOE_HD constexpr std::uint32_t heads() const { return std::uint32_t{order} * stride; }
};

/// What words are subtracted from lies among the lane's words, or the next one's.
inline constexpr unsigned max_packed_heads = 4;
FLOE_HD constexpr unsigned max_packed_stride(unsigned word_bytes) {
  return word_bytes == 8 ? trees::entropy_steps<std::uint64_t> : max_packed_heads;
}

/// Differences of a lane's words; `last` is what follows those of the last lane.
template <core::Word W, unsigned steps, class Warp>
FLOE_DEVICE void subtract_neighbours(Warp& warp, W (&word)[steps], W last) {
  const W next = warp.shuffle_down(word[0], 1), behind = warp.lane() == warp_lanes - 1 ? last : next;
  FLOE_UNROLL
  for (unsigned k = 0; k < steps; ++k)
    word[k] = static_cast<W>((k + 1 < steps ? word[k + 1 < steps ? k + 1 : k] : behind) - word[k]);
}

/// A section of a leaf. `chained`: there is a chain. `strided`: differences may have a stride. `apart`: there
/// is code of its own for the usual chain. `divided`: the chain begins with the quotients of floats.
template <core::Word Word, bool chained, bool strided = false, bool apart = false, bool divided = false>
class LeafWords {
 public:
  using W = Word;
  static constexpr bool is_divided = divided, sees_sources = divided;
  static constexpr unsigned steps = trees::entropy_steps<W>, group_words = warp_lanes * steps,
                            source_bytes = sizeof(W), max_behind = strided ? max_packed_heads : 2;

  /// What a lane has of a group: neighbours, and of the last lane the words behind, as differences need them.
  struct alignas(steps * sizeof(W)) Words {
    W word[steps] = {};
  };
  struct Group {
    Words words;
    W behind[max_behind] = {};
  };

  /// `count`: of the leaf. With differences, there are as many words more in memory as their order.
  FLOE_DEVICE LeafWords(const std::uint8_t* words, std::uint32_t count, DType type,
                        const LeafChain& chain = {})
      : words_(words), count_(count), type_(type) {
    if constexpr (chained) {
      is_sortable_ = chain.is_sortable;
      order_ = chain.order;
    }
    if constexpr (strided) stride_ = chain.stride;
    if constexpr (divided) shift_ = chain.shift;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t count() const { return count_; }
  [[nodiscard]] FLOE_DEVICE DType type() const { return type_; }
  /// Of the words behind those with these numbers.
  [[nodiscard]] FLOE_DEVICE W word(std::uint32_t index) const {
    const W own = mapped(load_one(index));
    if (order() == 0) return own;
    const W next = mapped(load_one(index + stride())), step = static_cast<W>(next - own);
    return order() == 1 ? step : static_cast<W>(static_cast<W>(mapped(load_one(index + 2)) - next) - step);
  }

  /// Several of them; what is in memory is asked for at once.
  template <unsigned count>
  FLOE_DEVICE void read(const std::uint32_t (&index)[count], W (&word)[count]) const {
    W next[count], last[count];
    FLOE_UNROLL
    for (unsigned k = 0; k < count; ++k) word[k] = load_one(index[k]);
    if (order() == 0) {
      FLOE_UNROLL
      for (W& own : word) own = mapped(own);
      return;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < count; ++k) next[k] = load_one(index[k] + stride());
    if (order() > 1) {
      FLOE_UNROLL
      for (unsigned k = 0; k < count; ++k) last[k] = load_one(index[k] + 2);
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < count; ++k) {
      const W behind = mapped(next[k]), step = static_cast<W>(behind - mapped(word[k]));
      word[k] = order() == 1 ? step : static_cast<W>(static_cast<W>(mapped(last[k]) - behind) - step);
    }
  }

  [[nodiscard]] FLOE_DEVICE bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(words_) % sizeof(Words) == 0;
  }
  /// Where the words from `own` on lie.
  [[nodiscard]] FLOE_DEVICE const std::uint8_t* at(std::uint32_t own) const {
    return words_ + std::uint64_t{own} * sizeof(W);
  }
  /// Whether the chain is the one that most floats have: sortable words, and differences of neighbours.
  [[nodiscard]] FLOE_DEVICE bool is_usual() const {
    return apart && is_sortable_ && order_ == 1 && stride_ == 1;
  }
  /// Asks for a lane's words, which begin at `from`, of a group that is full. Precondition: is_aligned.
  /// `usual`: the chain is that.
  template <bool usual>
  [[nodiscard]] FLOE_DEVICE Group load_full(const std::uint8_t* from, unsigned lane) const {
    Group group;
    group.words = load_aligned<Words>(from);
    FLOE_UNROLL
    for (unsigned i = 0; i < (usual ? 1 : max_behind); ++i)
      if ((usual || i < heads()) && lane == warp_lanes - 1)
        group.behind[i] = load_aligned<W>(from + sizeof(Words) + i * sizeof(W));
    return group;
  }
  /// Asks for the words from `own` on to be brought into the L2 cache, if there are any.
  FLOE_DEVICE void prefetch(std::uint32_t own) const {
    if (own < count_) gpu::prefetch(at(own));
  }
  /// The same as load_full, of any group at any address: words behind the last one are undefined.
  [[nodiscard]] FLOE_DEVICE Group load(std::uint32_t own, unsigned lane) const {
    Group group;
    const std::uint32_t sources = count_ + heads();
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k)
      if (own + k < sources) group.words.word[k] = load_one(own + k);
    FLOE_UNROLL
    for (unsigned i = 0; i < max_behind; ++i)
      if (i < heads() && lane == warp_lanes - 1 && own + steps + i < sources)
        group.behind[i] = load_one(own + steps + i);
    return group;
  }
  [[nodiscard]] FLOE_DEVICE static W sortable(W word) {
    bool good = true;
    return MapSortable<W>::map(word, {}, good);
  }
  /// Of a float's magnitude; the sign goes with it. See encodings/divide/divide.cpp.
  [[nodiscard]] FLOE_DEVICE W quotient(W word) const {
    constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    const W sign = static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
    return static_cast<W>(static_cast<W>(static_cast<W>(word & ~top) >> shift_) ^ sign);
  }
  [[nodiscard]] FLOE_DEVICE W remainder(W word) const {
    return static_cast<W>(word & core::low_mask<W>(shift_));
  }
  [[nodiscard]] FLOE_DEVICE bool is_sortable() const { return chained && is_sortable_; }
  /// Makes the words of the leaf of them.
  template <bool usual, class Warp>
  FLOE_DEVICE void finish(Warp& warp, Group& group) const {
    map<usual>(group);
    subtract<usual>(warp, group);
  }
  /// The first of its steps: words that are not sortable become that, or quotients.
  template <bool usual>
  FLOE_DEVICE void map(Group& group) const {
    if constexpr (divided) {
      FLOE_UNROLL
      for (W& word : group.words.word) word = quotient(word);
      FLOE_UNROLL
      for (W& behind : group.behind) behind = quotient(behind);
    } else if constexpr (chained) {
      if (!usual && !is_sortable_) return;
      FLOE_UNROLL
      for (W& word : group.words.word) word = sortable(word);
      FLOE_UNROLL
      for (W& behind : group.behind) behind = sortable(behind);
    }
  }
  /// The second one.
  template <bool usual, class Warp>
  FLOE_DEVICE void subtract(Warp& warp, Group& group) const {
    if constexpr (usual) {
      subtract_neighbours(warp, group.words.word, group.behind[0]);
    } else if constexpr (chained) {
      W(&word)[steps] = group.words.word;
      if constexpr (strided)
        if (stride_ > 1) return subtract_far(warp, word, group.behind);
      if (order_ > 0) subtract_neighbours(warp, word, group.behind[0]);
      if (order_ > 1) subtract_neighbours(warp, word, static_cast<W>(group.behind[1] - group.behind[0]));
    }
  }

 private:
  /// Differences of a lane's words with a stride; `last` are those that follow the words of the last lane.
  template <class Warp>
  FLOE_DEVICE void subtract_far(Warp& warp, W (&word)[steps], const W (&last)[max_behind]) const {
    W all[steps + max_behind];
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) all[k] = word[k];
    FLOE_UNROLL
    for (unsigned i = 0; i < max_behind; ++i) {
      const W next = i < steps ? warp.shuffle_down(word[i < steps ? i : 0], 1) : W{0};
      all[steps + i] = warp.lane() == warp_lanes - 1 ? last[i] : next;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W far = stride_ == 2 ? all[k + 2] : stride_ == 3 ? all[k + 3] : all[k + 4];
      word[k] = static_cast<W>(far - word[k]);
    }
  }
  [[nodiscard]] FLOE_DEVICE unsigned order() const {
    if constexpr (chained) return order_;
    return 0;
  }
  [[nodiscard]] FLOE_DEVICE unsigned stride() const {
    if constexpr (strided) return stride_;
    return 1;
  }
  [[nodiscard]] FLOE_DEVICE unsigned heads() const { return order() * stride(); }
  [[nodiscard]] FLOE_DEVICE W load_one(std::uint32_t index) const {
    return load_aligned<W>(words_ + std::uint64_t{index} * sizeof(W));
  }
  [[nodiscard]] FLOE_DEVICE W mapped(W word) const {
    if constexpr (divided) return quotient(word);
    return is_sortable() ? sortable(word) : word;
  }

  const std::uint8_t* words_;
  std::uint32_t count_;
  DType type_;
  bool is_sortable_ = false;
  unsigned order_ = 0, stride_ = 1, shift_ = 0;
};

/// What is known of all words of a section: of integers the range, in the order of unsigned numbers after the
/// XOR with `flip`; of floats which bits occur.
template <core::Word W>
struct WordSurvey {
  WordRange<W> range;
  W flip = 0, bits = 0, differences = 0;

  [[nodiscard]] FLOE_DEVICE bool is_constant() const { return range.min >= range.max && differences == 0; }
};

/// As survey_words; `usual`: words.is_usual().
template <bool usual, class Words, class Block, class See>
FLOE_DEVICE WordSurvey<typename Words::W> survey_words_as(Block& block, const Words& words,
                                                          std::uint64_t* totals, const See& see) {
  using W = typename Words::W;
  using Group = typename Words::Group;
  constexpr unsigned batch = Words::steps * Words::source_bytes > 16 ? 2 : 4;  // groups asked for at once
  auto& warp = block.warp();
  WordSurvey<W> found;
  SignedRange<W> range;
  const bool is_of_floats = is_float(words.type()), is_of_signed = is_signed(words.type());
  const W top = static_cast<W>(W{1} << (core::word_bits<W> - 1)), first_word = words.word(0);
  found.flip = is_of_signed ? top : W{0};
  const auto add = [&]<bool is_full>(std::bool_constant<is_full>, Group& group, std::uint32_t own) {
    const auto is_word = [&](unsigned k) { return is_full || own + k < words.count(); };
    if constexpr (Words::sees_sources) see.source(group, is_word);
    words.template map<usual>(group);
    see(group.words.word, is_word);
    words.template subtract<usual>(warp, group);
    if (is_of_floats) {
      FLOE_UNROLL
      for (unsigned k = 0; k < Words::steps; ++k) {
        const W word = is_word(k) ? group.words.word[k] : first_word;
        found.bits = static_cast<W>(found.bits | word);
        found.differences = static_cast<W>(found.differences | (word ^ first_word));
      }
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < Words::steps; ++k)
        if (!is_word(k)) group.words.word[k] = first_word;
      range.add(group.words.word, is_of_signed);
    }
  };
  const unsigned lane = warp.lane();
  const std::uint32_t step = block.warp_count() * Words::group_words, step_bytes = step * Words::source_bytes;
  std::uint32_t first = block.warp_index() * Words::group_words;
  if (words.is_aligned()) {
    const std::uint8_t* from = words.at(first + Words::steps * lane);
    FLOE_NO_UNROLL
    for (; first + (batch - 1) * step + Words::group_words <= words.count(); first += batch * step) {
      Group group[batch];
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i)
        group[i] = words.template load_full<usual>(from + i * step_bytes, lane);
      if (first + (2 * batch - 1) * step + Words::group_words <= words.count()) {  // the next round
        FLOE_UNROLL
        for (unsigned i = batch; i < 2 * batch; ++i) prefetch(from + i * step_bytes);
      }
      from += batch * step_bytes;
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) add(std::true_type{}, group[i], 0);
    }
  }
  FLOE_NO_UNROLL
  for (; first < words.count(); first += step) {
    Group group = words.load(first + Words::steps * lane, lane);
    add(std::false_type{}, group, first + Words::steps * lane);
  }
  constexpr unsigned sampled_at_once = 128 / Words::source_bytes;  // what a model is chosen by comes next
  const std::uint32_t sampled = trees::sample_count(words.count());
  for (std::uint32_t i = sampled_at_once * block.rank(); i < sampled; i += sampled_at_once * block.size())
    words.prefetch(trees::sample_position(i, words.count()));
  const auto unite = [&](W own) {
    std::uint64_t all = warp.reduce_or(static_cast<std::uint32_t>(own));
    if constexpr (sizeof(W) == 8) all |= std::uint64_t{warp.reduce_or(high_half(own))} << 32;
    return static_cast<W>(all);
  };
  W one = 0, other = 0;
  if (is_of_floats) {
    one = unite(found.bits);
    other = unite(found.differences);
  } else {
    found.range = range.numbers();
    found.range.join_lanes(warp);
    one = found.range.min;
    other = found.range.max;
  }
  block.sync();
  if (warp.lane() == 0) {
    totals[2 * block.warp_index()] = one;
    totals[2 * block.warp_index() + 1] = other;
  }
  block.sync();
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    const W its = static_cast<W>(totals[2 * w]), others = static_cast<W>(totals[2 * w + 1]);
    if (is_of_floats) {
      found.bits = static_cast<W>(found.bits | its);
      found.differences = static_cast<W>(found.differences | others);
    } else {
      found.range.join({its, others});
    }
  }
  if (is_of_floats) found.range = {0, 0};
  block.sync();
  return found;
}

/// Looks at all words of a section, by all threads, which get the same; see(words, is_word) sees a lane's
/// words before differences are taken, and of words that are mapped see.source the group before. `totals`:
/// shared memory for two numbers per warp; begins with a barrier.
template <class Words, class Block, class See>
FLOE_DEVICE WordSurvey<typename Words::W> survey_words(Block& block, const Words& words,
                                                       std::uint64_t* totals, const See& see) {
  return words.is_usual() ? survey_words_as<true>(block, words, totals, see)
                          : survey_words_as<false>(block, words, totals, see);
}

}  // namespace floe::gpu
