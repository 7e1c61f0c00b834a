// Takes words at their position through the steps above their chain, with all threads of a block: sums of far
// differences, whose columns are independent and lie side by side, and floats on a grid.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/join_grid_tiles.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Columns that a thread sums up: neighbours, `vector` of them, from row `row` up to `end`, beginning with
/// `sum`. `after` is what becomes of sums.
template <core::Word W, unsigned vector>
struct ColumnSums {
  struct alignas(vector * sizeof(W)) Words {
    W word[vector];
  };
  std::uint8_t* words;
  std::uint32_t count, stride;
  bool is_twice;
  ChainStep after;

  FLOE_DEVICE void add(std::uint32_t column, std::uint32_t row, std::uint32_t end, W sum) const {
    constexpr unsigned batch = vector > 1 ? 4 : 8;  // rows whose loads overlap
    W once[vector], twice[vector];
    FLOE_UNROLL
    for (unsigned k = 0; k < vector; ++k) once[k] = sum, twice[k] = 0;
    const auto next = [&](unsigned k, W difference) {
      once[k] = static_cast<W>(once[k] + difference);
      twice[k] = static_cast<W>(twice[k] + once[k]);
      const W word = is_twice ? twice[k] : once[k];
      return after.kind == ChainStep::nothing ? word : apply_step(after, word);
    };
    const std::uint32_t left = count - column, rows = left / stride + (left % stride >= vector ? 1 : 0),
                        full_end = end < rows ? end : rows;
    const auto address = [&](std::uint32_t of_row) {
      return words + (std::uint64_t{of_row} * stride + column) * sizeof(W);
    };
    FLOE_NO_UNROLL
    for (; row + batch <= full_end; row += batch) {
      Words own[batch];
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) own[i] = load_aligned<Words>(address(row + i));
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        FLOE_UNROLL
        for (unsigned k = 0; k < vector; ++k) own[i].word[k] = next(k, own[i].word[k]);
        store_aligned(address(row + i), own[i]);
      }
    }
    FLOE_NO_UNROLL
    for (; row < full_end; ++row) {
      Words own = load_aligned<Words>(address(row));
      FLOE_UNROLL
      for (unsigned k = 0; k < vector; ++k) own.word[k] = next(k, own.word[k]);
      store_aligned(address(row), own);
    }
    if constexpr (vector > 1) {
      FLOE_UNROLL
      for (unsigned k = 0; k < vector; ++k) {
        const std::uint64_t i = std::uint64_t{row} * stride + column + k;
        if (row < end && i < count) store_word(words, i, next(k, load_aligned<W>(words + i * sizeof(W))));
      }
    }
  }
  [[nodiscard]] FLOE_DEVICE W sum_of(std::uint32_t column, std::uint32_t row, std::uint32_t end) const {
    W sum = 0;
    FLOE_UNROLL_BY(8)
    for (; row < end; ++row) {
      const std::uint64_t i = std::uint64_t{row} * stride + column;
      if (i < count) sum = static_cast<W>(sum + load_aligned<W>(words + i * sizeof(W)));
    }
    return sum;
  }
};

/// Sums up all columns; of few ones threads have a part of the rows each. `sums`: shared memory for a number
/// per thread. Begins and ends with a barrier.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void sum_columns(Block& block, std::uint8_t* words, std::uint32_t count, const OuterSum& sum,
                                  const ChainStep& after, std::uint64_t* sums) {
  constexpr unsigned vector = 16 / sizeof(W);
  const std::uint32_t stride = sum.stride, rows = count / stride + (count % stride != 0 ? 1 : 0);
  const bool is_twice = sum.order > 1;
  block.sync();
  if (stride % vector == 0 && stride / vector >= block.size() &&
      reinterpret_cast<std::uintptr_t>(words) % 16 == 0) {
    const ColumnSums<W, vector> columns{words, count, stride, is_twice, after};
    for (std::uint32_t c = vector * block.rank(); c < stride && c < count; c += vector * block.size())
      columns.add(c, 0, rows, 0);
    return block.sync();
  }
  const ColumnSums<W, 1> columns{words, count, stride, is_twice, after};
  const std::uint32_t groups = is_twice ? 1 : block.size() / stride;
  if (groups <= 1) {
    for (std::uint32_t c = block.rank(); c < stride && c < count; c += block.size())
      columns.add(c, 0, rows, 0);
    return block.sync();
  }
  const std::uint32_t share = (rows + groups - 1) / groups, group = block.rank() / stride,
                      column = block.rank() % stride, first = group * share;
  const bool has_some = group < groups && column < count;
  sums[block.rank()] = has_some ? columns.sum_of(column, first, first + share) : W{0};
  block.sync();
  W before = 0;
  for (std::uint32_t g = 0; g < group; ++g) before = static_cast<W>(before + sums[g * stride + column]);
  if (has_some) columns.add(column, first, first + share, before);
  block.sync();
}

/// Takes words through the steps of memory.outer, if there are some; tables are not needed any more. False to
/// all threads if something is damaged.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool run_outer_steps(Block& block) {
  auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  if (!outer.are_some()) return true;
  auto* const room = reinterpret_cast<std::uint64_t*>(memory.room);
  static_assert(sizeof memory.room >= 8 * 4 * warp_lanes && sizeof memory.room >= sizeof(GridTurns));
  for (unsigned i = outer.sum_count; i-- > 0;) {
    const OuterSum& sum = outer.sum[i];
    std::uint8_t* const words = outer.out + std::uint64_t{sum.first} * sizeof(W);
    if (block.rank() == 0) {
      HeaderReader reader{memory.chain.bytes, sum.at, sum.end};
      for (std::uint32_t k = 0; k < sum.heads; ++k)
        store_word(words, k, static_cast<W>(reader.get_signed(core::word_bits<W>)));
    }
    ChainStep after;
    after.kind = ChainStep::nothing;
    if (i == 0) after = outer.after;
    sum_columns<W>(block, words, outer.count - sum.first, sum, after, room);
  }
  if (!outer.is_grid) return true;
  return GridJoiner<W, Block>(block, outer, memory.chain.bytes, *reinterpret_cast<GridTurns*>(room)).run();
}

}  // namespace floe::gpu
