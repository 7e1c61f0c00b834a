// How bytes pass from one thread to another, in blocks of memory that are used again and again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace floe::cli {

/// One thread fills blocks, another one empties them in the same order. Memory is bounded: a block that was
/// emptied last is filled next, and none is allocated before it is needed.
class BlockQueue {
 public:
  BlockQueue(std::size_t block_bytes, std::size_t max_blocks)
      : block_bytes_(block_bytes), max_blocks_(max_blocks) {}

  /// For the filling thread: a block to fill, as soon as there is one. Empty after cancel(). Throws
  /// std::bad_alloc.
  std::span<std::byte> room();
  /// Hands over the first `bytes` of the block of the last room().
  void push(std::size_t bytes);
  /// No block follows.
  void end();

  /// For the emptying thread: the next block, as soon as there is one. Empty at the end and after cancel().
  /// Valid until pop().
  std::span<const std::byte> front();
  void pop();

  /// For either: neither thread shall wait any longer.
  void cancel();

 private:
  using Memory = std::unique_ptr<std::byte[]>;
  struct Filled {
    Memory memory;
    std::size_t bytes = 0;
  };

  const std::size_t block_bytes_;
  const std::size_t max_blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Filled> filled_;
  std::vector<Memory> free_;
  std::size_t block_count_ = 0;
  Memory filling_;
  bool ended_ = false;
  bool cancelled_ = false;
};

}  // namespace floe::cli
