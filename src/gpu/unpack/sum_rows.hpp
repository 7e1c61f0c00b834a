// Sums of second differences with a short stride at the position of words, with all threads of a block: rows
// of few columns come to shared memory, many at a time, where each thread has some rows of a column.
#pragma once

#include "gpu/unpack/final_words.hpp"

namespace floe::gpu {

/// Sums become the same, or what a step makes of them.
template <core::Word Slot>
struct FinishStep {
  ChainStep after;
  FLOE_DEVICE Slot operator()(Slot word) const {
    return after.kind == ChainStep::nothing ? word : apply_step(after, word);
  }
  /// Whether some sum cannot be.
  [[nodiscard]] FLOE_DEVICE bool is_bad() const { return false; }
};
/// Sums become decimals; those of narrow integers lie in wider slots.
template <core::Word Slot, core::Word W, class Float>
struct FinishDecimal {
  StoreArguments to;
  FLOE_DEVICE Slot operator()(Slot word) {
    static_assert(sizeof(Float) == sizeof(Slot));
    return std::bit_cast<Slot>(FinalDecimal<W, Float>::of(to, static_cast<W>(word)));
  }
  [[nodiscard]] FLOE_DEVICE bool is_bad() const { return to.bad; }
};

/// The longest stride of rows that are summed up in shared memory; blocks have as many threads.
inline constexpr std::uint32_t max_row_words = trees::DeltaRules::max_near_stride;

/// What threads share: sums of each one's rows, once and twice, and rows behind them.
template <core::Word Slot, class Memory>
struct RowsRoom {
  static constexpr std::uint32_t max_threads = Memory::max_warps * warp_lanes,
                                 slots = sizeof(Memory::room) / sizeof(Slot) - 2 * max_threads;
  static_assert(sizeof(Memory::room) / sizeof(Slot) >= 2 * max_threads + max_threads);
  Slot *once, *twice, *rows;
  FLOE_DEVICE explicit RowsRoom(Memory& memory)
      : once(reinterpret_cast<Slot*>(memory.room)), twice(once + max_threads), rows(twice + max_threads) {}
};

/// Sums up `count` words twice, with a stride of up to max_row_words. They begin with a row of words and one
/// of differences, as they stand in a header. Memory::room is not needed for anything else. Returns whether a
/// sum of this thread cannot be. Begins and ends with a barrier.
template <core::Word Slot, class Finish, class Block>
FLOE_DEVICE_CALL bool sum_rows_twice(Block& block, std::uint8_t* words, std::uint32_t count,
                                     std::uint32_t stride, Finish finish) {
  using Room = RowsRoom<Slot, std::remove_reference_t<decltype(block.memory())>>;
  const Room room(block.memory());
  const std::uint32_t groups = block.size() / stride, rank = block.rank(), group = rank / stride,
                      column = rank % stride;
  // Odd, so that threads of different groups read different banks.
  const std::uint32_t most = Room::slots / (groups * stride), share = most - (most % 2 == 0 ? 1 : 0),
                      together = groups * share * stride;
  const bool has_rows = group < groups;
  Slot once = 0, twice = 0;  // of all rows before
  for (std::uint32_t first = 0; first < count; first += together) {
    const std::uint32_t length = count - first < together ? count - first : together;
    std::uint8_t* const at = words + std::uint64_t{first} * sizeof(Slot);
    block.sync();
    FLOE_UNROLL_BY(8)
    for (std::uint32_t i = rank; i < length; i += block.size())
      room.rows[i] = load_aligned<Slot>(at + std::uint64_t{i} * sizeof(Slot));
    block.sync();
    if (first == 0) {  // what the differences in the second row are to
      twice = column < length ? room.rows[column] : Slot{0};
      block.sync();
      if (group == 0 && column < length) room.rows[column] = 0;
      block.sync();
    }
    const std::uint32_t rows = column < length ? (length - column - 1) / stride + 1 : 0,
                        begin = group * share;
    const auto rows_of = [&](std::uint32_t of) {
      const std::uint32_t before = of * share;
      return rows <= before ? 0 : rows - before < share ? rows - before : share;
    };
    const std::uint32_t own = has_rows ? rows_of(group) : 0;
    Slot* const from = room.rows + begin * stride + column;
    Slot sum = 0, sum_of_sums = 0;
    FLOE_UNROLL_BY(4)
    for (std::uint32_t row = 0; row < own; ++row) {
      sum = static_cast<Slot>(sum + from[row * stride]);
      sum_of_sums = static_cast<Slot>(sum_of_sums + sum);
    }
    if (has_rows) {
      room.once[rank] = sum;
      room.twice[rank] = sum_of_sums;
    }
    block.sync();
    sum = once, sum_of_sums = twice;
    FLOE_NO_UNROLL
    for (std::uint32_t of = 0; of < groups; ++of) {
      if (of == group) sum = once, sum_of_sums = twice;
      const std::uint32_t which = of * stride + column;
      twice = static_cast<Slot>(twice + room.twice[which] + static_cast<Slot>(once * rows_of(of)));
      once = static_cast<Slot>(once + room.once[which]);
    }
    FLOE_UNROLL_BY(4)
    for (std::uint32_t row = 0; row < own; ++row) {
      sum = static_cast<Slot>(sum + from[row * stride]);
      sum_of_sums = static_cast<Slot>(sum_of_sums + sum);
      from[row * stride] = finish(sum_of_sums);
    }
    block.sync();
    FLOE_UNROLL_BY(8)
    for (std::uint32_t i = rank; i < length; i += block.size())
      store_aligned(at + std::uint64_t{i} * sizeof(Slot), room.rows[i]);
  }
  block.sync();
  return finish.is_bad();
}

}  // namespace floe::gpu
