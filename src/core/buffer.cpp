#include "core/buffer.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "core/bits.hpp"

namespace floe::core {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

std::span<std::uint8_t> Buffer::reserve(std::size_t bytes) {
  if (bytes > capacity_) {
    const bool huge = bytes >= 8 * huge_page_bytes;
    const std::size_t alignment = huge ? huge_page_bytes : line_bytes;
    memory_.reset();
    capacity_ = 0;
    memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes + alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    begin_ = memory_.get() + (core::align_up(address, alignment) - address);
    capacity_ = bytes;
#if defined(__linux__)
    // The first touch of so many small pages would cost more than the work that is done in them. It is a
    // wish, which may fail.
    if (huge) (void)madvise(begin_, bytes / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
#endif
  }
  return {begin_, bytes};
}

}  // namespace floe::core
