// GPUs as an engine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine.hpp"
#include "floe/cuda_host.hpp"

namespace floe::cli {
namespace {

class CudaCompressor final : public StreamCompressor {
 public:
  explicit CudaCompressor(cuda::Compressor compressor) : compressor_(std::move(compressor)) {}
  Status write(std::span<const std::byte> bytes) override { return compressor_.write(bytes); }
  Status finish() override { return compressor_.finish(); }

 private:
  cuda::Compressor compressor_;
};

class CudaDecompressor final : public StreamDecompressor {
 public:
  explicit CudaDecompressor(cuda::Decompressor decompressor) : decompressor_(std::move(decompressor)) {}
  Status write(std::span<const std::byte> bytes) override { return decompressor_.write(bytes); }
  Status finish() override { return decompressor_.finish(); }
  void with_prefix(bool yes) override { decompressor_.with_prefix(yes); }
  [[nodiscard]] const FrameInfo* info() const override { return decompressor_.info(); }
  [[nodiscard]] bool is_native() const override { return decompressor_.on_devices(); }

 private:
  cuda::Decompressor decompressor_;
};

class CudaMemory final : public EngineMemory {
 public:
  explicit CudaMemory(cuda::PinnedMemory memory) : memory_(std::move(memory)) {}
  [[nodiscard]] std::span<std::byte> bytes() const override { return memory_.bytes(); }

 private:
  cuda::PinnedMemory memory_;
};

class CudaEngine final : public Engine {
 public:
  CudaEngine(std::string name, cuda::Devices devices)
      : name_(std::move(name)), devices_(std::move(devices)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool supports(DType dtype, const Options& options) const override {
    return devices_.supports(dtype, options);
  }

  Result<std::unique_ptr<StreamCompressor>> compressor(Sink sink, DType dtype,
                                                       std::span<const std::uint64_t> inner_extent,
                                                       const Options& options) override {
    auto created = cuda::Compressor::create(devices_, std::move(sink), dtype, inner_extent, options);
    if (!created) return created.status();
    return std::unique_ptr<StreamCompressor>(std::make_unique<CudaCompressor>(std::move(*created)));
  }
  Result<std::unique_ptr<StreamDecompressor>> decompressor(Sink sink, const DecodeOptions& options) override {
    auto created = cuda::Decompressor::create(devices_, std::move(sink), options);
    if (!created) return created.status();
    return std::unique_ptr<StreamDecompressor>(std::make_unique<CudaDecompressor>(std::move(*created)));
  }

  [[nodiscard]] bool wants_own_memory() const override { return true; }
  Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes) override {
    auto memory = cuda::PinnedMemory::allocate(bytes);
    if (!memory) return memory.status();
    return std::unique_ptr<EngineMemory>(std::make_unique<CudaMemory>(std::move(*memory)));
  }
  Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                    const Extent& extent, const Options& options) override {
    return devices_.compress_into(out, in, dtype, extent, options);
  }
  Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                    const DecodeOptions& options) override {
    return devices_.decompress(out, frame, options);
  }

 private:
  std::string name_;
  cuda::Devices devices_;
};

}  // namespace

Result<std::unique_ptr<Engine>> cuda_engine(std::span<const std::uint32_t> indices) {
  auto devices = cuda::Devices::open(indices);
  if (!devices) return devices.status();
  std::vector<std::uint32_t> numbers(indices.begin(), indices.end());
  for (std::uint32_t i = 0; indices.empty() && i < devices->count(); ++i) numbers.push_back(i);
  return std::unique_ptr<Engine>(
      std::make_unique<CudaEngine>(fmt::format("cuda:{}", fmt::join(numbers, ",")), std::move(*devices)));
}

}  // namespace floe::cli
