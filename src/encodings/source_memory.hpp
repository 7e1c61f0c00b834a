// Memory of a caller that sources are made in, so that decoding something short allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>

namespace floe::trees {

/// While it exists, sources of this thread are made in its memory, one behind the other; those that do not
/// fit come from the heap. All of them must be gone before it is.
class SourceMemory {
 public:
  explicit SourceMemory(std::span<std::byte> memory) : memory_(memory), rest_(memory), before_(current_) {
    current_ = this;
  }
  ~SourceMemory() { current_ = before_; }
  SourceMemory(const SourceMemory&) = delete;
  SourceMemory& operator=(const SourceMemory&) = delete;

  static void* allocate(std::size_t bytes, std::size_t alignment) {
    if (current_ != nullptr) {
      if (void* const memory = current_->take(bytes, alignment); memory != nullptr) return memory;
    }
    return ::operator new (bytes, std::align_val_t{alignment});
  }
  static void free(void* memory, std::size_t alignment) noexcept {
    if (current_ == nullptr || !current_->owns(memory))
      ::operator delete (memory, std::align_val_t{alignment});
  }

 private:
  void* take(std::size_t bytes, std::size_t alignment) {
    void* at = rest_.data();
    std::size_t room = rest_.size();
    if (std::align(alignment, bytes, at, room) == nullptr) return nullptr;
    rest_ = rest_.last(room - bytes);
    return at;
  }
  [[nodiscard]] bool owns(const void* memory) const {
    const std::less<const void*> before;
    return !before(memory, memory_.data()) && before(memory, memory_.data() + memory_.size());
  }

  static thread_local inline SourceMemory* current_ = nullptr;
  std::span<std::byte> memory_, rest_;
  SourceMemory* before_;
};

}  // namespace floe::trees
