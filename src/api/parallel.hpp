// Work on contiguous ranges of chunks by several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace floe::api {

/// CPUs that this process may use.
std::uint32_t available_threads() noexcept;

/// How many ranges `items` are cut into: at most `threads` (0: available_threads()), each of at least `smallest_range` items, at least one.
std::uint32_t range_count(std::uint64_t items, std::uint32_t threads, std::uint64_t smallest_range) noexcept;

/// Range `index` of `count` over `items` begins here; range_begin(items, count, count) == items.
std::uint64_t range_begin(std::uint64_t items, std::uint32_t count, std::uint32_t index) noexcept;

/// Calls work(0) ... work(count - 1), each once, in threads of its own but the first; waits for all. A thread that cannot be had costs time
/// only: its call is made by this thread. `work` must not throw.
void run_parallel(std::uint32_t count, const std::function<void(std::uint32_t index)>& work);

}  // namespace floe::api
