// The CPU as an engine.
#include "engine.hpp"

namespace floe::cli {
namespace {

class CpuCompressor final : public StreamCompressor {
 public:
  explicit CpuCompressor(Compressor compressor) : compressor_(std::move(compressor)) {}
  Status write(std::span<const std::byte> bytes) override { return compressor_.write(bytes); }
  Status finish() override { return compressor_.finish(); }

 private:
  Compressor compressor_;
};

class CpuDecompressor final : public StreamDecompressor {
 public:
  CpuDecompressor(Sink sink, const DecodeOptions& options) : decompressor_(std::move(sink), options) {}
  Status write(std::span<const std::byte> bytes) override { return decompressor_.write(bytes); }
  Status finish() override { return decompressor_.finish(); }
  void with_prefix(bool yes) override { decompressor_.with_prefix(yes); }
  [[nodiscard]] const FrameInfo* info() const override { return decompressor_.info(); }
  [[nodiscard]] bool is_native() const override { return true; }

 private:
  Decompressor decompressor_;
};

class CpuMemory final : public EngineMemory {
 public:
  explicit CpuMemory(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::span<std::byte> bytes() const override { return bytes_; }

 private:
  mutable std::vector<std::byte> bytes_;
};

class CpuEngine final : public Engine {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] bool supports(DType dtype, const Options& options) const override {
    return bool(choose_codec(dtype, options));
  }

  Result<std::unique_ptr<StreamCompressor>> compressor(Sink sink, DType dtype,
                                                       std::span<const std::uint64_t> inner_extent,
                                                       const Options& options) override {
    auto created = Compressor::create(std::move(sink), dtype, inner_extent, options);
    if (!created) return created.status();
    return std::unique_ptr<StreamCompressor>(std::make_unique<CpuCompressor>(std::move(*created)));
  }
  Result<std::unique_ptr<StreamDecompressor>> decompressor(Sink sink, const DecodeOptions& options) override {
    return std::unique_ptr<StreamDecompressor>(std::make_unique<CpuDecompressor>(std::move(sink), options));
  }

  [[nodiscard]] bool wants_own_memory() const override { return false; }
  Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes) override {
    return std::unique_ptr<EngineMemory>(std::make_unique<CpuMemory>(bytes));
  }
  Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                    const Extent& extent, const Options& options) override {
    return floe::compress_into(out, in, dtype, extent, options);
  }
  Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                    const DecodeOptions& options) override {
    const Result<FrameView> view = FrameView::parse(frame);
    return view ? view->decompress(out, options) : view.status();
  }
};

}  // namespace

std::unique_ptr<Engine> cpu_engine() { return std::make_unique<CpuEngine>(); }

}  // namespace floe::cli
