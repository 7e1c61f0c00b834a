// The words of a leaf of entropy that are integers of decimals, and differences of neighbours: made of floats
// while they are read, as LeafWords makes others.
#pragma once

#include "core/power_of_ten.hpp"
#include "gpu/entropy/leaf_words.hpp"
#include "gpu/entropy/quick_range.hpp"

namespace floe::gpu {

/// A section of a leaf, as LeafWords. What words become is checked by who surveys them.
template <core::Word Word, class Float>
class DecimalWords {
 public:
  using W = Word;
  using From = typename MapDecimal<Float, W>::From;
  static constexpr bool sees_sources = true;
  static constexpr unsigned steps = trees::entropy_steps<W>, group_words = warp_lanes * steps,
                            source_bytes = sizeof(From), max_behind = 2;

  struct alignas(16) Sources {
    From word[steps] = {};
  };
  struct Words {
    W word[steps] = {};
  };
  /// A lane's floats, and what becomes of them.
  struct Group {
    Sources sources;
    From sources_behind[max_behind] = {};
    Words words;
    W behind[max_behind] = {};
  };

  /// As that of LeafWords; chain.shift says the digits.
  FLOE_DEVICE DecimalWords(const std::uint8_t* words, std::uint32_t count, DType type, const LeafChain& chain)
      : words_(words),
        count_(count),
        type_(type),
        order_(chain.order),
        power_(core::power_of_ten(chain.shift)) {}
  [[nodiscard]] FLOE_DEVICE std::uint32_t count() const { return count_; }
  [[nodiscard]] FLOE_DEVICE DType type() const { return type_; }
  [[nodiscard]] FLOE_DEVICE static constexpr bool is_sortable() { return false; }
  [[nodiscard]] FLOE_DEVICE static constexpr bool is_usual() { return false; }
  [[nodiscard]] FLOE_DEVICE double power() const { return power_; }
  [[nodiscard]] FLOE_DEVICE W word(std::uint32_t index) const {
    const W own = integer(load_one(index));
    if (order_ == 0) return own;
    const W next = integer(load_one(index + 1)), step = static_cast<W>(next - own);
    return order_ == 1 ? step : static_cast<W>(static_cast<W>(integer(load_one(index + 2)) - next) - step);
  }
  template <unsigned count>
  FLOE_DEVICE void read(const std::uint32_t (&index)[count], W (&word)[count]) const {
    FLOE_UNROLL
    for (unsigned k = 0; k < count; ++k) word[k] = this->word(index[k]);
  }
  [[nodiscard]] FLOE_DEVICE bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(words_) % alignof(Sources) == 0;
  }
  [[nodiscard]] FLOE_DEVICE const std::uint8_t* at(std::uint32_t own) const {
    return words_ + std::uint64_t{own} * sizeof(From);
  }
  template <bool usual>
  [[nodiscard]] FLOE_DEVICE Group load_full(const std::uint8_t* from, unsigned lane) const {
    Group group;
    group.sources = load_aligned<Sources>(from);
    FLOE_UNROLL
    for (unsigned i = 0; i < max_behind; ++i)
      if (i < order_ && lane == warp_lanes - 1)
        group.sources_behind[i] = load_aligned<From>(from + sizeof(Sources) + i * sizeof(From));
    return group;
  }
  FLOE_DEVICE void prefetch(std::uint32_t own) const {
    if (own < count_) gpu::prefetch(at(own));
  }
  [[nodiscard]] FLOE_DEVICE Group load(std::uint32_t own, unsigned lane) const {
    Group group;
    const std::uint32_t sources = count_ + order_;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k)
      if (own + k < sources) group.sources.word[k] = load_one(own + k);
    FLOE_UNROLL
    for (unsigned i = 0; i < max_behind; ++i)
      if (i < order_ && lane == warp_lanes - 1 && own + steps + i < sources)
        group.sources_behind[i] = load_one(own + steps + i);
    return group;
  }
  template <bool usual, class Warp>
  FLOE_DEVICE void finish(Warp& warp, Group& group) const {
    map<usual>(group);
    subtract<usual>(warp, group);
  }
  template <bool usual>
  FLOE_DEVICE void map(Group& group) const {
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) group.words.word[k] = integer(group.sources.word[k]);
    FLOE_UNROLL
    for (unsigned i = 0; i < max_behind; ++i)
      if (i < order_) group.behind[i] = integer(group.sources_behind[i]);
  }
  template <bool usual, class Warp>
  FLOE_DEVICE void subtract(Warp& warp, Group& group) const {
    if (order_ > 0) subtract_neighbours(warp, group.words.word, group.behind[0]);
    if (order_ > 1)
      subtract_neighbours(warp, group.words.word, static_cast<W>(group.behind[1] - group.behind[0]));
  }

 private:
  /// As to_decimal, of floats that come back.
  [[nodiscard]] FLOE_DEVICE W integer(From word) const {
    const double sum =
        add_exactly(multiply_exactly(static_cast<double>(same_bits<Float>(word)), power_), to_integer);
    return static_cast<W>(same_bits<std::uint64_t>(sum) - to_integer_bits);
  }
  [[nodiscard]] FLOE_DEVICE From load_one(std::uint32_t index) const { return load_aligned<From>(at(index)); }

  const std::uint8_t* words_;
  std::uint32_t count_;
  DType type_;
  unsigned order_;
  double power_;
};

/// What of floats a segment's survey sees: whether all are decimals, and the range.
template <core::Word W, class Float, bool finds_range>
class DecimalsSeen {
 public:
  using Words = DecimalWords<W, Float>;
  using From = typename Words::From;

  FLOE_DEVICE DecimalsSeen(double power, DType type) : power_(power), reciprocal_(1 / power), range_(type) {}
  FLOE_DEVICE void add(From word) {
    W integer;
    all_good_ = to_decimal(same_bits<Float>(word), power_, reciprocal_, integer) && all_good_;
    if constexpr (finds_range) range_.add(word);
  }
  [[nodiscard]] FLOE_DEVICE bool all_good() const { return all_good_; }
  [[nodiscard]] FLOE_DEVICE const QuickRange<From>& range() const { return range_; }

  /// As survey_words calls it.
  struct See {
    DecimalsSeen& seen;
    template <class IsWord>
    FLOE_DEVICE void source(const typename Words::Group& group, const IsWord& is_word) const {
      FLOE_UNROLL
      for (unsigned k = 0; k < Words::steps; ++k)
        if (is_word(k)) seen.add(group.sources.word[k]);
    }
    template <class IsWord>
    FLOE_DEVICE void operator()(const W (&)[Words::steps], const IsWord&) const {}
  };

 private:
  double power_, reciprocal_;
  bool all_good_ = true;
  QuickRange<From> range_;
};

}  // namespace floe::gpu
