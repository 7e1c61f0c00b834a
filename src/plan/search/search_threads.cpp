#include "plan/search/search_threads.hpp"

namespace floe::trees {

SearchThreads::SearchThreads(std::uint32_t helpers) {
  threads_.reserve(helpers);
  try {
    for (std::uint32_t i = 0; i < helpers; ++i) threads_.emplace_back([this] { look_for_tasks(); });
  } catch (const std::exception&) {  // no thread or no memory for it: fewer search
  }
}

SearchThreads::~SearchThreads() {
  is_ending_ = true;
  wake();
}

/// Waking all would keep the caller for a microsecond each: the first one wakes the others.
void SearchThreads::wake() {
  ++wakers_;
  wakers_.notify_one();
}

void SearchThreads::rest() { --wakers_; }

void SearchThreads::look_for_tasks() {
  Scratch scratch;
  for (;;) {
    if (wakers_ == 0) {
      wakers_.wait(0);
      wakers_.notify_all();
    }
    if (is_ending_) return;
    if (!is_open_) {
      std::this_thread::yield();
      continue;
    }
    // The caller closes before it looks whether somebody is at work, and this thread says that it is before
    // it looks whether that is so: either sees the other.
    ++at_work_;
    if (is_open_) take_tasks(scratch);
    --at_work_;
  }
}

/// An exception ends what all are at.
template <class Work>
void SearchThreads::with_exceptions_kept(const Work& work) {
  try {
    work();
  } catch (...) {
    next_ = count_;
    const std::lock_guard lock(mutex_);
    thrown_ = std::current_exception();
  }
}

void SearchThreads::take_tasks(Scratch& scratch) {
  with_exceptions_kept([&] {
    for (std::size_t index = next_++; index < count_; index = next_++) (*task_)(index, scratch);
  });
}

void SearchThreads::run(std::size_t count, Scratch& scratch, const Task& task) {
  next_ = 0;
  count_ = count;
  task_ = &task;
  is_open_ = threads_.size() > 0 && count > 1;
  take_tasks(scratch);
  is_open_ = false;
  while (at_work_ != 0) std::this_thread::yield();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace floe::trees
