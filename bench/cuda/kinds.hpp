// The arrays that benchmarks of whole arrays time, and the rows that they print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace floe::bench {

/// Type of an array, and its codec; or that trees are planned for it.
struct Kind {
  DType dtype = DType::f32;
  const char* name = "";           ///< Of the codec; what rows call it.
  bool is_planned = false;         ///< No codec: trees by the goal balance.
  Profile profile = Profile::gpu;  ///< Of those trees.
  bool is_by_device = false;       ///< Planned by cuda::PlannedEncoder.

  [[nodiscard]] Options options() const;
  [[nodiscard]] Extent extent(std::uint64_t bytes) const { return Extent::linear(bytes / size_of(dtype)); }
  /// In the names of files with such elements.
  [[nodiscard]] const char* in_names() const { return dtype == DType::f32 ? "_f32_" : "_f64_"; }
};

/// A kind for each codec, or the one of codec `only` if that is not empty. Throws std::runtime_error if there
/// is none of that name.
std::vector<Kind> kinds(const std::string& only);
/// The same, and "balance_f32" and "balance_f64", which are planned for GPUs, and "cpu_balance_f32" and
/// "cpu_balance_f64", which are planned as for CPUs, and "planned_f32" and "planned_f64", by the encoder of
/// devices.
std::vector<Kind> kinds_and_goals(const std::string& only);

void print_header();
/// A row: `bytes` bytes took so many seconds, which become rates; 0 seconds mean that nothing was timed.
void print_row(const char* what, const char* codec, std::size_t gpus, std::uint64_t bytes, double ratio,
               double first_seconds, double second_seconds);

}  // namespace floe::bench
