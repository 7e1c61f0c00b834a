// Memory between two pages that nobody may touch, so that a step over its end, also one that only reads,
// kills the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <stdexcept>

#include "core/bits.hpp"

namespace floe::test {

enum class Against {
  front,
  back
};  ///< Which end of the buffer touches a forbidden page; the other is followed by a rest that is watched.

class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t size, Against against = Against::back) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    room_ = std::max<std::size_t>(page, core::align_up(size, page));
    mapped_ = room_ + 2 * page;
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for a guarded buffer");
    memory_ = static_cast<std::uint8_t*>(memory);
    if (mprotect(memory_ + page, room_, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("cannot open a guarded buffer");
    std::memset(memory_ + page, watched, room_);
    begin_ = memory_ + page + (against == Against::back ? room_ - size : 0);
    room_begin_ = memory_ + page;
  }
  GuardedBuffer(std::span<const std::uint8_t> content, Against against = Against::back)
      : GuardedBuffer(content.size(), against) {
    if (!content.empty()) std::memcpy(begin_, content.data(), content.size());
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(memory_, mapped_); }

  [[nodiscard]] std::span<std::uint8_t> bytes() { return {begin_, size_}; }
  /// Whether nothing was written to the rest of the first and the last page.
  [[nodiscard]] bool rest_is_untouched() const {
    for (const std::uint8_t* at = room_begin_; at != room_begin_ + room_; ++at) {
      if (at == begin_) at += size_;
      if (at == room_begin_ + room_) break;
      if (*at != watched) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint8_t watched = 0xC5;
  std::size_t size_ = 0, room_ = 0, mapped_ = 0;
  std::uint8_t* memory_ = nullptr;
  std::uint8_t* room_begin_ = nullptr;
  std::uint8_t* begin_ = nullptr;
};

}  // namespace floe::test
