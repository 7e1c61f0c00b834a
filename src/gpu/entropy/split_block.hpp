// Takes the words of a block of entropy apart with a warp: symbols, and extra bits.
#pragma once

#include "gpu/entropy/encode_symbols.hpp"
#include "gpu/entropy/leaf_words.hpp"
#include "gpu/entropy/scan_words.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

/// Up to 128 bits; those above `count` are zero.
struct ExtraBits {
  std::uint32_t word[4] = {}, count = 0;
};

/// A lane's pieces, one behind the other.
template <core::Word W, unsigned steps>
FLOE_DEVICE ExtraBits join_extra_bits(const W (&bits)[steps], const std::uint32_t (&counts)[steps]) {
  static_assert(steps * sizeof(W) <= 16);
  if constexpr (sizeof(W) == 8) {
    static_assert(steps == 2);
    const std::uint64_t low = bits[0] | shift_left(bits[1], counts[0]),
                        high = shift_right(bits[1], 64 - counts[0]);
    return {{low_half(low), high_half(low), low_half(high), high_half(high)}, counts[0] + counts[1]};
  } else {
    constexpr unsigned joined = 4 / sizeof(W);  // pieces that 32 bits hold
    std::uint32_t piece[4] = {}, length[4] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const std::uint32_t own = bits[k];
      piece[k / joined] |= k % joined == 0 ? own : own << length[k / joined];
      length[k / joined] += counts[k];
    }
    const LaneBytes all = join_pieces(piece, length);
    return {{low_half(all.low), high_half(all.low), low_half(all.high), high_half(all.high)},
            length[0] + length[1] + length[2] + length[3]};
  }
}

/// Puts a lane's bits to a ring from bit `position` on, where it is zero. Lanes may share their first and
/// last words.
template <class Warp>
FLOE_DEVICE void put_extra_bits(Warp& warp, std::uint32_t* ring, std::uint32_t position,
                                const ExtraBits& bits) {
  const auto at = [&](std::uint32_t i) {
    return reinterpret_cast<std::uint8_t*>(ring + (position / 32 + i) % staged_extra_words);
  };
  const unsigned shift = position % 32, words = (shift + bits.count + 31) / 32;
  if (bits.count == 0) return;
  const std::uint32_t* const v = bits.word;
  const std::uint32_t x[5] = {v[0] << shift, funnel_left(v[0], v[1], shift), funnel_left(v[1], v[2], shift),
                              funnel_left(v[2], v[3], shift), funnel_left(v[3], 0, shift)};
  std::uint32_t last = 0;
  FLOE_UNROLL
  for (unsigned i = 1; i < 5; ++i) {
    last = i + 1 == words ? x[i] : last;
    if (i + 1 < words) store_aligned(at(i), x[i]);
  }
  warp.shared_or(at(0), x[0]);
  if (words > 1) warp.shared_or(at(words - 1), last);
}

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

/// Takes a block's words apart, by a warp. Extra bits leave the ring in pieces.
template <class Words, class Warp>
class BlockSplitter {
 public:
  using W = typename Words::W;

  /// `extra`: a multiple of 16, where extra bits go.
  FLOE_DEVICE BlockSplitter(Warp& warp, EntropyEncodeMemory& memory, std::uint32_t* ring,
                            std::uint8_t* symbols, std::uint8_t* extra)
      : warp_(warp),
        counters_(&memory.histogram[0][warp.lane() % counted_lanes]),
        ring_(ring),
        symbols_(symbols),
        extra_(extra),
        mode_(memory.header.model.mode),
        mantissa_bits_(memory.header.model.mantissa_bits),
        raw_bits_(memory.header.model.raw_bits),
        base_(static_cast<W>(memory.header.model.base)) {}

  /// `count` words from `first` on. Returns the 32-bit words of extra bits.
  FLOE_DEVICE std::uint32_t split(const Words& words, std::uint32_t first, std::uint32_t count) {
    const unsigned lane = warp_.lane();
    for (unsigned i = lane; i < staged_extra_words; i += warp_lanes) ring_[i] = 0;
    warp_.sync();
    const auto load = [&](std::uint32_t at) {
      return words.is_aligned() && at + Words::group_words <= words.count()
                 ? words.load_full(at + steps * lane, lane)
                 : words.load(at + steps * lane, lane);
    };
    typename Words::Group next = load(first);
    std::uint32_t done = 0;
    FLOE_NO_UNROLL
    for (; done + Words::group_words <= count; done += Words::group_words) {
      typename Words::Group group = next;
      next = load(first + done + Words::group_words);
      words.finish(warp_, group);
      take<true>(group.words.word, done + steps * lane, count);
    }
    if (done < count) {
      words.finish(warp_, next);
      take<false>(next.words.word, done + steps * lane, count);
    }
    for (std::uint32_t i = written_ / 4 + lane; i < (held_ + 31) / 32; i += warp_lanes)
      store_aligned(extra_ + 4 * std::uint64_t{i}, ring_[i % staged_extra_words]);
    warp_.sync();
    return (held_ + 31) / 32;
  }
  /// Of a lane's words.
  [[nodiscard]] FLOE_DEVICE W sum() const { return sum_; }

 private:
  static constexpr unsigned steps = Words::steps;

  /// A lane's words of a group, from word `own` of the block on.
  template <bool is_full>
  FLOE_DEVICE void take(const W (&word)[steps], std::uint32_t own, std::uint32_t count) {
    W offset[steps], bits[steps];
    std::uint32_t counts[steps];
    SymbolGroup<steps> symbols = 0;
    find_offsets(mode_, base_, word, offset);
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W part = static_cast<W>(offset[k] >> raw_bits_);
      const auto longer =
          static_cast<std::int32_t>(core::bit_length(part)) - static_cast<std::int32_t>(mantissa_bits_ + 1);
      const auto dropped = static_cast<std::uint32_t>(longer > 0 ? longer : 0);
      const auto symbol = (dropped << mantissa_bits_) + static_cast<std::uint32_t>(part >> dropped);
      const bool is_word = is_full || own + k < count;
      symbols = static_cast<SymbolGroup<steps>>(symbols | static_cast<SymbolGroup<steps>>(symbol) << (8 * k));
      if (is_word) atomic_add(counters_ + symbol * counted_lanes, 1);
      sum_ = static_cast<W>(sum_ + (is_word ? word[k] : W{0}));
      counts[k] = is_word ? dropped + raw_bits_ : 0;
      if constexpr (sizeof(W) == 8) {
        bits[k] = offset[k] & core::low_mask<W>(counts[k]);
      } else {
        bits[k] = static_cast<W>(low_bits(offset[k], counts[k]));
      }
    }
    if (is_full || own + steps <= count) {
      store_aligned(symbols_ + own, symbols);
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        if (own + k < count) symbols_[own + k] = static_cast<std::uint8_t>(symbol_at<steps>(symbols, k));
    }
    const ExtraBits joined = join_extra_bits<W>(bits, counts);
    const std::uint32_t inclusive = scan_words(warp_, joined.count);
    put_extra_bits(warp_, ring_, held_ + inclusive - joined.count, joined);
    held_ += warp_.shuffle(inclusive, warp_lanes - 1);
    warp_.sync();
    if (held_ / 8 - written_ < extra_piece_bytes) return;
    auto* const piece =
        reinterpret_cast<std::uint8_t*>(ring_) + written_ % (2 * extra_piece_bytes) + 16 * warp_.lane();
    store_aligned(extra_ + written_ + 16 * warp_.lane(), load_aligned<Vector<std::uint32_t>>(piece));
    store_aligned(piece, Vector<std::uint32_t>{});
    written_ += extra_piece_bytes;
    warp_.sync();
  }

  Warp& warp_;
  std::uint32_t *counters_, *ring_;
  std::uint8_t *symbols_, *extra_;
  trees::EntropyMode mode_;
  unsigned mantissa_bits_, raw_bits_;
  W base_, sum_ = 0;
  std::uint32_t held_ = 0, written_ = 0;  ///< Bits in all, and bytes of them that left the ring.
};

}  // namespace floe::gpu
