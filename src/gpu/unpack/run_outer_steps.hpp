// Takes words at their position through the steps above their chain, with all threads of a block: sums of far
// differences, whose columns are independent and lie side by side, and decimals or floats on a grid.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/join_grid_tiles.hpp"
#include "gpu/unpack/sum_rows.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Columns that a thread sums up: neighbours, `vector` of them, from row `row` up to `end`, beginning with
/// `sum`. `finish` is what becomes of sums.
template <core::Word Slot, unsigned vector, class Finish>
struct ColumnSums {
  struct alignas(vector * sizeof(Slot)) Words {
    Slot word[vector];
  };
  std::uint8_t* words;
  std::uint32_t count, stride;
  bool is_twice;
  Finish finish;

  FLOE_DEVICE void add(std::uint32_t column, std::uint32_t row, std::uint32_t end, Slot sum) {
    constexpr unsigned batch = vector > 1 ? 4 : 8;  // rows whose loads overlap
    Slot once[vector], twice[vector];
    FLOE_UNROLL
    for (unsigned k = 0; k < vector; ++k) once[k] = sum, twice[k] = 0;
    const auto next = [&](unsigned k, Slot difference) {
      once[k] = static_cast<Slot>(once[k] + difference);
      twice[k] = static_cast<Slot>(twice[k] + once[k]);
      return finish(is_twice ? twice[k] : once[k]);
    };
    const std::uint32_t left = count - column, rows = left / stride + (left % stride >= vector ? 1 : 0),
                        full_end = end < rows ? end : rows;
    const auto address = [&](std::uint32_t of_row) {
      return words + (std::uint64_t{of_row} * stride + column) * sizeof(Slot);
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
        if (row < end && i < count)
          store_word(words, i, next(k, load_aligned<Slot>(words + i * sizeof(Slot))));
      }
    }
  }
  [[nodiscard]] FLOE_DEVICE Slot sum_of(std::uint32_t column, std::uint32_t row, std::uint32_t end) const {
    Slot sum = 0;
    FLOE_UNROLL_BY(8)
    for (; row < end; ++row) {
      const std::uint64_t i = std::uint64_t{row} * stride + column;
      if (i < count) sum = static_cast<Slot>(sum + load_aligned<Slot>(words + i * sizeof(Slot)));
    }
    return sum;
  }
};

/// Sums up all columns; of few ones threads have a part of the rows each. `sums`: shared memory for a number
/// per thread. Returns whether a sum of this thread cannot be. Begins and ends with a barrier.
template <core::Word Slot, class Finish, class Block>
FLOE_DEVICE_CALL bool sum_columns(Block& block, std::uint8_t* words, std::uint32_t count, const OuterSum& sum,
                                  Finish finish, std::uint64_t* sums) {
  constexpr unsigned vector = 16 / sizeof(Slot);
  const std::uint32_t stride = sum.stride, rows = count / stride + (count % stride != 0 ? 1 : 0);
  const bool is_twice = sum.order > 1;
  if (is_twice && stride <= max_row_words) return sum_rows_twice<Slot>(block, words, count, stride, finish);
  block.sync();
  if (stride % vector == 0 && stride / vector >= block.size() &&
      reinterpret_cast<std::uintptr_t>(words) % 16 == 0) {
    ColumnSums<Slot, vector, Finish> columns{words, count, stride, is_twice, finish};
    for (std::uint32_t c = vector * block.rank(); c < stride && c < count; c += vector * block.size())
      columns.add(c, 0, rows, 0);
    block.sync();
    return columns.finish.is_bad();
  }
  ColumnSums<Slot, 1, Finish> columns{words, count, stride, is_twice, finish};
  const std::uint32_t groups = is_twice ? 1 : block.size() / stride;
  if (groups <= 1) {
    for (std::uint32_t c = block.rank(); c < stride && c < count; c += block.size())
      columns.add(c, 0, rows, 0);
    block.sync();
    return columns.finish.is_bad();
  }
  const std::uint32_t share = (rows + groups - 1) / groups, group = block.rank() / stride,
                      column = block.rank() % stride, first = group * share;
  const bool has_some = group < groups && column < count;
  sums[block.rank()] = has_some ? columns.sum_of(column, first, first + share) : Slot{0};
  block.sync();
  Slot before = 0;
  for (std::uint32_t g = 0; g < group; ++g) before = static_cast<Slot>(before + sums[g * stride + column]);
  if (has_some) columns.add(column, first, first + share, before);
  block.sync();
  return columns.finish.is_bad();
}

/// The same, by one of the sums of memory.outer, whose words of a header are stored first.
template <core::Word W, core::Word Slot, class Finish, class Block>
FLOE_DEVICE bool run_outer_sum(Block& block, unsigned index, const Finish& finish) {
  const auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  const OuterSum& sum = outer.sum[index];
  std::uint8_t* const words = outer.out + std::uint64_t{sum.first} * sizeof(Slot);
  if (block.rank() == 0) {
    HeaderReader reader{memory.chain.bytes, sum.at, sum.end};
    for (std::uint32_t k = 0; k < sum.heads; ++k)
      store_word(words, k, static_cast<Slot>(reader.get_signed(core::word_bits<W>)));
  }
  return sum_columns<Slot>(block, words, outer.count - sum.first, sum, finish,
                           reinterpret_cast<std::uint64_t*>(block.memory().room));
}

/// Takes words of W, in slots as wide as those of the segment, through the steps of memory.outer, if there
/// are some; tables are not needed any more. False to all threads if something is damaged.
template <core::Word W, core::Word Slot, class Block>
FLOE_DEVICE_CALL bool run_outer_steps(Block& block) {
  auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  if (!outer.are_some()) return true;
  static_assert(sizeof memory.room >= 8 * 4 * warp_lanes && sizeof memory.room >= sizeof(GridTurns));
  FinishStep<Slot> same;
  same.after.kind = ChainStep::nothing;
  for (unsigned i = outer.sum_count; i-- > 1;) run_outer_sum<W, Slot>(block, i, same);
  if constexpr (sizeof(Slot) >= 4) {
    if (outer.is_decimal) {
      using Float = std::conditional_t<sizeof(Slot) == 8, double, float>;
      const StoreArguments to(outer.out, core::power_of_ten(outer.exponent));
      return !block.any(run_outer_sum<W, Slot>(block, 0, FinishDecimal<Slot, W, Float>{to}));
    }
  }
  if constexpr (sizeof(Slot) == sizeof(W)) {
    if (outer.sum_count > 0) run_outer_sum<W, Slot>(block, 0, FinishStep<Slot>{outer.after});
    if constexpr (sizeof(W) >= 4) {
      if (outer.is_grid)
        return GridJoiner<W, Block>(block, outer, memory.chain.bytes,
                                    *reinterpret_cast<GridTurns*>(memory.room))
            .run();
    }
  }
  return true;
}

}  // namespace floe::gpu
