// Copies between memories of the host, in tasks of an executor.
#pragma once

#include <cstdint>
#include <span>

#include "floe/floe.hpp"

namespace floe::core {

struct HostCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::uint64_t bytes = 0;
};

/// Makes the copies, in tasks of some MiB; few bytes are copied by this thread. Throws std::bad_alloc.
void run_copies(std::span<const HostCopy> copies, const Executor& executor);

}  // namespace floe::core
