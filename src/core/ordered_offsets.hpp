// Offsets of parts of unknown length that several threads make at the same time and that lie one behind the
// other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace floe::core {

/// Threads take parts in their order. The position of a part is known when all parts before it are complete.
/// Thread-safe.
class OrderedOffsets {
 public:
  explicit OrderedOffsets(std::size_t part_count) : parts_(part_count) {}

  /// The next part that nobody has taken; nothing if there is none.
  std::optional<std::size_t> take();
  /// Says how long a part that was taken is.
  void complete(std::size_t part, std::uint64_t bytes);
  /// Offset of a part from the first one, if it is known.
  [[nodiscard]] std::optional<std::uint64_t> offset(std::size_t part) const;
  /// The same, waiting for it. Whoever waits must have completed all that it took, so that nobody waits for
  /// ever.
  std::uint64_t wait_for_offset(std::size_t part);
  /// Of all parts, which are complete.
  [[nodiscard]] std::uint64_t all_bytes() const;

 private:
  struct Part {
    std::uint64_t offset = 0;  ///< If it is known.
    std::uint64_t bytes = 0;   ///< If it is complete.
    bool complete = false;
  };

  mutable std::mutex mutex_;
  std::condition_variable offset_known_;
  std::vector<Part> parts_;
  std::size_t taken_count_ = 0;
  std::size_t complete_count_ = 0;  ///< Of parts without an incomplete one before them: the positions of
                                    ///< these and of the next are known.
  std::uint64_t complete_bytes_ = 0;
  std::size_t waiting_count_ = 0;
};

}  // namespace floe::core
