// How long do the calls of floe/cuda.hpp take that floe.cuda makes? A library that device_calls.py loads, so
// that both are called in turn in one process. Times are seconds until the result of a call is known on the
// host, with memory that is there.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "floe/cuda.hpp"

namespace {

using floe::cuda::ItemResult;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct FreeOnDevice {
  void operator()(char* memory) const { (void)cudaFreeAsync(memory, nullptr); }
};
using DeviceMemory = std::unique_ptr<char, FreeOnDevice>;

/// Of a pool, as Python's.
DeviceMemory device_memory(std::uint64_t bytes) {
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, bytes + 256, nullptr));
  return DeviceMemory(static_cast<char*>(memory));
}

ItemResult* pinned_result() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(ItemResult), cudaHostAllocDefault));
  return static_cast<ItemResult*>(memory);
}

template <class Call>
double seconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// An array of one dimension on the device, where it is decoded to, memory for any frame of it, and what its
/// calls need. Without a codec the planner chooses.
class Calls {
 public:
  Calls(const char* array, char* out, char* frame, std::uint64_t bytes, floe::DType dtype, std::string codec)
      : array_(array), out_(out), frame_(frame), bytes_(bytes), dtype_(dtype), codec_(std::move(codec)) {
    options_.profile = floe::Profile::gpu;
    options_.tree = codec_;
    room_ = floe::max_compressed_size(dtype, extent(), options_).value();
    decoding_ = workspace(floe::cuda::decompress_workspace_size(bytes, 1, kind()).value(), decoding_memory_);
    if (codec_.empty()) {
      const std::uint64_t batch = (std::uint64_t{256} << 20) / floe::size_of(dtype);
      encoder_.emplace(
          floe::cuda::PlannedEncoder::create(dtype, extent().size[0], floe::cuda::usual_segment_words, batch)
              .value());
    } else {
      encoding_ =
          workspace(floe::cuda::compress_workspace_size(bytes, 1, dtype, options_).value(), encoding_memory_);
    }
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() { (void)cudaFreeHost(result_); }

  void compress() {
    const floe::cuda::BatchItem item{array_, bytes_, frame_, room_};
    if (encoder_) {
      encoder_->forget();
      encoder_->compress(item, dtype_, extent(), options_, result_, nullptr).or_throw();
    } else {
      floe::cuda::compress_async(item, dtype_, extent(), options_, result_, encoding_, nullptr).or_throw();
    }
    finish();
    frame_bytes_ = result_->bytes;
  }

  void decompress() {
    floe::cuda::decompress_async({frame_, frame_bytes_, out_, bytes_}, kind(), result_, decoding_, nullptr)
        .or_throw();
    finish();
  }

 private:
  [[nodiscard]] floe::Extent extent() const { return floe::Extent::linear(bytes_ / floe::size_of(dtype_)); }
  [[nodiscard]] floe::cuda::FrameKind kind() const { return {dtype_, options_.tree, 0}; }

  static floe::cuda::Workspace workspace(std::uint64_t bytes, DeviceMemory& memory) {
    memory = device_memory(bytes);
    return {memory.get(), bytes};
  }

  void finish() const {
    check(cudaStreamSynchronize(nullptr));
    if (result_->code != 0)
      throw std::runtime_error(floe::name_of(static_cast<floe::ErrorCode>(result_->code)));
  }

  const char* array_;
  char *out_, *frame_;
  std::uint64_t bytes_, room_ = 0, frame_bytes_ = 0;
  floe::DType dtype_;
  std::string codec_;
  floe::Options options_;
  std::optional<floe::cuda::PlannedEncoder> encoder_;
  DeviceMemory encoding_memory_, decoding_memory_;
  floe::cuda::Workspace encoding_, decoding_;
  ItemResult* result_ = pinned_result();
};

/// Errors are printed, and end the process: this is a benchmark.
template <class Call>
auto or_exit(const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(1);
  }
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)
Calls* calls_new(const char* array, char* out, char* frame, std::uint64_t bytes, const char* dtype,
                 const char* codec);
void calls_delete(const Calls* calls);
double calls_compress(Calls* calls);
double calls_decompress(Calls* calls);
#pragma GCC visibility pop
}

Calls* calls_new(const char* array, char* out, char* frame, std::uint64_t bytes, const char* dtype,
                 const char* codec) {
  return or_exit(
      [&] { return new Calls(array, out, frame, bytes, floe::dtype_from_name(dtype).value(), codec); });
}
void calls_delete(const Calls* calls) { delete calls; }
double calls_compress(Calls* calls) {
  return or_exit([&] { return seconds([&] { calls->compress(); }); });
}
double calls_decompress(Calls* calls) {
  return or_exit([&] { return seconds([&] { calls->decompress(); }); });
}
