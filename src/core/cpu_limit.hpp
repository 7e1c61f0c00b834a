// The number of CPUs that the control groups of this process grant.
#pragma once

#include <cstdint>
#include <string>

namespace floe::core {

inline constexpr std::uint32_t no_cpu_limit = UINT32_MAX;

/// The smallest quota of time, in whole CPUs and rounded up, of the control groups that the process is in
/// (version 1 and 2), or no_cpu_limit. `root` is where /proc and /sys lie, "/" but for tests.
std::uint32_t cpu_limit_of_groups(const std::string& root) noexcept;

}  // namespace floe::core
