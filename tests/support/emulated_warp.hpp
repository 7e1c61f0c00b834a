// 32 lanes of a warp on one thread of the CPU: what a GPU runs in lockstep runs here lane by lane, from one
// exchange to the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "tests/support/lane_stacks.hpp"

namespace floe::test {

/// The functions of gpu::DeviceWarp (gpu/warp/device_block.cuh), between cooperative lanes.
/// Every lane must make the same calls in the same order; lanes that differ end the program. Exchanges are
/// half of what tests of device code compute: they have plain arrays, and no notes of the address sanitizer.
class EmulatedWarp {
  using Values = std::uint64_t[LaneStacks::lanes];

 public:
  static constexpr unsigned lanes = LaneStacks::lanes;

  /// What the lanes of a warp share.
  struct Machine {
    LaneStacks& stacks;
    /// Of this exchange, and of the one before, which slower lanes may still read.
    Values values[2]{};
    std::uint64_t combined[2]{};
    unsigned kind[lanes]{};
    std::uint64_t exchanges[lanes]{};
  };

  /// Calls body(warp) once per lane, with `warp` being that lane's.
  template <class Body>
  static void run(const Body& body) {
    Machine machine{LaneStacks::of_this_thread()};
    machine.stacks.run([&](unsigned lane) { run_lane(machine, lane, body); });
  }
  /// What LaneStacks::run calls for a lane.
  template <class Body>
  static void run_lane(Machine& machine, unsigned lane, const Body& body) {
    EmulatedWarp warp(machine, lane);
    body(warp);
    // The first lane to end hands over to the next one, which ends at the same place.
    for (const std::uint64_t count : machine.exchanges) {
      if (count != machine.exchanges[lane]) std::abort();
    }
  }

  [[nodiscard]] unsigned lane() const { return lane_; }
  void sync() { exchange(0, 1); }
  /// The first lane leaves the thread to who called `run`, until LaneStacks::go_on.
  void pause() { machine_.stacks.pause(lane_); }

  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) T shuffle(T value, unsigned source) {
    return from_bits<T>(exchange(bits_of(value), 2)[source % lanes]);
  }
  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) T shuffle_up(T value, unsigned distance) {
    const auto& values = exchange(bits_of(value), 3);
    return from_bits<T>(values[lane_ >= distance ? lane_ - distance : lane_]);
  }
  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) T shuffle_down(T value, unsigned distance) {
    const auto& values = exchange(bits_of(value), 4);
    return from_bits<T>(values[lane_ + distance < lanes ? lane_ + distance : lane_]);
  }
  __attribute__((no_sanitize("address", "undefined"))) std::uint32_t ballot(bool predicate) {
    return static_cast<std::uint32_t>(combine(std::uint64_t{predicate} << lane_, 5, std::bit_or()));
  }
  std::uint32_t reduce_or(std::uint32_t value) {
    return static_cast<std::uint32_t>(combine(value, 6, std::bit_or()));
  }
  std::uint32_t reduce_xor(std::uint32_t value) {
    return static_cast<std::uint32_t>(combine(value, 9, std::bit_xor()));
  }
  std::uint32_t reduce_max(std::uint32_t value) {
    return static_cast<std::uint32_t>(
        combine(value, 7, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); }));
  }
  std::uint32_t reduce_add(std::uint32_t value) {
    return static_cast<std::uint32_t>(combine(value, 8, std::plus()));
  }
  /// Sum over the lanes up to and including this one, in one exchange instead of five.
  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) T scan(T value) {
    std::uint64_t& sum = machine_.combined[machine_.exchanges[lane_]++ % 2];
    const T own = static_cast<T>(lane_ == 0 ? value : from_bits<T>(sum) + value);
    sum = bits_of(own);
    meet(10);
    return own;
  }
  void shared_or(std::uint8_t* at, std::uint32_t bits) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    word |= bits;
    std::memcpy(at, &word, sizeof word);
  }
  void shared_add(std::uint32_t* at, std::uint32_t number) { *at += number; }

 private:
  EmulatedWarp(Machine& machine, unsigned lane) : machine_(machine), lane_(lane) {}

  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) static std::uint64_t bits_of(T value) {
    static_assert(sizeof(T) <= 8);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  template <class T>
  __attribute__((no_sanitize("address", "undefined"))) static T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  /// Gives all other lanes the turn. Back here, every lane has left its value: they take turns in order.
  __attribute__((no_sanitize("address", "undefined"))) const Values& exchange(std::uint64_t value,
                                                                              unsigned kind) {
    Values& values = machine_.values[machine_.exchanges[lane_]++ % 2];
    values[lane_] = value;
    meet(kind);
    return values;
  }

  /// What the values of all lanes come to. Each lane adds its own to those of the lanes before.
  template <class Operation>
  __attribute__((no_sanitize("address", "undefined"))) std::uint64_t combine(std::uint64_t value,
                                                                             unsigned kind,
                                                                             const Operation& operation) {
    std::uint64_t& all = machine_.combined[machine_.exchanges[lane_]++ % 2];
    all = lane_ == 0 ? value : operation(all, value);
    meet(kind);
    return all;
  }

  __attribute__((no_sanitize("address", "undefined"))) void meet(unsigned kind) {
    machine_.kind[lane_] = kind;
    machine_.stacks.pass_turn(lane_);
    if (machine_.kind[(lane_ + 1) % lanes] != kind && lane_ + 1 < lanes) std::abort();
  }

  Machine& machine_;
  unsigned lane_;
};

}  // namespace floe::test
