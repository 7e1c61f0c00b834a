// How fast one codec is on one array in memory, beside memcpy in the same run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace floe::cli {

/// Speeds of the same work, in GB (10^9 bytes) of elements per second.
struct Speeds {
  double median = 0, slowest = 0, fastest = 0;
};

struct Measurement {
  std::uint64_t stored_bytes = 0;
  std::uint32_t runs = 0;
  Speeds compress, decompress, memcpy;
};

struct Effort {
  std::uint32_t runs = 0;  ///< 0: until `seconds` are over, at least 3.
  double seconds = 1;
};

/// The array to measure on, and buffers that are large enough for every codec and were touched before.
class Bench {
 public:
  /// Throws a Failure that names `file`.
  Bench(std::string file, std::span<const std::byte> elements, DType dtype, const Extent& extent);

  /// Every run copies, compresses and decompresses once, in turn. Throws a Failure if the library fails, with
  /// ExitCode::verify_mismatch if a bit does not come back.
  Measurement measure(const Options& options, const Effort& effort);
  /// Of all copies so far.
  [[nodiscard]] Speeds memcpy_speeds() const;

 private:
  std::string file_;
  std::span<const std::byte> elements_;
  DType dtype_;
  Extent extent_;
  std::vector<std::byte> frame_;
  std::vector<std::byte> copy_;
  std::vector<double> copy_seconds_;
};

/// How many threads 0 stands for.
std::uint32_t resolved_threads(std::uint32_t threads) noexcept;

}  // namespace floe::cli
