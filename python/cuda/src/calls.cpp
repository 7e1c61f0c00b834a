#include "calls.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "memory.hpp"

namespace floe::python {
namespace {

constexpr std::uint64_t result_bytes = 256;

/// Memory of the host to which devices write results. It lives as long as the process.
class ResultSlots {
 public:
  cuda::ItemResult* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        cuda::ItemResult* const slot = free_.back();
        free_.pop_back();
        return slot;
      }
    }
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(cuda::ItemResult), cudaHostAllocPortable));
    return static_cast<cuda::ItemResult*>(memory);
  }
  void give_back(cuda::ItemResult* slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }

 private:
  std::mutex mutex_;
  std::vector<cuda::ItemResult*> free_;
};

ResultSlots& result_slots() {
  static auto* const slots = new ResultSlots;
  return *slots;
}

const char* detail_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::corrupt_frame:
      return "the frame is damaged";
    case ErrorCode::unsupported_codec:
      return "GPUs do not decode all encodings of this frame";
    case ErrorCode::out_of_memory:
      return "segments are longer than the call made room for";
    default:
      return "";
  }
}

/// Waits, and throws what the device says of its work.
cuda::ItemResult outcome(const std::byte* result, cudaStream_t stream) {
  cuda::ItemResult* const slot = result_slots().take();
  cudaError_t error = cudaMemcpyAsync(slot, result, sizeof *slot, cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  const cuda::ItemResult copy = *slot;
  result_slots().give_back(slot);
  check(error);
  const auto code = static_cast<ErrorCode>(copy.code);
  if (code != ErrorCode::ok) {
    const bool has_offset = copy.byte_offset != ~std::uint64_t{0};
    throw Error({code, has_offset ? copy.byte_offset : 0, detail_of(code)});
  }
  return copy;
}

/// A result and a workspace behind it.
struct CallMemory {
  CallMemory(std::uint64_t workspace_bytes, Place place)
      : memory(result_bytes + workspace_bytes, place.device, place.stream),
        workspace{memory.data() + result_bytes, workspace_bytes} {}
  [[nodiscard]] cuda::ItemResult* result() const {
    return reinterpret_cast<cuda::ItemResult*>(memory.data());
  }
  Memory memory;
  cuda::Workspace workspace;
};

/// A planner of a device for one type, with memory for so many words.
struct Planner {
  std::mutex mutex;
  std::uint64_t words = 0;
  std::optional<cuda::PlannedEncoder> encoder;
};

Planner& planner_of(int device, DType dtype) {
  static std::mutex mutex;
  static auto* const all = new std::map<std::pair<int, DType>, std::unique_ptr<Planner>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Planner>& planner = (*all)[{device, dtype}];
  if (!planner) planner = std::make_unique<Planner>();
  return *planner;
}

std::uint64_t compress_planned(const cuda::BatchItem& item, const DeviceArray& array, const Options& options,
                               Place place) {
  constexpr std::uint64_t batch_bytes = std::uint64_t{256} << 20;
  const std::uint64_t width = size_of(array.dtype), words = std::max<std::uint64_t>(array.bytes / width, 1);
  Planner& planner = planner_of(place.device, array.dtype);
  const std::lock_guard lock(planner.mutex);
  if (planner.words < words) {
    planner.encoder.reset();
    planner.encoder.emplace(
        cuda::PlannedEncoder::create(array.dtype, words, cuda::usual_segment_words, batch_bytes / width)
            .value());
    planner.words = words;
  }
  planner.encoder->forget();  // the bytes shall not depend on what was compressed before
  const CallMemory memory(0, place);
  planner.encoder
      ->compress(item, array.dtype, array.extent, options, memory.result(), stream_of(place.stream))
      .or_throw();
  return outcome(memory.memory.data(), stream_of(place.stream)).bytes;
}

}  // namespace

std::uint64_t compress(const DeviceArray& array, const Options& options, DeviceBytes room, Place place) {
  const CurrentDevice current(place.device);
  const cuda::BatchItem item{reinterpret_cast<const void*>(array.data), array.bytes,
                             reinterpret_cast<void*>(room.data), room.bytes};
  if (options.tree.empty()) return compress_planned(item, array, options, place);
  const CallMemory memory(cuda::compress_workspace_size(array.bytes, 1, array.dtype, options).value(), place);
  cuda::compress_async(item, array.dtype, array.extent, options, memory.result(), memory.workspace,
                       stream_of(place.stream))
      .or_throw();
  return outcome(memory.memory.data(), stream_of(place.stream)).bytes;
}

void decompress(DeviceBytes frame, const cuda::FrameKind& kind, Slice slice, DeviceBytes room, Place place) {
  const CurrentDevice current(place.device);
  const CallMemory memory(cuda::decompress_workspace_size(room.bytes, 1, kind).value(), place);
  const cuda::BatchItem item{reinterpret_cast<const void*>(frame.data), frame.bytes,
                             reinterpret_cast<void*>(room.data), room.bytes};
  cuda::decompress_slice_async(item, kind, slice, memory.result(), memory.workspace, stream_of(place.stream))
      .or_throw();
  (void)outcome(memory.memory.data(), stream_of(place.stream));
}

std::vector<ErrorCode> decompress_all(std::span<const cuda::BatchItem> frames, const cuda::FrameKind& kind,
                                      Place place) {
  if (frames.empty()) return {};
  const CurrentDevice current(place.device);
  const cudaStream_t stream = stream_of(place.stream);
  const std::uint64_t total =
      std::accumulate(frames.begin(), frames.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const cuda::BatchItem& item) { return sum + item.out_bytes; });
  const CallMemory memory(cuda::decompress_workspace_size(total, frames.size(), kind).value(), place);
  const Memory items(frames.size_bytes(), place.device, place.stream);
  const Memory results(frames.size() * sizeof(cuda::ItemResult), place.device, place.stream);
  check(cudaMemcpyAsync(items.data(), frames.data(), frames.size_bytes(), cudaMemcpyHostToDevice, stream));
  cuda::decompress_batch_async(reinterpret_cast<const cuda::BatchItem*>(items.data()), frames.size(), total,
                               kind, reinterpret_cast<cuda::ItemResult*>(results.data()), memory.workspace,
                               stream)
      .or_throw();
  std::vector<cuda::ItemResult> told(frames.size());
  check(cudaMemcpyAsync(told.data(), results.data(), results.bytes(), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::vector<ErrorCode> codes;
  for (const cuda::ItemResult& result : told) codes.push_back(static_cast<ErrorCode>(result.code));
  return codes;
}

}  // namespace floe::python
