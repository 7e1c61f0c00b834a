// Streams of tables (floe/series.hpp) encoded and decoded by NVIDIA GPUs, from and to memory of the host.
// Link floe::cuda.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "floe/error.hpp"
#include "floe/series.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// Decodes batches of streams on one GPU or several, in turn; each works on two batches at a time, so that
/// copies and kernels overlap. Needs about 200 MiB of pinned memory and up to 1 GiB of device memory per GPU.
/// Streams with encodings that GPUs do not have (codec, entropy), and those of more than 2^20 words, are left
/// to the CPU. For one TableDecompressor after the other; not thread-safe.
class StreamDevices final : public tables::StreamDecoder {
 public:
  /// The GPUs with these numbers; none: all. Errors: device_error, invalid_argument, out_of_memory.
  static Result<std::unique_ptr<StreamDevices>> open(std::span<const std::uint32_t> indices = {});
  ~StreamDevices() override;

  [[nodiscard]] std::uint64_t batch_bytes() const override;
  [[nodiscard]] std::size_t batches_at_once() const override;
  Status begin(std::span<tables::EncodedStream> streams) override;
  Status finish() override;

  struct State;  // internal

 private:
  explicit StreamDevices(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Encodes batches of streams on one GPU or several, in turn; each works on two batches at a time, so that
/// copies and kernels overlap. Words go through pinned memory, and only the bytes that came out are copied
/// back. Needs about 50 MiB of pinned memory and up to 1 GiB of device memory per GPU. Streams whose trees
/// have encodings that GPUs do not have (codec, entropy), and those of more than 2^20 words, are left to the
/// CPU. For one TableCompressor after the other; not thread-safe.
class StreamEncodingDevices final : public tables::StreamEncoder {
 public:
  /// The GPUs with these numbers; none: all. Errors: device_error, invalid_argument, out_of_memory.
  static Result<std::unique_ptr<StreamEncodingDevices>> open(std::span<const std::uint32_t> indices = {});
  ~StreamEncodingDevices() override;

  [[nodiscard]] std::uint64_t batch_bytes() const override;
  [[nodiscard]] std::size_t batches_at_once() const override;
  Status begin(std::span<tables::StreamWords> streams) override;
  Status finish() override;

  struct State;  // internal

 private:
  explicit StreamEncodingDevices(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe::cuda

#pragma GCC visibility pop
