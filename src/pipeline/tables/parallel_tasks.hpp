// How are tasks of different lengths shared among threads?
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "core/parallel.hpp"

namespace floe::tables {

/// How many tasks run at the same time.
inline std::uint32_t tasks_at_once(std::uint32_t threads) { return std::min(threads == 0 ? available_threads() : threads, most_threads); }

/// Calls work(0) ... work(count - 1), each once, by at most `threads` of the workers (0: as many as this process may use); each thread
/// takes the next task that is left. Rethrows one of the exceptions that tasks threw.
template <class Work>
void run_tasks(api::Workers& workers, std::uint32_t count, std::uint32_t threads, const Work& work) {
  std::atomic<std::uint32_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const Task take_tasks = [&](std::uint32_t) {
    try {
      for (std::uint32_t task = next++; task < count; task = next++) work(task);
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  };
  workers.run(std::min(count, tasks_at_once(threads)), take_tasks);
  if (thrown) std::rethrow_exception(thrown);
}

template <class Work>
void run_tasks(std::uint32_t count, std::uint32_t threads, const Work& work) {
  api::Workers workers(threads, nullptr);
  run_tasks(workers, count, threads, work);
}

}  // namespace floe::tables
