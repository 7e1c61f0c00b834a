#include "api/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace floe::api {

std::uint32_t available_threads() noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&allowed)));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::uint32_t range_count(std::uint64_t items, std::uint32_t threads, std::uint64_t smallest_range) noexcept {
  const std::uint64_t wanted = threads == 0 ? available_threads() : threads;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(items / smallest_range, 1, wanted));
}

std::uint64_t range_begin(std::uint64_t items, std::uint32_t count, std::uint32_t index) noexcept {
  const std::uint64_t each = items / count, rest = items % count;
  return each * index + std::min<std::uint64_t>(index, rest);
}

void run_parallel(std::uint32_t count, const std::function<void(std::uint32_t)>& work) {
  std::vector<std::jthread> threads;
  std::vector<std::uint32_t> left_over;
  threads.reserve(count);
  left_over.reserve(count);
  for (std::uint32_t index = 1; index < count; ++index) {
    try {
      threads.emplace_back([&work, index] { work(index); });
    } catch (const std::system_error&) {
      left_over.push_back(index);
    }
  }
  if (count > 0) work(0);
  for (const std::uint32_t index : left_over) work(index);
}

}  // namespace floe::api
