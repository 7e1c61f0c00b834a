// What takes the words of a leaf of entropy through the steps above it, block by block, and stores them.
#pragma once

#include "gpu/entropy/add_beginnings.hpp"
#include "gpu/entropy/block_decoder.hpp"
#include "gpu/entropy/join_quotients.hpp"
#include "gpu/unpack/final_words.hpp"
#include "gpu/unpack/run_outer_steps.hpp"

namespace floe::gpu {

/// What is added up above a leaf.
enum class LeafSums : std::uint8_t { none, neighbours, second_order, strided };
/// Whether words get what their block begins with when all blocks are there.
FLOE_HD constexpr bool are_relative(LeafSums sums) {
  return sums == LeafSums::second_order || sums == LeafSums::strided;
}

/// A step of a chain on words whose sum is known: what their sum becomes.
template <core::Word W>
FLOE_DEVICE W apply_to_sum(const ChainStep& step, W sum, std::uint32_t words) {
  if (step.kind == ChainStep::nothing) return sum;
  return static_cast<W>(static_cast<W>(sum * static_cast<W>(step.number[1])) +
                        static_cast<W>(words * static_cast<W>(step.number[0])));
}

/// Takes groups of a block through a chain. With a delta, a word's output is the sum of those before it: that
/// begins where the column is aligned, and not behind the word of the header.
template <core::Word W, class Final, LeafSums sums, class Warp>
class ChainSink {
 public:
  /// Whether it has a scan for what is done beside.
  static constexpr bool adds_up = sums == LeafSums::neighbours || sums == LeafSums::second_order;
  /// What a block of second order begins with: its first word, which may be the one of the segment.
  struct Beginning {
    W word = 0;
    bool is_exact = false;
  };
  /// `carry`: of all words before the block, which goes to `out`.
  FLOE_DEVICE ChainSink(Warp& warp, const UnpackChain& chain, const OuterSteps& outer, StoreArguments& to,
                        W carry, std::uint8_t* out, const Beginning& begin = {})
      : warp_(warp),
        chain_(chain),
        outer_(outer),
        to_(to),
        before_(chain.before.kind),
        after_(chain.after.kind),
        carry_(carry),
        differences_(begin.word),
        is_exact_(begin.is_exact),
        out_(out),
        at_(out + steps * warp.lane() * sizeof(Out)) {}
  /// Of all words up to the last group.
  [[nodiscard]] FLOE_DEVICE W carry() const {
    return sums == LeafSums::strided ? static_cast<W>(carry_ + classes_.all()) : carry_;
  }
  /// Where words are relative: what those of the block add to words of class `c`, from the last group on; of
  /// second order, what the next block begins with.
  [[nodiscard]] FLOE_DEVICE W sum_of_block(unsigned c) const {
    return sums == LeafSums::strided ? classes_.of(c) : differences_;
  }

  template <bool is_full, class Beside>
  FLOE_DEVICE void operator()(GroupWords<W, is_full>& group, const Beside& beside) {
    if constexpr (sums == LeafSums::none || sums == LeafSums::strided) {
      NoScan nothing;
      beside(nothing);
    }
    if constexpr (sums != LeafSums::none)
      if (before_ != ChainStep::nothing) apply(before_, chain_.before, group);
    if constexpr (sums == LeafSums::strided) {
      with_stride(chain_.stride, [&]<unsigned stride>() { add_up_classes<stride>(group); });
    } else if constexpr (sums != LeafSums::none) {
      add_up(group, carry_, beside);
    }
    if constexpr (sums == LeafSums::second_order) {
      add_up(group, differences_, [](auto& scan) { scan.finish(); });
      if constexpr (!is_wider) {
        if (is_exact_) {
          FLOE_UNROLL
          for (unsigned k = 0; k < steps; ++k) group.word[k] = complete(group.word[k]);
        }
      }
    }
    if constexpr (!are_relative(sums)) {
      if (after_ == ChainStep::sortable) {  // the usual step
        apply(ChainStep::sortable, chain_.after, group);
      } else if (after_ != ChainStep::nothing) {
        if constexpr (can_divide)
          if (after_ == ChainStep::divide) join_quotients(group);
        apply(after_, chain_.after, group);
      }
    }
    std::uint8_t* const to = at_;  // groups come one behind the other
    at_ += warp_lanes * steps * sizeof(Out);
    if (reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0 && group.left >= steps) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; k += vector_words) {
        Lane lane;
        FLOE_UNROLL
        for (unsigned i = 0; i < vector_words; ++i) lane.word[i] = stored(group.word[k + i]);
        store_global(to + k * sizeof(Out), lane);
      }
      return;
    }
    // All lanes are here. Without this the compiler makes predicates of both ways to store.
    if constexpr (is_full) warp_.sync();
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      if (k < group.left) store_aligned(to + k * sizeof(Out), stored(group.word[k]));
    }
  }

  /// By one lane: the word behind the block, at `to`, which is the sum of all before; of second order two
  /// words, and with a stride one of each class, counted from word `index` of the block on.
  FLOE_DEVICE void store_last(std::uint8_t* to, std::uint32_t index) {
    if constexpr (sums == LeafSums::strided) {
      const unsigned stride = chain_.stride;
      for (std::uint32_t i = index; i < index + stride; ++i)
        store_aligned(to + (i - index) * sizeof(Out), Out{classes_.of(class_of(i, stride))});
      return;
    }
    if constexpr (sums == LeafSums::second_order) {
      const W last = static_cast<W>(differences_ + carry_);
      store_aligned(to, is_exact_ ? complete(differences_) : Out{differences_});
      store_aligned(to + sizeof(Out), is_exact_ ? complete(last) : Out{last});
      return;
    }
    const ChainStep& after = chain_.after;
    W word = carry_;
    if (can_divide && after.kind == ChainStep::divide) {
      const QuotientJoiner<W> joiner(after, outer_);
      word = joiner.join(word, joiner.remainder(outer_.count), to_.bad);
    } else if (after.kind != ChainStep::nothing) {
      word = apply_step(after, word);
    }
    store_aligned(to, Final::of(to_, word));
  }

 private:
  /// Relative words are not final yet: their slots are as wide as their final words.
  using Out = std::conditional_t<are_relative(sums), UnsignedOfSize<sizeof(typename Final::Out)>,
                                 typename Final::Out>;
  static constexpr bool is_wider = sizeof(Out) > sizeof(W);
  static constexpr bool can_divide =
      !are_relative(sums) && sizeof(W) >= 4 && std::is_same_v<Final, FinalSame<W>>;
  static constexpr unsigned steps = trees::entropy_steps<W>;
  static constexpr unsigned vector_bytes = steps * sizeof(Out) < 16 ? steps * sizeof(Out) : 16,
                            vector_words = vector_bytes / sizeof(Out);
  struct alignas(vector_bytes) Lane {
    Out word[vector_words];
  };

  /// Numbers of the step are looked at only where it needs them.
  template <bool is_full>
  FLOE_DEVICE static void apply(ChainStep::Kind kind, const ChainStep& step, GroupWords<W, is_full>& group) {
    if (kind == ChainStep::sortable) {
      ChainStep sortable;
      sortable.kind = ChainStep::sortable;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) group.word[k] = apply_step(sortable, group.word[k]);
    } else if (kind == ChainStep::int_mult) {
      ChainStep multiply = step;
      multiply.kind = ChainStep::int_mult;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) group.word[k] = apply_step(multiply, group.word[k]);
    }
  }

  /// Of second order: what a word finally becomes.
  FLOE_DEVICE Out complete(W word) const {
    const ChainStep& after = chain_.after;
    return std::bit_cast<Out>(Final::of(to_, after_ == ChainStep::nothing ? word : apply_step(after, word)));
  }
  /// What is stored of a word of a group.
  FLOE_DEVICE Out stored(W word) const {
    if constexpr (!are_relative(sums)) {
      return Final::of(to_, word);
    } else if constexpr (sums == LeafSums::second_order && is_wider) {
      return is_exact_ ? complete(word) : Out{word};
    } else {
      return word;
    }
  }

  /// Words of a lane's group have the same vector.
  template <bool is_full>
  FLOE_DEVICE void join_quotients(GroupWords<W, is_full>& group) {
    static_assert(tile_words % steps == 0);
    const QuotientJoiner<W> joiner(chain_.after, outer_);
    const auto first_of_block = static_cast<std::uint32_t>((out_ - chain_.out) / sizeof(W));
    const W remainder = joiner.remainder(first_of_block + group.first);
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      bool bad = false;
      group.word[k] = joiner.join(group.word[k], remainder, bad);
      to_.bad = to_.bad || (bad && k < group.left);
    }
  }
  template <bool is_full>
  FLOE_DEVICE static void clear_missing(GroupWords<W, is_full>& group) {
    if constexpr (!is_full) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) group.word[k] = k < group.left ? group.word[k] : W{0};
    }
  }

  /// Each word becomes the sum of those before it in its class. Lanes begin with different classes unless
  /// their words are whole rounds of them.
  template <unsigned stride, bool is_full>
  FLOE_DEVICE void add_up_classes(GroupWords<W, is_full>& group) {
    clear_missing(group);
    const unsigned first = steps % stride == 0 ? 0 : class_of(group.first, stride);
    W of_lane[stride] = {}, own[stride], before[stride];
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W word = group.word[k];
      group.word[k] = of_lane[k % stride];
      of_lane[k % stride] = static_cast<W>(of_lane[k % stride] + word);
    }
    rotate<stride>(of_lane, first, own);
    FLOE_UNROLL
    for (unsigned c = 0; c < stride; ++c) {
      const W inclusive = scan_words(warp_, own[c]);
      before[c] = static_cast<W>(static_cast<W>(classes_.sum[c] + inclusive) - own[c]);
      classes_.sum[c] = static_cast<W>(classes_.sum[c] + warp_.shuffle(inclusive, warp_lanes - 1));
    }
    rotate_back<stride>(before, first, of_lane);
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) group.word[k] = static_cast<W>(group.word[k] + of_lane[k % stride]);
  }

  /// Each word becomes the sum of those before it, which begins with `carry`; that becomes the sum of all.
  template <bool is_full, class Beside>
  FLOE_DEVICE void add_up(GroupWords<W, is_full>& group, W& carry, const Beside& beside) {
    clear_missing(group);
    W all = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W own = group.word[k];
      group.word[k] = all;
      all = static_cast<W>(all + own);
    }
    WordScan<W, Warp> scan(warp_, all);
    beside(scan);
    const W inclusive = scan.sum();
    const W before = static_cast<W>(static_cast<W>(carry + inclusive) - all);
    carry = static_cast<W>(carry + warp_.shuffle(inclusive, warp_lanes - 1));
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) group.word[k] = static_cast<W>(group.word[k] + before);
  }

  Warp& warp_;
  const UnpackChain& chain_;
  const OuterSteps& outer_;
  StoreArguments& to_;
  ChainStep::Kind before_, after_;
  W carry_, differences_;
  bool is_exact_;
  ClassSums<W> classes_;
  std::uint8_t *out_, *at_;  ///< Of the block, and of the lane's words of the next group.
};

}  // namespace floe::gpu
