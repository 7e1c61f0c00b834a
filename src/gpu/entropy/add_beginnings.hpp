// Words behind second differences, or behind differences with a stride, that were stored as if their block of
// a section of entropy began with 0: they get what it begins with, which is known when all blocks are there.
#pragma once

#include <bit>

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/entropy_section.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Blocks at most of a section whose words get what their block begins with; encoders do not make more.
inline constexpr unsigned max_summed_blocks = 16;

/// What words are stored as that are not final yet.
template <unsigned bytes>
using UnsignedOfSize = std::conditional_t<bytes == 8, std::uint64_t,
                                          std::conditional_t<bytes == 4, std::uint32_t, std::uint16_t>>;

/// A sum for each class of words of a stride: classes are counted from the first word of a block.
template <core::Word W>
struct ClassSums {
  W sum[max_unpack_stride] = {};

  [[nodiscard]] FLOE_DEVICE W of(unsigned c) const {
    const W lower = c == 0 ? sum[0] : sum[1], upper = c == 2 ? sum[2] : sum[3];
    return c < 2 ? lower : upper;
  }
  [[nodiscard]] FLOE_DEVICE W all() const {
    return static_cast<W>(static_cast<W>(sum[0] + sum[1]) + static_cast<W>(sum[2] + sum[3]));
  }
  static_assert(max_unpack_stride == 4);
};
FLOE_HD constexpr unsigned class_of(std::uint32_t index, unsigned stride) {
  return stride == 3 ? index % 3 : index & (stride - 1);
}

/// to[(by + i) % stride] = from[i], in registers. The words of a lane have classes that the compiler knows
/// where these are counted from the lane's first word, so that sums of a few classes move, and no words.
template <unsigned stride, core::Word W>
FLOE_DEVICE void rotate(const W* from, unsigned by, W* to) {
  FLOE_UNROLL
  for (unsigned c = 0; c < stride; ++c) {
    to[c] = from[c];
    FLOE_UNROLL
    for (unsigned i = 1; i < stride; ++i) to[c] = by == i ? from[(c + stride - i) % stride] : to[c];
  }
}
template <unsigned stride, core::Word W>
FLOE_DEVICE void rotate_back(const W* from, unsigned by, W* to) {
  rotate<stride>(from, by == 0 ? 0 : stride - by, to);
}

/// Of words that several warps share, those of one: every `count`-th piece from piece `index` on.
struct WarpShare {
  unsigned index = 0, count = 1;
};

/// Adds to words, in slots as wide as what Final makes of them and at a multiple of that, what those of their
/// class begin with, takes them through the last step, and stores what Final makes of them. By a warp;
/// `batch` loads are in flight.
template <core::Word W, unsigned stride, class Final, unsigned batch, class Warp>
FLOE_DEVICE void add_to_words(Warp& warp, const UnpackChain& chain, StoreArguments& to, std::uint8_t* words,
                              std::uint32_t count, const ClassSums<W>& first, WarpShare share = {}) {
  using Slot = UnsignedOfSize<sizeof(typename Final::Out)>;
  constexpr unsigned vector_words = 16 / sizeof(Slot), together = batch * warp_lanes * vector_words;
  struct alignas(16) Lane {
    Slot word[vector_words];
  };
  const ChainStep& after = chain.after;
  const auto complete = [&](Slot word, W begin) {
    const W sum = static_cast<W>(static_cast<W>(word) + begin);
    const W word_after = after.kind == ChainStep::nothing ? sum : apply_step(after, sum);
    return std::bit_cast<Slot>(Final::of(to, word_after));
  };
  const bool is_placed = reinterpret_cast<std::uintptr_t>(words) % sizeof(Lane) == 0;
  const std::uint32_t whole = is_placed ? count / together * together : 0;
  FLOE_NO_UNROLL
  for (std::uint32_t done = share.index * together; done < whole; done += share.count * together) {
    const std::uint32_t own = done + warp.lane() * vector_words;
    std::uint8_t* const at = words + std::uint64_t{own} * sizeof(Slot);
    Lane lanes[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) lanes[i] = load_aligned<Lane>(at + i * warp_lanes * sizeof(Lane));
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      W begin[stride];
      rotate_back<stride>(
          first.sum, vector_words % stride == 0 ? 0 : class_of(own + i * warp_lanes * vector_words, stride),
          begin);
      FLOE_UNROLL
      for (unsigned k = 0; k < vector_words; ++k)
        lanes[i].word[k] = complete(lanes[i].word[k], begin[k % stride]);
      store_aligned(at + i * warp_lanes * sizeof(Lane), lanes[i]);
    }
  }
  for (std::uint32_t i = whole + share.index * warp_lanes + warp.lane(); i < count;
       i += share.count * warp_lanes)
    store_word(
        words, i,
        complete(load_aligned<Slot>(words + std::uint64_t{i} * sizeof(Slot)), first.of(class_of(i, stride))));
}

/// What block `index`, from word `first` on, begins with: for its classes, counted from that word.
template <core::Word W, unsigned stride, class Memory>
FLOE_DEVICE ClassSums<W> beginning_of_block(Memory& memory, std::uint32_t index, std::uint32_t first) {
  const unsigned bits = memory.table().section.header.block_bits;
  ClassSums<W> begin;
  FLOE_UNROLL
  for (unsigned c = 0; c < stride; ++c) {
    W sum = static_cast<W>(memory.chain.head[class_of(first + c, stride)]);
    for (std::uint32_t j = 0; j < index; ++j)
      sum = static_cast<W>(sum + memory.sums[j][class_of(first + c - (j << bits), stride)]);
    begin.sum[c] = sum;
  }
  return begin;
}

/// Gives words what their block begins with, for as many classes as there are. Called by all threads, when
/// all blocks are there.
template <core::Word W, unsigned stride, class Final, class Block>
FLOE_DEVICE void add_beginnings(Block& block, StoreArguments& to) {
  auto& memory = block.memory();
  const UnpackChain& chain = memory.chain;
  const EntropySection& section = memory.table().section;
  for (std::uint32_t i = block.warp_index(); i < section.block_count(); i += block.warp_count()) {
    const std::uint32_t first = i << section.header.block_bits;
    const bool is_last = i + 1 == section.block_count();
    add_to_words<W, stride, Final, 4>(
        block.warp(), chain, to, chain.out + std::uint64_t{first} * sizeof(typename Final::Out),
        is_last ? section.words - first + stride : 1u << section.header.block_bits,
        beginning_of_block<W, stride>(memory, i, first));
  }
}

/// Blocks of a section that a warp takes one behind the other, and so knows what all but the first one begin
/// with.
struct BlockRun {
  std::uint32_t first, end;
  /// Of warp `warp` of `warps`.
  FLOE_DEVICE static BlockRun of(std::uint32_t blocks, unsigned warps, unsigned warp) {
    const std::uint32_t each = (blocks + warps - 1) / warps, first = each * warp;
    return {first < blocks ? first : blocks, first + each < blocks ? first + each : blocks};
  }
};

/// Gives words of second order what their run of blocks begins with, by all warps together: of the first run
/// that was known. Called by all threads, when all blocks are there.
template <core::Word W, class Final, class Block>
FLOE_DEVICE void add_beginnings_of_runs(Block& block, StoreArguments& to) {
  auto& memory = block.memory();
  const UnpackChain& chain = memory.chain;
  const EntropySection& section = memory.table().section;
  const std::uint32_t blocks = section.block_count();
  ClassSums<W> begin;
  for (unsigned w = 1; w < block.warp_count(); ++w) {
    const BlockRun run = BlockRun::of(blocks, block.warp_count(), w);
    if (run.first == run.end) return;
    begin.sum[0] = static_cast<W>(begin.sum[0] + memory.sums[w - 1][0]);
    const std::uint32_t first = run.first << section.header.block_bits,
                        end = run.end == blocks ? section.words + 2 : run.end << section.header.block_bits;
    add_to_words<W, 1, Final, sizeof(W) == 8 ? 4 : 8>(
        block.warp(), chain, to, chain.out + std::uint64_t{first} * sizeof(typename Final::Out), end - first,
        begin, {block.warp_index(), block.warp_count()});
  }
}

/// Calls call.template operator()<stride>() for a stride of 2 to 4.
template <class Call>
FLOE_DEVICE void with_stride(unsigned stride, const Call& call) {
  switch (stride) {
    case 2:
      return call.template operator()<2>();
    case 3:
      return call.template operator()<3>();
    default:
      return call.template operator()<4>();
  }
}

}  // namespace floe::gpu
