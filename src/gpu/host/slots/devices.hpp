// What Devices are made of.
#pragma once

#include "floe/cuda_host.hpp"
#include "gpu/host/slots/slots.hpp"

namespace floe::cuda {

struct Devices::State {
  State(std::uint32_t count, std::vector<std::unique_ptr<gpu::Slot>> of_devices)
      : device_count(count), slots(std::move(of_devices)) {}

  std::uint32_t device_count;
  gpu::Slots slots;  ///< As many for each device, one at least.
};

}  // namespace floe::cuda
