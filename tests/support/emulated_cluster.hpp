// A cluster of blocks on the threads of a CPU, a thread per warp. What blocks send each other arrives late,
// and in any order.
#pragma once

#include <array>
#include <barrier>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/emulated_warp.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {

/// What all warps of a cluster share, and what is under way between its blocks.
class EmulatedCluster {
 public:
  EmulatedCluster(unsigned blocks, unsigned warps_per_block, std::size_t shared_bytes, unsigned seed)
      : random_(seed), meeting_(static_cast<std::ptrdiff_t>(blocks) * warps_per_block, Met{this}) {
    for (unsigned i = 0; i < blocks; ++i) memories_.push_back(std::make_unique<PaddedBytes>(shared_bytes));
    carrier_ = std::thread([this] { carry(); });
  }
  ~EmulatedCluster() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    carrier_.join();
  }
  EmulatedCluster(const EmulatedCluster&) = delete;
  EmulatedCluster& operator=(const EmulatedCluster&) = delete;

  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(memories_.size()); }
  [[nodiscard]] std::uint8_t* memory(unsigned block) const { return memories_[block]->data(); }
  void meet() { meeting_.arrive_and_wait(); }
  /// Whether something was under way when all warps met for the last time, whose memory may be no more then,
  /// or a round was announced twice.
  [[nodiscard]] bool was_misused() const { return under_way_when_met_ > 0 || is_misused_; }

  void begin(std::uint64_t& arrivals) {
    change(arrivals, [](Count& count) { count = {0, 1, 0}; });
  }
  void expect(std::uint64_t& arrivals, std::uint32_t bytes) {
    change(arrivals, [&](Count& count) {
      is_misused_ = is_misused_ || count.pending == 0;
      count.bytes += static_cast<std::int32_t>(bytes);
      --count.pending;
    });
  }
  void wait(std::uint64_t& arrivals, std::uint32_t round) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_now(arrivals, round); });
  }
  bool has_ended(std::uint64_t& arrivals, std::uint32_t round) {
    const std::lock_guard lock(mutex_);
    return has_ended_now(arrivals, round);
  }
  /// `to` and `arrivals` lie in the block `from`.
  void send(unsigned from, unsigned block, void* to, const std::array<std::uint64_t, 2>& value,
            std::uint32_t bytes, std::uint64_t* arrivals) {
    const std::lock_guard lock(mutex_);
    const auto there = [&](void* own) {
      return memory(block) + (static_cast<std::uint8_t*>(own) - memory(from));
    };
    messages_.push_back(
        {there(to), value, bytes, reinterpret_cast<std::uint64_t*>(there(arrivals)), delay_of(bytes)});
    changed_.notify_all();
  }

 private:
  struct Count {
    std::int32_t bytes;
    std::uint16_t pending, rounds;
  };
  struct Message {
    std::uint8_t* to;
    std::array<std::uint64_t, 2> value;
    std::uint32_t bytes;
    std::uint64_t* arrivals;
    unsigned delay;  ///< How often it is passed over.
  };
  struct Met {
    EmulatedCluster* cluster;
    void operator()() noexcept {
      const std::lock_guard lock(cluster->mutex_);
      cluster->under_way_when_met_ = cluster->messages_.size();
    }
  };

  /// Short messages are late more often: there are fewer of them.
  unsigned delay_of(std::uint32_t bytes) { return random_() % (bytes == 4 ? 8 : 64) == 0 ? 200 : 0; }
  static bool has_ended_now(const std::uint64_t& arrivals, std::uint32_t round) {
    return (std::bit_cast<Count>(arrivals).rounds ^ round) % 2 != 0;
  }
  template <class Change>
  void change(std::uint64_t& arrivals, const Change& change) {
    const std::lock_guard lock(mutex_);
    change_locked(arrivals, change);
  }
  template <class Change>
  void change_locked(std::uint64_t& arrivals, const Change& change) {
    auto count = std::bit_cast<Count>(arrivals);
    change(count);
    const bool ends = count.pending == 0 && count.bytes == 0;
    if (ends) count = {0, 1, static_cast<std::uint16_t>(count.rounds + 1)};
    arrivals = std::bit_cast<std::uint64_t>(count);
    if (ends) changed_.notify_all();
  }

  /// Brings any of the messages, after a while.
  void carry() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ends_ || !messages_.empty(); });
      if (messages_.empty()) return;
      const std::size_t which = random_() % messages_.size();
      if (messages_[which].delay > 0) {
        --messages_[which].delay;
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
        continue;
      }
      const Message message = messages_[which];
      messages_[which] = messages_.back();
      messages_.pop_back();
      std::memcpy(message.to, message.value.data(), message.bytes);
      change_locked(*message.arrivals,
                    [&](Count& count) { count.bytes -= static_cast<std::int32_t>(message.bytes); });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<PaddedBytes>> memories_;
  std::vector<Message> messages_;
  bool ends_ = false, is_misused_ = false;
  std::size_t under_way_when_met_ = 0;
  std::barrier<Met> meeting_;
  std::thread carrier_;
};

/// The functions of floe::gpu::ClusterBlock (src/series_cuda/block_cluster.cuh).
class EmulatedClusterBlock {
 public:
  using Warp = EmulatedWarp;

  /// Calls body(block) for all lanes of all warps of a cluster.
  template <class Body>
  static void run(EmulatedCluster& cluster, unsigned warps_per_block, const Body& body) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < cluster.blocks() * warps_per_block; ++i) {
      threads.emplace_back([&, i] {
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          body(EmulatedClusterBlock(cluster, warp, i / warps_per_block, i % warps_per_block));
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] Warp warp() const { return warp_; }
  [[nodiscard]] unsigned warp_index() const { return warp_index_; }
  [[nodiscard]] bool is_first_thread() const { return warp_index_ == 0 && warp_.lane() == 0; }
  [[nodiscard]] std::uint8_t* shared() const { return cluster_->memory(rank_); }
  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned blocks() const { return cluster_->blocks(); }
  void sync() const {
    Warp warp = warp_;
    warp.sync();
    if (warp.lane() == 0) cluster_->meet();
    warp.sync();
  }
  void begin(std::uint64_t& arrivals) const { cluster_->begin(arrivals); }
  void expect(std::uint64_t& arrivals, std::uint32_t bytes) const { cluster_->expect(arrivals, bytes); }
  void wait(std::uint64_t& arrivals, std::uint32_t round) const { cluster_->wait(arrivals, round); }
  /// Who asks in vain leaves the CPU to those that it waits for.
  [[nodiscard]] bool has_ended(std::uint64_t& arrivals, std::uint32_t round) const {
    const bool has_ended = cluster_->has_ended(arrivals, round);
    if (!has_ended && warp_.lane() == 0) std::this_thread::yield();
    return has_ended;
  }
  void send(unsigned block, void* to, std::uint64_t a, std::uint64_t b, std::uint64_t* arrivals) const {
    cluster_->send(rank_, block, to, {a, b}, 16, arrivals);
  }
  void send(unsigned block, void* to, std::uint32_t a, std::uint64_t* arrivals) const {
    cluster_->send(rank_, block, to, {a, 0}, 4, arrivals);
  }

 private:
  EmulatedClusterBlock(EmulatedCluster& cluster, const EmulatedWarp& warp, unsigned rank, unsigned warp_index)
      : cluster_(&cluster), warp_(warp), rank_(rank), warp_index_(warp_index) {}

  EmulatedCluster* cluster_;
  EmulatedWarp warp_;
  unsigned rank_, warp_index_;
};

}  // namespace floe::test
