// What a block of threads writes to the index of a cursor: dictionaries, exceptions, and sums of differences.
#pragma once

#include "core/bits.hpp"
#include "floe/cursor.hpp"

namespace floe::gpu {

using cuda::Cursor;

/// Left for the whole block when the tree has been read. Later tasks read what earlier ones wrote.
struct CursorTask {
  enum class Kind : std::uint8_t { words, positions, checkpoints };
  Kind kind = Kind::words;
  Cursor from;
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< checkpoints: the sum to begin with.
  void* to = nullptr;
};

FLOE_HD inline void store_word(void* to, std::uint64_t index, unsigned bytes, std::uint64_t word) {
  memcpy(static_cast<std::uint8_t*>(to) + index * bytes, &word, bytes);
}

/// One task, by thread `thread` of `threads`, each with a place in `sums`; sync() makes them wait.
template <class Sync>
FLOE_HD void run_cursor_task(const CursorTask& task, unsigned thread, unsigned threads, std::uint64_t* sums,
                             const Sync& sync) {
  if (task.kind == CursorTask::Kind::words) {
    const auto bytes = static_cast<unsigned>(task.first);
    for (std::uint64_t i = thread; i < task.count; i += threads)
      store_word(task.to, i, bytes, task.from.word(i));
    return sync();
  }
  // Both others are running sums: every thread adds up a range, then goes over it with the sum before.
  const bool are_positions = task.kind == CursorTask::Kind::positions;
  constexpr unsigned step = Cursor::checkpoint_words;
  const std::uint64_t each = core::align_up(core::divide_up(task.count, threads), step);
  const std::uint64_t first = each * thread < task.count ? each * thread : task.count;
  const std::uint64_t end = first + each < task.count ? first + each : task.count;
  const std::uint64_t summed_end =
      are_positions || end < task.count ? end : task.count - 1;  // n words have n - 1 differences
  std::uint64_t sum = 0;
  for (std::uint64_t i = first; i < summed_end; ++i) sum += task.from.word(i) + (are_positions ? 1 : 0);
  sums[thread] = sum;
  sync();
  if (thread == 0) {
    std::uint64_t before = task.first;
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint64_t mine = sums[t];
      sums[t] = before;
      before += mine;
    }
  }
  sync();
  sum = sums[thread];
  for (std::uint64_t i = first; i < end; ++i) {
    if (are_positions) {
      sum += task.from.word(i) + 1;
      store_word(task.to, i, 8, sum - 1);
    } else {
      if (i % step == 0) store_word(task.to, i / step, task.from.leaf_bytes, sum);
      if (i < summed_end) sum += task.from.word(i);
    }
  }
  sync();
}

}  // namespace floe::gpu
