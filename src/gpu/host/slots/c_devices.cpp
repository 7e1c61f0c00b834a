// Devices in the C ABI.
#include "api/c/arguments.hpp"
#include "core/guard.hpp"
#include "floe/cuda_host.hpp"
#include "floe/floe_cuda.h"

floe_status floe_cuda_open_devices(floe_accelerator** out, const uint32_t* indices, uint32_t count) {
  using namespace floe;
  if (out == nullptr) return c_abi::to_c(c_abi::null_pointer);
  *out = nullptr;
  if (indices == nullptr && count != 0) return c_abi::to_c(c_abi::null_pointer);
  return c_abi::to_c(core::guarded([&]() -> Status {
    auto devices = cuda::Devices::open(std::span(indices, count));
    if (!devices) return devices.status();
    *out = new floe_accelerator{std::move(*devices)};
    return {};
  }));
}
