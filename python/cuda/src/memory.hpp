// Memory of GPUs for the module floe_cuda, and what else of CUDA's runtime it needs. Errors are floe::Error.
#pragma once

#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace floe::python {

/// Throws what CUDA says, unless it is success.
void check(cudaError_t error);

inline cudaStream_t stream_of(std::uintptr_t stream) { return reinterpret_cast<cudaStream_t>(stream); }

/// Makes a device the current one of this thread, as long as it lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  int before_ = 0;
  bool is_other_ = false;
};

/// Memory of a device, from a pool that keeps what is given back. It is allocated and given back in the order
/// of a stream. That must be there until then: its object of Python can be kept with the memory.
class Memory {
 public:
  Memory(std::uint64_t bytes, int device, std::uintptr_t stream);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uintptr_t stream() const { return reinterpret_cast<std::uintptr_t>(stream_); }
  /// With the GIL, as is destroying it then.
  void keep_stream(nanobind::object owner) { stream_owner_ = std::move(owner); }
  [[nodiscard]] const nanobind::object& stream_owner() const { return stream_owner_; }
  /// Nobody uses it any more, on any stream: it may outlive its own.
  void settle() { stream_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_;
  int device_;
  cudaStream_t stream_;
  nanobind::object stream_owner_;
};

/// Gives the memory that is kept for further calls back to the system.
void free_spare_memory();

/// The device of an address, or -1 for memory of the host.
int device_of(std::uintptr_t address);

/// Makes work of one stream wait for what is on another.
void wait_for_stream(std::uintptr_t waiting, std::uintptr_t other, int device);

/// An array of bytes within another one: how many along each axis, the last one in a row, and how far their
/// neighbours are apart on all axes but the last, here and there.
struct Box {
  std::vector<std::uint64_t> counts, to_strides, from_strides;
};
/// Copies it between any memories, in the order of a stream.
void copy_box(std::uintptr_t to, std::uintptr_t from, const Box& box, int device, std::uintptr_t stream);

}  // namespace floe::python
