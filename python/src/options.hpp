// How to compress, as Python says it.
#pragma once

#include <cstdint>
#include <string>

#include "floe/floe.hpp"

namespace floe::python {

/// Options of the library that own their text.
struct CompressOptions {
  Goal goal = Goal::balance;
  std::string tree;
  Profile profile = Profile::cpu;
  std::uint32_t threads = 0;
  bool checksum = true;
  std::uint64_t segment_bytes = 0;
  std::uint32_t decode_megabytes_per_second = 0;

  /// Valid as long as this object.
  [[nodiscard]] Options get() const {
    Options options;
    options.goal = goal;
    options.tree = tree;
    options.profile = profile;
    options.threads = threads;
    options.checksum = checksum;
    options.segment_bytes = segment_bytes;
    options.decode_megabytes_per_second = decode_megabytes_per_second;
    return options;
  }
};

/// How many threads decode, and with how much memory of the library's own.
inline DecodeOptions decode_options(std::uint32_t threads, std::uint64_t memory_limit_bytes) {
  DecodeOptions options;
  options.threads = threads;
  options.memory_limit_bytes = memory_limit_bytes;
  return options;
}

}  // namespace floe::python
