#include "gpu/offload/output.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "core/bits.hpp"

namespace floe::offload {

Result<std::span<std::uint8_t>> MemoryOutput::place(std::uint64_t bytes) {
  if (bytes > memory_.size() - placed_bytes_)
    return Status{ErrorCode::output_too_small, 0, "the output buffer cannot hold the result"};
  const auto target = memory_.subspan(placed_bytes_, bytes);
  placed_bytes_ += bytes;
  return target;
}

Status MemoryOutput::take(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> target) {
  if (bytes.data() != target.data()) copy_bytes(target, bytes, threads_);
  return {};
}

void copy_bytes(std::span<std::uint8_t> to, std::span<const std::uint8_t> from, std::uint32_t threads) {
  if (from.empty()) return;
  constexpr std::size_t smallest_share = std::size_t{2}
                                         << 20;  // below that a thread costs more than it brings
  constexpr std::size_t max_threads = 16;        // as many fill the memory's bandwidth
  const std::size_t wanted = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t count =
      std::clamp<std::size_t>(from.size() / smallest_share, 1, std::min(wanted, max_threads));
  const std::size_t share = core::divide_up(from.size(), count);
  const auto copy = [&](std::size_t i) {
    const std::size_t begin = std::min(i * share, from.size()), end = std::min(begin + share, from.size());
    std::memcpy(to.data() + begin, from.data() + begin, end - begin);
  };
  std::vector<std::jthread> others;
  others.reserve(count);
  for (std::size_t i = 1; i < count; ++i) {
    try {
      others.emplace_back(copy, i);
    } catch (const std::exception&) {  // no thread or no memory for it
      copy(i);
    }
  }
  copy(0);
}

}  // namespace floe::offload
