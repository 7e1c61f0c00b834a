// How work on the chunks of an array is shared among threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "floe/floe.hpp"

namespace floe::api {

/// A codec with a stage over the segment takes as long for a byte as a fast one for so many, at least.
inline constexpr std::uint64_t bytes_like_one_with_history = 3;

/// What the threads of one call, or of one stream, work in. They start when they are needed first and wait between two calls of run(). For
/// one thread at a time.
class Workers {
 public:
  /// `threads`: 0 is available_threads(). `executor` may be null.
  Workers(std::uint32_t threads, const Executor* executor);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// How many tasks there are at most.
  [[nodiscard]] std::uint32_t most_tasks();
  /// How many tasks are worth their threads for so many bytes of content that a fast codec takes: at least 1.
  [[nodiscard]] std::uint32_t task_count(std::uint64_t content_bytes);

  /// Calls task(0), and at the same time up to count - 1 more of task(1) ... task(count - 1), each at most once and in any order; returns
  /// when all of them have returned. So a task has to take its share of the work when it runs. Tasks must not throw.
  void run(std::uint32_t count, const Task& task);

 private:
  void run_in_own_threads(std::uint32_t count, const Task& task);
  void start_threads(std::uint32_t count);
  void wait_for_tasks();

  std::uint32_t threads_;
  const Executor* executor_;

  std::mutex mutex_;
  std::condition_variable task_given_, task_done_;
  const Task* task_ = nullptr;
  std::uint32_t next_index_ = 0, end_index_ = 0;  ///< Of the calls that nobody has begun.
  std::uint32_t running_count_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> own_threads_;
};

}  // namespace floe::api
