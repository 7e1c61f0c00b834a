// Writes what was made while more is made.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <thread>

#include "base/block_queue.hpp"

namespace floe::cli {

/// Passes bytes in their order to a function that writes them, in a thread of its own.
class WriteBehind {
 public:
  using Write = std::function<void(std::span<const std::byte>)>;

  /// `write` may throw; it is not called again then. Throws std::system_error if there cannot be another
  /// thread.
  explicit WriteBehind(Write write);
  /// What is still waiting is written, unless cancel() was called.
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  /// Takes a copy; waits if too many bytes are waiting. Throws what an earlier write threw.
  void write(std::span<const std::byte> bytes);
  /// Waits until everything is written; write() must not be called any more. Throws what a write threw.
  void finish();
  /// What is waiting shall not be written.
  void cancel() { queue_.cancel(); }

 private:
  void write_all();

  Write write_;
  BlockQueue queue_;
  std::exception_ptr failure_;  ///< Written before the queue is cancelled, read afterwards.
  std::jthread thread_;
};

}  // namespace floe::cli
