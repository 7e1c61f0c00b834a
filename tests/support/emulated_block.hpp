// Thread blocks (src/gpu/warp/block.hpp) on the CPU: the lanes of one emulated warp, or of several, on one
// thread.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <vector>

#include "tests/support/emulated_warp.hpp"

namespace floe::test {

/// A warp of a block, as devices have them: the only one, or one of several. Between two meetings of all
/// warps they run one after the other, in turn from the first one and from the last one: who reads what
/// another warp writes without a meeting in between reads it too early in half of the cases. Both kinds are
/// one class, so that the code of devices is compiled once for them.
template <class Memory>
class EmulatedBlock {
 public:
  EmulatedBlock(EmulatedWarp& warp, Memory& memory) : warp_(warp), memory_(memory) {}

  /// Calls body(block) for all lanes of all warps.
  template <class Body>
  static void run(unsigned warps, Memory& memory, const Body& body) {
    std::vector<std::uint8_t> votes(warps);
    std::size_t waiting = 0;
    const auto run_lane = [&](EmulatedWarp::Machine& machine, unsigned index, unsigned lane) {
      EmulatedWarp::run_lane(machine, lane, [&](EmulatedWarp& warp) {
        EmulatedBlock block(warp, memory, index, warps, &waiting, &votes);
        body(block);
      });
    };
    std::deque<Warp<decltype(run_lane)>> all;
    for (unsigned w = 0; w < warps; ++w) all.emplace_back(run_lane, w).start();
    for (bool is_backwards = true; waiting > 0; is_backwards = !is_backwards) {
      if (waiting != warps) std::abort();  // some have ended
      waiting = 0;
      for (unsigned i = 0; i < warps; ++i) all[is_backwards ? warps - 1 - i : i].go_on();
    }
  }

  Memory& memory() { return memory_; }
  EmulatedWarp& warp() { return warp_; }
  [[nodiscard]] unsigned rank() const { return index_ * EmulatedWarp::lanes + warp_.lane(); }
  [[nodiscard]] unsigned size() const { return count_ * EmulatedWarp::lanes; }
  [[nodiscard]] unsigned warp_index() const { return index_; }
  [[nodiscard]] unsigned warp_count() const { return count_; }
  void sync() {
    warp_.sync();
    if (count_ == 1) return;
    if (warp_.lane() == 0) {
      ++*waiting_;
      warp_.pause();
    }
    warp_.sync();
  }
  bool any(bool is_true) {
    const bool own = warp_.ballot(is_true) != 0;
    if (count_ == 1) return own;
    if (warp_.lane() == 0) (*votes_)[index_] = own ? 1 : 0;
    sync();
    const bool found = std::find(votes_->begin(), votes_->end(), 1) != votes_->end();
    sync();
    return found;
  }
  /// The only worker finds what it waits for.
  void wait_for(const std::uint32_t& word, std::uint32_t value) const {
    if (word != value) std::abort();
  }
  void publish(std::uint32_t& word, std::uint32_t value) const { word = value; }

 private:
  /// The state of a warp, which outlives its pauses.
  template <class RunLane>
  class Warp {
   public:
    Warp(const RunLane& run_lane, unsigned index) : run_lane_(run_lane), index_(index) {}
    void start() { machine_.stacks.run(*this); }
    void go_on() { machine_.stacks.go_on(0); }
    void operator()(unsigned lane) const { run_lane_(machine_, index_, lane); }

   private:
    LaneStacks::Loan loan_;
    mutable EmulatedWarp::Machine machine_{*loan_.stacks};
    const RunLane& run_lane_;
    unsigned index_;
  };

  EmulatedBlock(EmulatedWarp& warp, Memory& memory, unsigned index, unsigned count, std::size_t* waiting,
                std::vector<std::uint8_t>* votes)
      : warp_(warp), memory_(memory), index_(index), count_(count), waiting_(waiting), votes_(votes) {}

  EmulatedWarp& warp_;
  Memory& memory_;
  unsigned index_ = 0, count_ = 1;
  // Of all warps, where there are several.
  std::size_t* waiting_ = nullptr;  ///< Those that have come to the meeting.
  std::vector<std::uint8_t>* votes_ = nullptr;
};

}  // namespace floe::test
