// Copies between the host and a slot: straight where the device reaches the host's memory, and otherwise
// through staging memory. Small pieces go through it in any case, many of them in one copy; pieces that are
// neighbours in both memories are one copy, too.
#pragma once

#include <cstdint>
#include <vector>

#include "core/workers.hpp"
#include "gpu/host/slots/slot.hpp"

namespace floe::gpu {

/// A copy of so many bytes takes the device longer than to begin with it.
inline constexpr std::uint64_t min_direct_bytes = std::uint64_t{64} << 10;

inline bool is_direct(const Slot& slot, const void* memory, std::uint64_t bytes) {
  return memory != nullptr && bytes >= min_direct_bytes && slot.reaches(memory, bytes);
}

/// Bytes of the host, and where they are in the memory of a slot.
struct Piece {
  const void* host = nullptr;
  Range device;
  bool follows = false;  ///< Behind the piece before in the same piece of the host's memory.
};

/// What a task gets. Throws std::bad_alloc.
class InputCopies {
 public:
  explicit InputCopies(Slot& slot) : slot_(slot) {}

  /// Bytes that remain until the results are there, behind those that were added before. `follows`: of the
  /// host, too, in the same piece of memory.
  void add(const void* from, Range to, bool follows = false);
  /// Copies what is staged, in tasks of the executor, and starts the task. Errors: those of the slot.
  Status start(const Task& task, const Executor& executor);

 private:
  Slot& slot_;
  std::vector<Piece> pieces_;
};

/// What a task made. Throws std::bad_alloc.
class OutputCopies {
 public:
  explicit OutputCopies(Slot& slot) : slot_(slot) {}

  /// Bytes in the output, best behind those that were added before, and where they belong; null: they remain
  /// in the slot's memory of the host. `follows`: they belong behind those before, in the same piece of
  /// memory. Returns the number of the copy.
  std::size_t add(Range from, void* to, bool follows = false);
  /// Begins. Errors: those of the slot.
  Status fetch();
  /// Waits. Errors: those of the slot.
  Status wait() { return slot_.wait_for_fetch(); }
  /// Where a copy is after wait(), though it may belong elsewhere.
  [[nodiscard]] void* memory(std::size_t copy) const { return copies_[copy].fetched; }
  /// Copies those that are not where they belong and for which `wanted` says so, in tasks of the executor.
  template <class Wanted>
  void deliver(const Executor& executor, const Wanted& wanted) const {
    std::vector<core::HostCopy> left;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Copy& copy = copies_[i];
      if (copy.to != nullptr && copy.to != copy.fetched && wanted(i))
        left.push_back({copy.to, copy.fetched, copy.bytes});
    }
    core::run_copies(left, executor);
  }

 private:
  struct Copy {
    void* to = nullptr;
    std::uint64_t bytes = 0;
    void* fetched = nullptr;
  };

  Slot& slot_;
  std::vector<Piece> pieces_;
  std::vector<Copy> copies_;            ///< Of the pieces.
  std::vector<std::uint8_t> pageable_;  ///< Where the slot has no memory of the host: copies take longer.
};

}  // namespace floe::gpu
