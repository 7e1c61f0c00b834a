#include "core/host_copies.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace floe::core {
namespace {

/// Less than that costs a thread more than it brings.
constexpr std::uint64_t task_bytes = std::uint64_t{2} << 20;

}  // namespace

void run_copies(std::span<const HostCopy> copies, const Executor& executor) {
  std::uint64_t all_bytes = 0;
  for (const HostCopy& copy : copies) all_bytes += copy.bytes;
  if (all_bytes < 2 * task_bytes) {
    for (const HostCopy& copy : copies) {
      if (copy.bytes != 0) std::memcpy(copy.to, copy.from, copy.bytes);
    }
    return;
  }
  std::vector<HostCopy> pieces;
  std::vector<std::size_t> first_pieces;  // of the tasks
  std::uint64_t open_bytes = task_bytes;  // of the last task
  for (HostCopy rest : copies) {
    while (rest.bytes != 0) {
      if (open_bytes >= task_bytes) {
        first_pieces.push_back(pieces.size());
        open_bytes = 0;
      }
      const std::uint64_t bytes = std::min(rest.bytes, task_bytes - open_bytes);
      pieces.push_back({rest.to, rest.from, bytes});
      rest = {static_cast<char*>(rest.to) + bytes, static_cast<const char*>(rest.from) + bytes,
              rest.bytes - bytes};
      open_bytes += bytes;
    }
  }
  executor(static_cast<std::uint32_t>(first_pieces.size()), [&](std::uint32_t task) {
    const std::size_t end = task + 1 < first_pieces.size() ? first_pieces[task + 1] : pieces.size();
    for (std::size_t i = first_pieces[task]; i < end; ++i)
      std::memcpy(pieces[i].to, pieces[i].from, pieces[i].bytes);
  });
}

}  // namespace floe::core
