// Takes words at their position through the steps above their chain, with all threads of a block: sums of far
// differences, whose columns are independent and lie side by side, and decimals or floats on a grid.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/join_grid_tiles.hpp"
#include "gpu/entropy/sum_rows.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Columns that a thread sums up: neighbours, `vector` of them, in all rows. `finish` is what becomes of
/// sums.
template <core::Word Slot, unsigned vector, class Finish>
struct ColumnSums {
  struct alignas(vector * sizeof(Slot)) Words {
    Slot word[vector];
  };
  std::uint8_t* words;
  std::uint32_t count, stride;
  bool is_twice;
  const Finish& finish;

  FLOE_DEVICE void add(std::uint32_t column, std::uint32_t end) const {
    constexpr unsigned batch = vector > 1 ? 4 : 8;  // rows whose loads overlap
    Slot once[vector] = {}, twice[vector] = {};
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
    std::uint32_t row = 0;
    if (vector == 1 && is_twice && stride <= max_row_words && full_end > 0) {  // what the second row is to
      const Words own = load_aligned<Words>(address(row++));
      twice[0] = own.word[0];
      store_aligned(address(0), Words{{finish(own.word[0])}});
    }
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
};

/// Sums up all columns. Begins and ends with a barrier.
template <core::Word Slot, class Finish, class Block>
FLOE_DEVICE_CALL void sum_columns(Block& block, std::uint8_t* words, std::uint32_t count, const OuterSum& sum,
                                  const Finish& finish) {
  constexpr unsigned vector = 16 / sizeof(Slot);
  const std::uint32_t stride = sum.stride, rows = count / stride + (count % stride != 0 ? 1 : 0);
  const bool is_twice = sum.order > 1;
  if (stride <= max_row_words && 2 * stride <= block.size())
    return sum_rows<Slot>(block, words, count, stride, is_twice, finish);
  block.sync();
  if (stride % vector == 0 && stride / vector >= block.size() &&
      reinterpret_cast<std::uintptr_t>(words) % 16 == 0) {
    const ColumnSums<Slot, vector, Finish> columns{words, count, stride, is_twice, finish};
    for (std::uint32_t c = vector * block.rank(); c < stride && c < count; c += vector * block.size())
      columns.add(c, rows);
    return block.sync();
  }
  const ColumnSums<Slot, 1, Finish> columns{words, count, stride, is_twice, finish};
  for (std::uint32_t c = block.rank(); c < stride && c < count; c += block.size()) columns.add(c, rows);
  block.sync();
}

/// The same, by one of the sums of memory.outer, whose words of a header are stored first.
template <core::Word W, core::Word Slot, class Finish, class Block>
FLOE_DEVICE void run_outer_sum(Block& block, unsigned index, const Finish& finish) {
  const auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  const OuterSum& sum = outer.sum[index];
  std::uint8_t* const words = outer.out + std::uint64_t{sum.first} * sizeof(Slot);
  if (block.rank() == 0) {
    HeaderReader reader{memory.chain.bytes, sum.at, sum.end};
    for (std::uint32_t k = 0; k < sum.heads; ++k)
      store_word(words, k, static_cast<Slot>(reader.get_signed(core::word_bits<W>)));
  }
  sum_columns<Slot>(block, words, outer.count - sum.first, sum, finish);
}

/// Takes words of W, in slots as wide as those of the segment, through the steps of memory.outer, if there
/// are some; tables are not needed any more. False to all threads if something is damaged.
template <core::Word W, core::Word Slot, class Block>
FLOE_DEVICE_CALL bool run_outer_steps(Block& block) {
  auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  if (!outer.are_some()) return true;
  FinishStep<Slot> same;
  same.after.kind = ChainStep::nothing;
  for (unsigned i = outer.sum_count; i-- > 1;) run_outer_sum<W, Slot>(block, i, same);
  if constexpr (sizeof(Slot) >= 4) {
    if (outer.is_decimal) {
      using Float = std::conditional_t<sizeof(Slot) == 8, double, float>;
      StoreArguments to(outer.out, core::power_of_ten(outer.exponent));
      run_outer_sum<W, Slot>(block, 0, FinishDecimal<Slot, W, Float>{to});
      return !block.any(to.bad);
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
