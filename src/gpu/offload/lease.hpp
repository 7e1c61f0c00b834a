// Who uses the devices now? One call or stream at a time.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "floe/cuda_host.hpp"
#include "gpu/offload/slot.hpp"

namespace floe::cuda {

struct Devices::State {
  explicit State(std::unique_ptr<offload::DevicePool> devices) : pool(std::move(devices)) {}
  std::unique_ptr<offload::DevicePool> pool;
  std::atomic<bool> in_use = false;
};

}  // namespace floe::cuda

namespace floe::offload {

/// The right to use devices, until it is destroyed.
class Lease {
 public:
  static Result<Lease> take(std::shared_ptr<cuda::Devices::State> devices) {
    if (devices->in_use.exchange(true))
      return Status{ErrorCode::invalid_argument, 0, "the devices are in use by another call or stream"};
    return Lease(std::move(devices));
  }
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (devices_) devices_->in_use.store(false);
  }
  [[nodiscard]] const DevicePool& pool() const noexcept { return *devices_->pool; }

 private:
  explicit Lease(std::shared_ptr<cuda::Devices::State> devices) : devices_(std::move(devices)) {}
  std::shared_ptr<cuda::Devices::State> devices_;
};

}  // namespace floe::offload
