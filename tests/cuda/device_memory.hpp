// Memory of a device for tests: filled, read back, and watched over at both ends.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <span>
#include <vector>

#include "floe/cuda.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

inline bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#define FLOE_NEEDS_DEVICE() \
  if (!::floe::test::has_device()) GTEST_SKIP() << "no CUDA device"

/// Rounds of a random test: `usual`, or fewer for tools that make everything slow.
inline std::size_t rounds(std::size_t usual) {
  const char* const given = std::getenv("FLOE_DEVICE_TEST_ROUNDS");
  return given == nullptr ? usual : std::min<std::size_t>(usual, std::strtoull(given, nullptr, 10));
}

/// Changed streams or frames to decode: as many as FLOE_DEVICE_MUTATIONS says, else `rounds(usual)`.
inline std::size_t mutations(std::size_t usual) {
  const char* const given = std::getenv("FLOE_DEVICE_MUTATIONS");
  return given == nullptr ? rounds(usual) : std::strtoull(given, nullptr, 10);
}

inline void expect_cuda(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

/// `bytes` bytes at a multiple of 256, plus `shift`, between canaries. Begins full of garbage.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t bytes, std::uint64_t shift = 0) : bytes_(bytes), shift_(shift) {
    expect_cuda(cudaMalloc(reinterpret_cast<void**>(&base_), total()));
    expect_cuda(cudaMemset(base_, canary, total()));
    expect_cuda(cudaDeviceSynchronize());  // streams of other devices do not wait for this one's
  }
  DeviceMemory(const Bytes& content, std::uint64_t shift = 0) : DeviceMemory(content.size(), shift) {
    write(content);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(base_); }

  [[nodiscard]] std::uint8_t* data() const { return base_ + margin + shift_; }
  [[nodiscard]] std::uint64_t size() const { return bytes_; }
  void write(std::span<const std::uint8_t> content, std::uint64_t offset = 0) const {
    expect_cuda(cudaMemcpy(data() + offset, content.data(), content.size(), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] Bytes read(std::uint64_t offset, std::uint64_t count) const {
    Bytes bytes(count);
    expect_cuda(cudaMemcpy(bytes.data(), data() + offset, count, cudaMemcpyDeviceToHost));
    return bytes;
  }
  [[nodiscard]] Bytes read() const { return read(0, bytes_); }
  /// Whether nothing around the memory was written.
  [[nodiscard]] bool is_intact() const {
    const auto untouched = [&](const std::uint8_t* at, std::uint64_t count) {
      Bytes bytes(count);
      expect_cuda(cudaMemcpy(bytes.data(), at, count, cudaMemcpyDeviceToHost));
      return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == canary; });
    };
    return untouched(base_, margin + shift_) && untouched(data() + bytes_, margin);
  }

 private:
  static constexpr std::uint64_t margin = 512;
  static constexpr std::uint8_t canary = 0xA5;
  [[nodiscard]] std::uint64_t total() const { return bytes_ + shift_ + 2 * margin; }

  std::uint8_t* base_ = nullptr;
  std::uint64_t bytes_;
  std::uint64_t shift_;
};

/// One value in device memory.
template <class T>
class DeviceValue {
 public:
  explicit DeviceValue(const T& value = {}) { set(value); }
  void set(const T& value) { memory_.write({reinterpret_cast<const std::uint8_t*>(&value), sizeof value}); }
  [[nodiscard]] T get() const {
    T value;
    const Bytes bytes = memory_.read();
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  [[nodiscard]] T* pointer() const { return reinterpret_cast<T*>(memory_.data()); }

 private:
  DeviceMemory memory_{sizeof(T)};
};

inline cuda::Workspace workspace_of(const DeviceMemory& memory) { return {memory.data(), memory.size()}; }

/// What a device made of something.
struct DeviceOutcome {
  Status status;
  cuda::ItemResult result;
  Bytes bytes;
  bool intact = false;

  [[nodiscard]] ErrorCode code() const { return static_cast<ErrorCode>(result.code); }
};

/// Compresses on the device, from an address that is `shift` more than a multiple of 256, into `room` bytes.
inline DeviceOutcome device_compress(const Bytes& content, DType dtype, const Extent& extent,
                                     const Options& options, std::uint64_t room, std::uint64_t shift = 0) {
  const DeviceMemory in(content, shift), out(room),
      workspace(*cuda::compress_workspace_size(content.size(), 1, dtype, options));
  DeviceValue<cuda::ItemResult> result;
  DeviceOutcome outcome;
  outcome.status = cuda::compress_async({in.data(), content.size(), out.data(), room}, dtype, extent, options,
                                        result.pointer(), workspace_of(workspace), nullptr);
  expect_cuda(cudaDeviceSynchronize());
  outcome.result = result.get();
  outcome.bytes = out.read(0, std::min(outcome.result.bytes, room));
  outcome.intact = out.is_intact() && workspace.is_intact() && in.is_intact();
  return outcome;
}

inline DeviceOutcome device_decompress(const Bytes& frame, const cuda::FrameKind& kind, Slice slice,
                                       std::uint64_t room, std::uint64_t shift = 0) {
  const DeviceMemory in(frame), out(room, shift), workspace(*cuda::decompress_workspace_size(room, 1, kind));
  DeviceValue<cuda::ItemResult> result;
  DeviceOutcome outcome;
  outcome.status = cuda::decompress_slice_async({in.data(), frame.size(), out.data(), room}, kind, slice,
                                                result.pointer(), workspace_of(workspace), nullptr);
  expect_cuda(cudaDeviceSynchronize());
  outcome.result = result.get();
  outcome.bytes = out.read(0, std::min(outcome.result.bytes, room));
  outcome.intact = out.is_intact() && workspace.is_intact() && in.is_intact();
  return outcome;
}

inline constexpr Slice whole_array{0, ~std::uint64_t{0}};

/// Trees for each way in which devices encode: straight to their positions, the same again by blocks where
/// some word does not map, and by blocks from the beginning.
inline std::vector<ArrayCase> device_tree_cases() {
  return {{DType::u8, "bitpack"},
          {DType::i16, "delta,bitpack"},
          {DType::boolean, "rle,bitpack,raw"},
          {DType::bf16, "sortable,split,bitpack,bitpack,raw"},
          {DType::f32, "sortable,delta,bitpack"},
          {DType::f32, "decimal(2,4),bitpack,bitpack,raw"},
          {DType::i32, "rle,delta,bitpack,bitpack"},
          {DType::u32, "dict,raw,bitpack,raw"},
          {DType::i64, "int_mult,bitpack"},
          {DType::i64, "delta(2,1),bitpack"},
          {DType::f64, "decimal(2,8),delta,bitpack,bitpack,raw"},
          {DType::f64, "stride_split(3),raw,sortable,bitpack,raw"}};
}

}  // namespace floe::test
