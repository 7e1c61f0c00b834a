// How work is shared among threads: those of the library, or an executor's.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "floe/floe.hpp"

namespace floe::core {

/// A codec with a stage over the segment takes as long for a byte as a fast one for so many, at least.
inline constexpr std::uint64_t bytes_like_one_with_history = 3;

/// What the threads of one call, or of one stream, work in. They start when they are needed first and wait
/// between two calls of run(). For one thread at a time.
class Workers {
 public:
  /// `threads`: 0 is available_threads(). `executor` may be null.
  Workers(std::uint32_t threads, const Executor* executor);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// How many tasks there are at most.
  [[nodiscard]] std::uint32_t max_tasks();
  /// How many tasks are worth their threads for so many bytes of content that a fast codec takes: at least 1.
  [[nodiscard]] std::uint32_t task_count(std::uint64_t content_bytes);

  /// Calls task(0), and at the same time up to count - 1 more of task(1) ... task(count - 1), each at most
  /// once and in any order; returns when all of them have returned. So a task has to take its share of the
  /// work when it runs. Tasks must not throw.
  void run(std::uint32_t count, const Task& task);

 private:
  void run_in_own_threads(std::uint32_t count, const Task& task);
  void start_threads(std::uint32_t count);
  void wait_for_tasks();
  void begin_task() { busy_count_.store(++running_count_, std::memory_order_relaxed); }
  void end_task() { busy_count_.store(--running_count_, std::memory_order_release); }

  std::uint32_t threads_;
  const Executor* executor_;

  std::mutex mutex_;
  std::condition_variable task_given_, task_done_;
  const Task* task_ = nullptr;
  std::uint32_t next_index_ = 0, end_index_ = 0;  ///< Of the calls that nobody has begun.
  std::uint32_t running_count_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> own_threads_;
  /// For threads that look whether there is work, or whether it is done, before they sleep; not where there
  /// are more of them than CPUs.
  std::atomic<bool> may_look_{false};
  std::atomic<std::uint32_t> given_count_{0}, busy_count_{0};
};

/// Calls work(0) ... work(count - 1), each once, in up to as many threads as the workers have; each takes the
/// next one that is left. Rethrows one of the exceptions that they threw.
template <class Work>
void for_each_task(Workers& workers, std::uint32_t count, const Work& work) {
  if (count == 0) return;
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
  workers.run(count == 1 ? 1 : std::min(count, workers.max_tasks()), take_tasks);
  if (thrown) std::rethrow_exception(thrown);
}

/// A copy between memories of the host.
struct HostCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::uint64_t bytes = 0;
};

/// Makes the copies, in tasks of some MiB; few bytes are copied by this thread. Throws std::bad_alloc.
void run_copies(std::span<const HostCopy> copies, const Executor& executor);

inline constexpr std::uint32_t no_cpu_limit = UINT32_MAX;

/// The smallest quota of time, in whole CPUs and rounded up, of the control groups that the process is in
/// (version 1 and 2), or no_cpu_limit. `root` is where /proc and /sys lie, "/" but for tests.
std::uint32_t cpu_limit_of_groups(const std::string& root) noexcept;

}  // namespace floe::core
