#include "recovery/damaged_bytes.hpp"

#include <algorithm>

#include "core/bits.hpp"

namespace floe::recovery {

bool DamagedBytes::read(std::uint64_t offset, std::span<std::uint8_t> to) {
  const std::uint64_t there = offset >= size_ ? 0 : std::min<std::uint64_t>(to.size(), size_ - offset);
  const auto beyond = to.subspan(static_cast<std::size_t>(there));
  std::fill(beyond.begin(), beyond.end(), std::uint8_t{0});
  if (there == 0) return to.empty();
  const auto wanted = to.first(static_cast<std::size_t>(there));
  if (read_at_(offset, std::as_writable_bytes(wanted)).ok()) return beyond.empty();
  bool is_whole = beyond.empty();
  for (std::uint64_t at = offset; at < offset + there;) {
    const std::uint64_t end = std::min(core::align_up(at + 1, block_bytes), offset + there);
    const auto block =
        wanted.subspan(static_cast<std::size_t>(at - offset), static_cast<std::size_t>(end - at));
    if (const Status status = read_at_(at, std::as_writable_bytes(block)); !status.ok()) {
      std::fill(block.begin(), block.end(), std::uint8_t{0});
      unreadable_.insert(at / block_bytes);
      if (failure_.ok()) failure_ = status;
      is_whole = false;
    }
    at = end;
  }
  return is_whole;
}

}  // namespace floe::recovery
