// What the benchmarks of GPUs share: their command line, the arrays that they read, and the clock of the
// host. device_work.hpp has what they do on a device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace floe::bench {

struct Arguments {
  std::uint64_t bytes = std::uint64_t{1} << 30;
  int runs = 11;
  bool sweep = false;
  std::string only = {};       ///< A codec or tree, or empty for all.
  std::uint32_t segments = 0;  ///< Whatever the program says of segments.
  std::vector<std::string> files = {};
};

/// What a program takes besides --bytes and --runs.
struct Takes {
  bool files = false, sweep = false, only = false;
  const char* segments = nullptr;  ///< What --segments means, where there is such an option.
};

/// Reads the command line over the defaults in `arguments`, and runs the body. Returns the program's exit
/// code; an exception of the body is printed.
int run_program(int count, char** words, Arguments arguments, Takes takes,
                const std::function<void(const Arguments&)>& body);

/// Throws if a call failed.
void check(cudaError_t error);

/// The files whose names contain `type`, one behind the other.
std::vector<std::byte> read_joined(const std::vector<std::string>& files, const std::string& type);
/// The same, repeated up to `bytes`.
std::vector<std::byte> read_repeated(const std::vector<std::string>& files, const std::string& type,
                                     std::uint64_t bytes);

/// By the clock of the host, after one run that does not count.
double median_seconds(int runs, const std::function<void()>& work);

}  // namespace floe::bench
