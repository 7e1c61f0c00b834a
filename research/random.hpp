// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

#include "core/splitmix.hpp"

namespace floe::research {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
  /// The upper 32 of the next 64 bits.
  std::uint32_t next() noexcept {
    return static_cast<std::uint32_t>(core::splitmix(state_ += core::splitmix_step) >> 32);
  }
  /// 0 to count - 1, without a bias that anybody could see.
  std::uint32_t below(std::uint32_t count) noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{next()} * count >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace floe::research
