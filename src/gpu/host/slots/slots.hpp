// The slots of all devices, and who has which: what Devices are made of.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "floe/cuda_host.hpp"
#include "gpu/host/slots/slot.hpp"

namespace floe::gpu {

/// Thread-safe.
class Slots {
 public:
  /// As many for each device; neighbours belong to different ones.
  explicit Slots(std::vector<std::unique_ptr<Slot>> slots)
      : slots_(std::move(slots)), taken_(slots_.size()) {}

  /// The right to use a slot, or none.
  class Lease {
   public:
    Lease() = default;
    Lease(Slots& slots, std::size_t index) : slots_(&slots), index_(index) {}
    Lease(Lease&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), index_(other.index_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (slots_ != nullptr) slots_->give(index_);
    }
    [[nodiscard]] explicit operator bool() const { return slots_ != nullptr; }
    [[nodiscard]] Slot& slot() const { return *slots_->slots_[index_]; }

   private:
    Slots* slots_ = nullptr;
    std::size_t index_ = 0;
  };

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] const Slot& any() const { return *slots_.front(); }

  /// In turn, so that all devices get the same share; none if all are taken.
  Lease take() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::size_t index = (next_ + i) % slots_.size();
      if (taken_[index]) continue;
      taken_[index] = true;
      next_ = (index + 1) % slots_.size();
      return {*this, index};
    }
    return {};
  }

 private:
  void give(std::size_t index) {
    const std::lock_guard lock(mutex_);
    taken_[index] = false;
  }

  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex mutex_;
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

}  // namespace floe::gpu

namespace floe::cuda {

struct Devices::State {
  State(std::uint32_t count, std::vector<std::unique_ptr<gpu::Slot>> of_devices)
      : device_count(count), slots(std::move(of_devices)) {}

  std::uint32_t device_count;
  gpu::Slots slots;  ///< As many for each device, one at least.
};

}  // namespace floe::cuda
