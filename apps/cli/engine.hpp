// What does the work of a run of the program: the CPU, or GPUs?
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

/// As floe::Compressor.
class StreamCompressor {
 public:
  virtual ~StreamCompressor() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
  virtual Status finish() = 0;
};

/// As floe::Decompressor.
class StreamDecompressor {
 public:
  virtual ~StreamDecompressor() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
  virtual Status finish() = 0;
  virtual void with_prefix(bool yes) = 0;
  [[nodiscard]] virtual const FrameInfo* info() const = 0;
  /// After the header has arrived: false if the CPU stands in for an engine that does not have the codec.
  [[nodiscard]] virtual bool is_native() const = 0;
};

/// Memory that suits an engine best.
class EngineMemory {
 public:
  virtual ~EngineMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// As in --device, e.g. "cuda:0,1".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual bool supports(DType dtype, const Options& options) const = 0;

  virtual Result<std::unique_ptr<StreamCompressor>> compressor(Sink sink, DType dtype,
                                                               std::span<const std::uint64_t> inner_extent,
                                                               const Options& options) = 0;
  virtual Result<std::unique_ptr<StreamDecompressor>> decompressor(Sink sink,
                                                                   const DecodeOptions& options) = 0;

  /// Whether its memory is better than any other.
  [[nodiscard]] virtual bool wants_own_memory() const = 0;
  virtual Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes) = 0;
  virtual Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in,
                                            DType dtype, const Extent& extent, const Options& options) = 0;
  virtual Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                            const DecodeOptions& options) = 0;
};

std::unique_ptr<Engine> cpu_engine();

/// GPUs with these numbers; empty: all. Errors: device_error if there are none, or this program was built
/// without CUDA.
Result<std::unique_ptr<Engine>> cuda_engine(std::span<const std::uint32_t> indices);

/// The engines of one run, as --device wants them.
class Engines {
 public:
  /// Throws a Failure if there are no such devices.
  explicit Engines(const Arguments& arguments);

  /// What compresses `file`. If the user named devices that do not have the codec, it is the CPU, and the
  /// user is told.
  Engine& for_compression(const std::string& file, DType dtype, const Options& options);
  /// What decompresses; call tell_if_replaced() afterwards.
  Engine& for_decompression() { return devices_ ? *devices_ : *cpu_; }
  void tell_if_replaced(const std::string& file, const StreamDecompressor& decompressor) const;

 private:
  void tell(const std::string& file, std::string_view codec) const;

  bool wants_notes_;  ///< Whether the user named devices and is not --quiet.
  std::unique_ptr<Engine> cpu_;
  std::unique_ptr<Engine> devices_;  ///< Null if the CPU does all.
};

}  // namespace floe::cli
