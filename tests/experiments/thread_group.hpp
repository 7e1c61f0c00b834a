// A group of threads that stands in for a warp: finds out whether a cooperative function relies on the size
// of its group, and, under the thread sanitizer, whether it forgets to synchronize.
#pragma once

#include <barrier>
#include <thread>
#include <vector>

#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

class ThreadGroup {
 public:
  /// Calls `member(group)` in `size` threads at once and waits for them.
  template <class Member>
  static void run(unsigned size, const Member& member) {
    Common common(size);
    std::vector<std::jthread> threads;
    for (unsigned rank = 0; rank < size; ++rank)
      threads.emplace_back([&common, &member, rank] { member(ThreadGroup(common, rank)); });
  }

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(common_->values.size()); }
  void sync() const { common_->barrier.arrive_and_wait(); }

  [[nodiscard]] Scan scan(std::uint32_t value) const {
    common_->values[rank_] = value;
    sync();
    Scan scan;
    for (unsigned r = 0; r < size(); ++r) {
      if (r < rank_) scan.before += common_->values[r];
      scan.total += common_->values[r];
    }
    sync();
    return scan;
  }

 private:
  struct Common {
    explicit Common(unsigned size) : barrier(size), values(size) {}
    std::barrier<> barrier;
    std::vector<std::uint32_t> values;
  };
  ThreadGroup(Common& common, unsigned rank) : common_(&common), rank_(rank) {}

  Common* common_;
  unsigned rank_;
};
static_assert(Group<ThreadGroup>);

}  // namespace floe::experiments
