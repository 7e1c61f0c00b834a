// How much memory may be taken for bytes that nobody trusts, by all threads that decode them: what a tree of
// encodings keeps follows from its nodes and headers, which may claim a lot.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace floe::core {

class MemoryBudget {
 public:
  /// What is thrown where less is left than is to be taken.
  struct Exceeded : std::bad_alloc {};

  /// What a limit leaves beside memory that is in use. However small it is, usual trees are decoded.
  MemoryBudget(std::uint64_t limit_bytes, std::uint64_t used_bytes)
      : left_(std::max(limit_bytes - std::min(used_bytes, limit_bytes), min_bytes)) {}
  /// Whether there was ever less than a thread wanted to take.
  [[nodiscard]] bool was_exceeded() const { return was_exceeded_; }

  /// While it exists, what this thread takes is taken from a budget, if there is one.
  class Use {
   public:
    explicit Use(MemoryBudget* budget) : budget_(budget), before_(current_) { current_ = this; }
    ~Use() {
      give_back();
      current_ = before_;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    /// All that was taken is free again.
    void give_back() {
      if (budget_ != nullptr) budget_->left_ += taken_;
      taken_ = 0;
    }

   private:
    friend MemoryBudget;
    MemoryBudget* budget_;
    Use* before_;
    std::uint64_t taken_ = 0;
  };

  /// Before memory is allocated. Throws Exceeded.
  static void take(std::uint64_t bytes) {
    Use* const use = current_;
    if (use == nullptr || use->budget_ == nullptr) return;
    MemoryBudget& budget = *use->budget_;
    std::uint64_t left = budget.left_;
    do {
      if (bytes > left) {
        budget.was_exceeded_ = true;
        throw Exceeded();
      }
    } while (!budget.left_.compare_exchange_weak(left, left - bytes));
    use->taken_ += bytes;
  }

 private:
  static constexpr std::uint64_t min_bytes = std::uint64_t{1} << 20;
  static thread_local inline Use* current_ = nullptr;
  std::atomic<std::uint64_t> left_;
  std::atomic<bool> was_exceeded_ = false;
};

}  // namespace floe::core
