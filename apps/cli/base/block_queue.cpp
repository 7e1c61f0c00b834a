#include "base/block_queue.hpp"

#include <utility>

namespace floe::cli {

std::span<std::byte> BlockQueue::room() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return cancelled_ || filling_ || !free_.empty() || block_count_ < max_blocks_; });
    if (cancelled_) return {};
    if (!filling_ && !free_.empty()) {
      filling_ = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!filling_) {
    filling_ = std::make_unique_for_overwrite<std::byte[]>(block_bytes_);
    ++block_count_;
  }
  return {filling_.get(), block_bytes_};
}

void BlockQueue::push(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    filled_.push_back({std::move(filling_), bytes});
  }
  changed_.notify_all();
}

void BlockQueue::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

std::span<const std::byte> BlockQueue::front() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return cancelled_ || ended_ || !filled_.empty(); });
  if (cancelled_ || filled_.empty()) return {};
  return {filled_.front().memory.get(), filled_.front().bytes};
}

void BlockQueue::pop() {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(filled_.front().memory));
    filled_.pop_front();
  }
  changed_.notify_all();
}

void BlockQueue::cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

}  // namespace floe::cli
