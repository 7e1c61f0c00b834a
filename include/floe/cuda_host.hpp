// floe on NVIDIA GPUs for arrays and frames in memory of the host: the calls of floe.hpp, and the same bytes.
// Link floe::cuda.
//
// Portions of whole segments go through the GPUs in turn; copies in, work and copies out overlap. Memory of
// the host that the GPUs can read and write themselves (PinnedMemory, cudaHostAlloc, cudaHostRegister) is
// used in place, other memory goes through buffers of floe's. Besides their results the calls need, for each
// GPU, room for four portions and their results: a portion is one segment, or more of them up to 64 MiB.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// How many GPUs this process can use: at least 1. Errors: device_error; its detail says why there is none.
Result<std::uint32_t> device_count();

/// Memory of the host that GPUs reach themselves. Movable. Allocating it is slow.
class PinnedMemory {
 public:
  /// Errors: out_of_memory, device_error.
  static Result<PinnedMemory> allocate(std::size_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit PinnedMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

/// Some GPUs of this host with streams and buffers, which stay from call to call. Cheap to copy. One call or
/// stream at a time: others get invalid_argument meanwhile.
class Devices {
 public:
  /// The GPUs with these numbers, as CUDA counts them; all of them if `indices` is empty. Errors:
  /// device_error, invalid_argument (a number that does not exist, or stands there twice).
  static Result<Devices> open(std::span<const std::uint32_t> indices = {});

  [[nodiscard]] std::uint32_t count() const noexcept;
  /// Which element types and codecs they can do; others are an error (unsupported_codec) below, but for
  /// Decompressor.
  [[nodiscard]] bool supports(DType dtype, const Options& options = {}) const;

  /// As floe::compress_into. Options::threads copy memory that is not pinned. Errors besides: device_error.
  Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                    const Extent& extent, const Options& options = {});
  /// Decodes a whole frame; out.size() must be that of its elements. As FrameView::decompress. Errors
  /// besides: device_error.
  Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                    const DecodeOptions& options = {});

  struct State;  // internal
  explicit Devices(std::shared_ptr<State> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// As floe::Compressor. While it exists, the devices are in use.
class Compressor {
 public:
  static Result<Compressor> create(const Devices& devices, Sink sink, DType dtype,
                                   std::span<const std::uint64_t> inner_extent = {},
                                   const Options& options = {});
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;
  ~Compressor();
  Status write(std::span<const std::byte> bytes);
  Status finish();

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// As floe::Decompressor. While it exists, the devices are in use.
class Decompressor {
 public:
  static Result<Decompressor> create(const Devices& devices, Sink sink, const DecodeOptions& options = {});
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();
  Status write(std::span<const std::byte> bytes);
  Status finish();
  void with_prefix(bool yes) noexcept;
  [[nodiscard]] const FrameInfo* info() const noexcept;
  /// Whether the devices decode the elements. False before the header has arrived, and for a codec that they
  /// do not have: then the CPU does.
  [[nodiscard]] bool on_devices() const noexcept;

 private:
  struct State;
  explicit Decompressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe::cuda

#pragma GCC visibility pop
