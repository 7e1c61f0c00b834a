// Threads that search beside the caller. A search takes some hundred microseconds, which is as long as
// threads need to wake up: so they are woken before there is anything to do, and look for tasks without
// sleeping until they may rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "encodings/scratch.hpp"

namespace floe::trees {

/// For one caller at a time.
class SearchThreads {
 public:
  using Task = std::function<void(std::size_t index, Scratch& scratch)>;

  /// So many threads beside the caller's, or fewer if there are no more.
  explicit SearchThreads(std::uint32_t helpers = 0);
  SearchThreads(const SearchThreads&) = delete;
  SearchThreads& operator=(const SearchThreads&) = delete;
  ~SearchThreads();

  [[nodiscard]] bool are_there() const { return !threads_.empty(); }
  /// From now on the threads look for tasks, until rest() was called as often. Cheap; returns at once.
  void wake();
  void rest();

  /// Calls task(0) ... task(count - 1), each once and in any order, by this thread, with `scratch`, and by
  /// those that are awake, each with memory of its own; returns when all have returned. Rethrows one of the
  /// exceptions of tasks.
  void run(std::size_t count, Scratch& scratch, const Task& task);

 private:
  void look_for_tasks();
  void take_tasks(Scratch& scratch);
  template <class Work>
  void with_exceptions_kept(const Work& work);

  std::atomic<std::uint32_t> wakers_{0};  ///< Calls of wake() without rest().
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_open_{
      false};  ///< There are tasks: what follows may be read by those that have counted themselves in.
  std::atomic<std::uint32_t> at_work_{0};  ///< Threads that may read it.
  std::atomic<std::size_t> next_{0};       ///< Task.
  std::size_t count_ = 0;
  const Task* task_ = nullptr;
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::vector<std::jthread> threads_;
};

/// Keeps threads awake while it lives.
class Awake {
 public:
  /// Null wakes nobody.
  explicit Awake(SearchThreads* threads) : threads_(threads) {
    if (threads_ != nullptr) threads_->wake();
  }
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;
  ~Awake() { rest(); }
  /// Earlier than at the end.
  void rest() {
    if (threads_ != nullptr) threads_->rest();
    threads_ = nullptr;
  }

 private:
  SearchThreads* threads_;
};

}  // namespace floe::trees
