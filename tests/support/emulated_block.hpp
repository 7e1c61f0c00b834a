// Thread blocks (src/gpu/warp/block.hpp) on the CPU: the lanes of one emulated warp on one thread, or of
// several warps on a thread each.
#pragma once

#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>

#include "tests/support/emulated_warp.hpp"

namespace floe::test {

template <class Memory>
class EmulatedBlock {
 public:
  EmulatedBlock(EmulatedWarp& warp, Memory& memory) : warp_(warp), memory_(memory) {}
  Memory& memory() { return memory_; }
  EmulatedWarp& warp() { return warp_; }
  [[nodiscard]] unsigned rank() const { return warp_.lane(); }
  [[nodiscard]] unsigned size() const { return EmulatedWarp::lanes; }
  [[nodiscard]] unsigned warp_index() const { return 0; }
  [[nodiscard]] unsigned warp_count() const { return 1; }
  void sync() { warp_.sync(); }
  bool any(bool is_true) { return warp_.ballot(is_true) != 0; }
  /// The only worker finds what it waits for.
  void wait_for(const std::uint32_t& place, std::uint32_t value) const {
    if (place != value) std::abort();
  }
  void publish(std::uint32_t& place, std::uint32_t value) const { place = value; }

 private:
  EmulatedWarp& warp_;
  Memory& memory_;
};

/// One warp of a block of several, as devices have them.
template <class Memory>
class WideEmulatedBlock {
 public:
  /// Calls body(block) for all lanes of all warps.
  template <class Body>
  static void run(unsigned warps, Memory& memory, const Body& body) {
    std::barrier<> barrier(warps);
    std::vector<std::uint8_t> votes(warps);
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < warps; ++w) {
      threads.emplace_back([&, w] {
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          WideEmulatedBlock block(warp, memory, w, warps, barrier, votes);
          body(block);
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  Memory& memory() { return memory_; }
  EmulatedWarp& warp() { return warp_; }
  [[nodiscard]] unsigned rank() const { return index_ * EmulatedWarp::lanes + warp_.lane(); }
  [[nodiscard]] unsigned size() const { return count_ * EmulatedWarp::lanes; }
  [[nodiscard]] unsigned warp_index() const { return index_; }
  [[nodiscard]] unsigned warp_count() const { return count_; }
  void sync() {
    warp_.sync();
    if (warp_.lane() == 0) barrier_.arrive_and_wait();
    warp_.sync();
  }
  bool any(bool is_true) {
    const bool own = warp_.ballot(is_true) != 0;
    if (warp_.lane() == 0) votes_[index_] = own ? 1 : 0;
    sync();
    const bool found = std::find(votes_.begin(), votes_.end(), 1) != votes_.end();
    sync();
    return found;
  }

 private:
  WideEmulatedBlock(EmulatedWarp& warp, Memory& memory, unsigned index, unsigned count,
                    std::barrier<>& barrier, std::vector<std::uint8_t>& votes)
      : warp_(warp), memory_(memory), index_(index), count_(count), barrier_(barrier), votes_(votes) {}

  EmulatedWarp& warp_;
  Memory& memory_;
  unsigned index_, count_;
  std::barrier<>& barrier_;
  std::vector<std::uint8_t>& votes_;
};

}  // namespace floe::test
