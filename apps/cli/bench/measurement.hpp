// How fast one method is on content in memory, beside what the memory can do in the same run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/subject.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

/// Speeds of the same work, in GB (10^9 bytes) of elements per second.
struct Speeds {
  double median = 0, min = 0, max = 0;
};

/// The memory's: memcpy, a copy past the caches, and reading without writing.
struct Yardsticks {
  Speeds copy, stream_copy, read;
};

struct Measurement {
  std::uint64_t stored_bytes = 0;
  std::uint32_t runs = 0;
  Speeds compress, decompress;
  Yardsticks yardsticks;
};

struct Effort {
  std::uint32_t runs = 0;  ///< 0: until `seconds` are over, at least 3.
  double seconds = 1;
};

/// What is measured on, and buffers that are large enough for every method and were touched before.
class Bench {
 public:
  /// `callers` threads do everything at the same time, each on bytes of its own. `subject` outlives this
  /// object. Failures name `file`.
  Bench(std::string file, const Subject& subject, std::uint32_t callers);

  /// Every run copies, reads, compresses and decompresses, in turn; short work is repeated within a run.
  /// Throws a Failure if the library fails, with ExitCode::verify_mismatch if a bit does not come back.
  Measurement measure(const Method& method, const DecodeOptions& decode_options, const Effort& effort);
  /// Of all runs so far.
  [[nodiscard]] Yardsticks yardsticks() const;

 private:
  struct Area {
    std::vector<std::byte> own_bytes, frame, copy;
    std::span<const std::byte> bytes;
    std::size_t frame_bytes = 0;
    std::uint64_t sum = 0;  ///< Of what was read, so that it is.
    Status status;
  };
  /// Seconds of each run, without the first.
  struct Times {
    std::vector<double> copy, stream_copy, read, compress, decompress;
  };

  void measure_yardsticks(std::uint32_t threads, Times& times);
  /// Seconds that all callers need for their bytes.
  template <class Work>
  double time_callers(const Work& work);
  void compress(const Method& method, Times& times);
  void decompress(const DecodeOptions& options, Times& times);
  void check_decoded() const;
  [[nodiscard]] Speeds speeds_of(std::vector<double> seconds) const;
  [[nodiscard]] Yardsticks yardsticks_of(const Times& times) const;

  std::string file_;
  const Subject& subject_;
  std::size_t bytes_;
  std::vector<Area> areas_;
  std::uint32_t calls_;  ///< Within one run, so that a clock can see them.
  Times all_times_;
};

}  // namespace floe::cli
