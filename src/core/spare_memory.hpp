// Memory that calls leave for the next ones. What the system gives is new: its first touch takes longer than
// encoding what is written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace floe::core {

/// No more than this is kept for later, half of it as vectors.
inline constexpr std::size_t max_spare_bytes = std::size_t{32} << 20;
/// Smaller blocks come from the allocator, whose pages are in use anyway.
inline constexpr std::size_t min_spare_bytes = std::size_t{1} << 14;

/// An uncleared block, aligned to 64 bytes; a large one consists of huge pages, if there are some.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  /// Throws std::bad_alloc.
  explicit AlignedMemory(std::size_t bytes);
  AlignedMemory(AlignedMemory&& other) noexcept { swap(other); }
  AlignedMemory& operator=(AlignedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedMemory();
  void swap(AlignedMemory& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
  }
  [[nodiscard]] std::uint8_t* data() const { return memory_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  std::uint8_t* memory_ = nullptr;
  std::size_t capacity_ = 0;
};

/// A block with room for so many bytes, new or kept. Thread-safe. Throws std::bad_alloc.
AlignedMemory take_spare_block(std::size_t bytes);
/// Keeps a block for later. Thread-safe.
void keep_spare(AlignedMemory block) noexcept;

/// The same of vectors, which come empty.
std::vector<std::uint8_t> take_spare_vector(std::size_t bytes);
void keep_spare(std::vector<std::uint8_t> vector) noexcept;

/// Frees all that is kept. Thread-safe.
void free_spare_memory() noexcept;

}  // namespace floe::core
