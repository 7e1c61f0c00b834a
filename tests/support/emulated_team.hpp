// A team of src/series_cuda on one thread of the CPU: the lanes of one emulated warp.
#pragma once

#include "tests/support/emulated_warp.hpp"

namespace floe::test {

template <class Memory>
class EmulatedTeam {
 public:
  EmulatedTeam(EmulatedWarp& warp, Memory& memory) : warp_(warp), memory_(memory) {}
  Memory& memory() { return memory_; }
  EmulatedWarp& warp() { return warp_; }
  [[nodiscard]] unsigned rank() const { return warp_.lane(); }
  [[nodiscard]] unsigned size() const { return EmulatedWarp::lanes; }
  [[nodiscard]] unsigned warp_index() const { return 0; }
  [[nodiscard]] unsigned warp_count() const { return 1; }
  void sync() { warp_.sync(); }
  /// The only worker finds what it waits for.
  void wait_for(const std::uint32_t& place, std::uint32_t value) const {
    if (place != value) std::abort();
  }
  void tell(std::uint32_t& place, std::uint32_t value) const { place = value; }

 private:
  EmulatedWarp& warp_;
  Memory& memory_;
};

}  // namespace floe::test
