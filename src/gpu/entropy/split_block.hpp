// Takes the words of a block of entropy apart with a warp: symbols, and extra bits.
#pragma once

#include "gpu/entropy/bits_putter.hpp"
#include "gpu/entropy/encode_symbols.hpp"
#include "gpu/entropy/leaf_words.hpp"

namespace floe::gpu {

/// Offsets of a lane's words; every lane takes the same way.
template <core::Word W, unsigned steps>
FLOE_DEVICE void find_offsets(trees::EntropyMode mode, W base, const W (&word)[steps], W (&offset)[steps]) {
  const auto find = [&](trees::EntropyMode as) {
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) offset[k] = trees::offset_of(word[k], as, base);
  };
  if (mode == trees::EntropyMode::folded) {
    find(trees::EntropyMode::folded);
  } else if (mode == trees::EntropyMode::rotated) {
    find(trees::EntropyMode::rotated);
  } else {
    find(trees::EntropyMode::upwards);
  }
}

/// A lane's counters in a histogram in shared memory.
class SymbolCounters {
 public:
  FLOE_DEVICE explicit SymbolCounters(std::uint32_t* first) : first_(position_of(first)) {}
  FLOE_DEVICE void count(std::uint32_t symbol) const {
#if defined(__CUDA_ARCH__)
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(first_ + symbol * row_bytes) : "memory");
#else
    atomic_add(first_ + std::size_t{symbol} * counted_lanes, 1);
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  using Position = std::uint32_t;  // an address in shared memory
  static constexpr std::uint32_t row_bytes = counted_lanes * sizeof(std::uint32_t);
  static FLOE_DEVICE Position position_of(std::uint32_t* first) {
    return kept(static_cast<std::uint32_t>(__cvta_generic_to_shared(first)));
  }
#else
  using Position = std::uint32_t*;
  static Position position_of(std::uint32_t* first) { return first; }
#endif

  Position first_;
};

/// Takes a block's words apart, by a warp.
template <class Words, class Warp>
class BlockSplitter {
 public:
  using W = typename Words::W;

  /// `extra`: a multiple of 16, where extra bits go.
  FLOE_DEVICE BlockSplitter(Warp& warp, EntropyEncodeMemory& memory, std::uint32_t* buffer,
                            std::uint8_t* symbols, std::uint8_t* extra)
      : warp_(warp),
        counters_(&memory.histogram[0][warp.lane() % counted_lanes]),
        extra_(warp, buffer, extra, 0),
        symbols_(symbols + Words::steps * warp.lane()),
        mode_(memory.header.model.mode),
        mantissa_bits_(memory.header.model.mantissa_bits),
        mantissa_values_(1u << mantissa_bits_),
        raw_bits_(memory.header.model.raw_bits),
        base_(static_cast<W>(memory.header.model.base)) {}

  /// `count` words from `first` on. Returns the 32-bit words of extra bits.
  FLOE_DEVICE std::uint32_t split(const Words& words, std::uint32_t first, std::uint32_t count) {
    if (words.is_usual() && mode_ == trees::EntropyMode::folded) {
      split_as<true>(words, first, count);
    } else {
      split_as<false>(words, first, count);
    }
    return extra_.finish();
  }
  /// Of extra bits.
  [[nodiscard]] FLOE_DEVICE std::uint32_t bits() const { return extra_.bits(); }
  /// Of a lane's words.
  [[nodiscard]] FLOE_DEVICE W sum() const { return sum_; }

 private:
  static constexpr unsigned steps = Words::steps, group_words = Words::group_words,
                            group_bytes = group_words * Words::source_bytes, groups_ahead = 4;

  /// `usual`: the chain and the model are those that most floats have.
  template <bool usual>
  FLOE_DEVICE void split_as(const Words& words, std::uint32_t first, std::uint32_t count) {
    const unsigned lane = warp_.lane();
    const bool is_aligned = words.is_aligned();
    std::uint32_t own = first + steps * lane;  // for words at any address
    const std::uint8_t* from = words.at(own);
    const auto load = [&] {
      return is_aligned ? words.template load_full<usual>(from, lane) : words.load(own, lane);
    };
    std::uint32_t groups = count / group_words;
    typename Words::Group next;
    if (groups > 0) next = load();
    FLOE_NO_UNROLL
    for (; groups > 0; --groups) {
      typename Words::Group group = next;
      from += group_bytes;
      own += group_words;
      if (groups > 1) next = load();
      if (groups > groups_ahead) prefetch(from + (groups_ahead - 1) * group_bytes);
      words.template finish<usual>(warp_, group);
      take<true, usual>(group.words.word, steps);
    }
    const std::uint32_t done = count / group_words * group_words;
    if (done == count) return;
    next = words.load(first + done + steps * lane, lane);
    words.template finish<usual>(warp_, next);
    const std::uint32_t before = done + steps * lane;
    take<false, usual>(next.words.word, before < count ? count - before : 0);
  }

  /// A lane's words of the next group, of which it has `left`, or more.
  template <bool is_full, bool usual>
  FLOE_DEVICE void take(const W (&word)[steps], std::uint32_t left) {
    W offset[steps], bits[steps];
    std::uint32_t counts[steps], symbol[steps];
    find_offsets(usual ? trees::EntropyMode::folded : mode_, base_, word, offset);
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W part = static_cast<W>(offset[k] >> raw_bits_);
      const auto longer = static_cast<std::int32_t>(highest_bit_of(part) - mantissa_bits_);
      const auto dropped = static_cast<std::uint32_t>(longer > 0 ? longer : 0);
      symbol[k] = dropped * mantissa_values_ + static_cast<std::uint32_t>(part >> dropped);
      const bool is_word = is_full || k < left;
      if (is_word) counters_.count(symbol[k]);
      sum_ = static_cast<W>(sum_ + (is_word ? word[k] : W{0}));
      counts[k] = is_word ? dropped + raw_bits_ : 0;
      if constexpr (sizeof(W) == 8) {
        bits[k] = offset[k] & core::low_mask<W>(counts[k]);
      } else {
        bits[k] = static_cast<W>(low_bits(offset[k], counts[k]));
      }
    }
    if (is_full || steps <= left) {
      store_aligned(symbols_, join_symbols(symbol));
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        if (k < left) symbols_[k] = static_cast<std::uint8_t>(symbol[k]);
    }
    symbols_ += group_words;
    extra_.put(join_extra_bits<W>(bits, counts));
  }

  Warp& warp_;
  SymbolCounters counters_;
  BitsPutter<Warp> extra_;
  std::uint8_t* symbols_;  ///< Of the lane in the next group.
  trees::EntropyMode mode_;
  unsigned mantissa_bits_, mantissa_values_, raw_bits_;
  W base_, sum_ = 0;
};

}  // namespace floe::gpu
