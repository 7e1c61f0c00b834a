// Words behind second differences, or behind differences with a stride, that were stored as if their block of
// a section of entropy began with 0: they get what it begins with, which is known when all blocks are there.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/entropy_section.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Blocks at most of a section whose words get what their block begins with; encoders do not make more.
inline constexpr unsigned max_summed_blocks = 16;

/// A sum for each class of words of a stride: classes are counted from the first word of a block.
template <core::Word W>
struct ClassSums {
  W sum[max_unpack_stride] = {};

  [[nodiscard]] FLOE_DEVICE W of(unsigned c) const {
    const W lower = c == 0 ? sum[0] : sum[1], upper = c == 2 ? sum[2] : sum[3];
    return c < 2 ? lower : upper;
  }
  FLOE_DEVICE void add(unsigned c, W word) {
    FLOE_UNROLL
    for (unsigned i = 0; i < max_unpack_stride; ++i) sum[i] = static_cast<W>(sum[i] + (c == i ? word : W{0}));
  }
  [[nodiscard]] FLOE_DEVICE W all() const {
    return static_cast<W>(static_cast<W>(sum[0] + sum[1]) + static_cast<W>(sum[2] + sum[3]));
  }
  static_assert(max_unpack_stride == 4);
};
FLOE_HD constexpr unsigned class_of(std::uint32_t index, unsigned stride) {
  return stride == 3 ? index % 3 : index & (stride - 1);
}
FLOE_HD constexpr unsigned next_class(unsigned c, unsigned stride) { return c + 1 == stride ? 0 : c + 1; }

/// Adds to words at a multiple of their size what those of their class begin with, and takes them through the
/// last step. By a warp.
template <core::Word W, bool strided, class Warp>
FLOE_DEVICE void add_to_words(Warp& warp, const UnpackChain& chain, std::uint8_t* words, std::uint32_t count,
                              const ClassSums<W>& first) {
  constexpr unsigned batch = 4, vector_words = 16 / sizeof(W), together = batch * warp_lanes * vector_words;
  struct alignas(16) Lane {
    W word[vector_words];
  };
  const unsigned stride = strided ? chain.stride : 1u;
  const ChainStep& after = chain.after;
  const auto complete = [&](W word, unsigned c) {
    const W sum = static_cast<W>(word + (strided ? first.of(c) : first.sum[0]));
    return after.kind == ChainStep::nothing ? sum : apply_step(after, sum);
  };
  const bool is_placed = reinterpret_cast<std::uintptr_t>(words) % sizeof(Lane) == 0;
  std::uint32_t done = 0;
  FLOE_NO_UNROLL
  for (; is_placed && done + together <= count; done += together) {
    const std::uint32_t own = done + warp.lane() * vector_words;
    std::uint8_t* const at = words + std::uint64_t{own} * sizeof(W);
    Lane lanes[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) lanes[i] = load_aligned<Lane>(at + i * warp_lanes * sizeof(Lane));
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      unsigned c = strided ? class_of(own + i * warp_lanes * vector_words, stride) : 0;
      FLOE_UNROLL
      for (W& word : lanes[i].word) {
        word = complete(word, c);
        c = next_class(c, stride);
      }
      store_aligned(at + i * warp_lanes * sizeof(Lane), lanes[i]);
    }
  }
  for (std::uint32_t i = done + warp.lane(); i < count; i += warp_lanes)
    store_word(words, i,
               complete(load_aligned<W>(words + std::uint64_t{i} * sizeof(W)), class_of(i, stride)));
}

/// What block `index`, from word `first` on, begins with: for its classes, counted from that word.
template <core::Word W, bool strided, class Memory>
FLOE_DEVICE ClassSums<W> beginning_of_block(Memory& memory, std::uint32_t index, std::uint32_t first) {
  const UnpackChain& chain = memory.chain;
  const unsigned stride = strided ? chain.stride : 1u, bits = memory.table().section.header.block_bits;
  ClassSums<W> begin;
  FLOE_UNROLL
  for (unsigned c = 0; c < max_unpack_stride; ++c) {
    if (c >= stride) continue;
    W sum = static_cast<W>(chain.head[class_of(first + c, stride)]);
    for (std::uint32_t j = 0; j < index; ++j)
      sum = static_cast<W>(sum + memory.sums[j][class_of(first + c - (j << bits), stride)]);
    begin.sum[c] = sum;
  }
  return begin;
}

/// Gives words what their block begins with. Called by all threads, when all blocks are there.
template <core::Word W, bool strided, class Block>
FLOE_DEVICE void add_beginnings(Block& block) {
  auto& memory = block.memory();
  const UnpackChain& chain = memory.chain;
  const EntropySection& section = memory.table().section;
  for (std::uint32_t i = block.warp_index(); i < section.block_count(); i += block.warp_count()) {
    const std::uint32_t first = i << section.header.block_bits, behind = strided ? chain.stride : 2u;
    const bool is_last = i + 1 == section.block_count();
    add_to_words<W, strided>(block.warp(), chain, chain.out + std::uint64_t{first} * sizeof(W),
                             is_last ? section.words - first + behind : 1u << section.header.block_bits,
                             beginning_of_block<W, strided>(memory, i, first));
  }
}

}  // namespace floe::gpu
