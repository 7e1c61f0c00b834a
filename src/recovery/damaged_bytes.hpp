// Bytes of which some may be missing or unreadable: these are zero, and their reader is told.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "floe/floe.hpp"

namespace floe::recovery {

/// For one thread.
class DamagedBytes {
 public:
  DamagedBytes(ReadAt read_at, std::uint64_t size) : read_at_(std::move(read_at)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Reads the bytes from `offset` on; those beyond the end are zero, and those that cannot be read. Returns
  /// whether all were there.
  bool read(std::uint64_t offset, std::span<std::uint8_t> to);
  [[nodiscard]] std::uint64_t unreadable_bytes() const noexcept { return block_bytes * unreadable_.size(); }
  /// Of the first read that failed.
  [[nodiscard]] const Status& failure() const noexcept { return failure_; }

 private:
  static constexpr std::uint64_t block_bytes = 4096;  ///< What a disk cannot read is this at least.

  ReadAt read_at_;
  std::uint64_t size_;
  std::set<std::uint64_t> unreadable_;  ///< Blocks.
  Status failure_;
};

}  // namespace floe::recovery
