#include "calls.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "memory.hpp"
#include "scratch.hpp"

namespace floe::python {
namespace {

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
                               DeviceStream queue) {
  constexpr std::uint64_t batch_bytes = std::uint64_t{256} << 20;
  const std::uint64_t width = size_of(array.dtype), words = std::max<std::uint64_t>(array.bytes / width, 1);
  Planner& planner = planner_of(queue.device, array.dtype);
  const std::lock_guard lock(planner.mutex);
  if (planner.words < words) {
    planner.encoder.reset();
    planner.encoder.emplace(
        cuda::PlannedEncoder::create(array.dtype, words, cuda::usual_segment_words, batch_bytes / width)
            .value());
    planner.words = words;
  }
  planner.encoder->forget();  // the bytes shall not depend on what was compressed before
  Scratch scratch(0, queue);
  planner.encoder
      ->compress(item, array.dtype, array.extent, options, scratch.result(), stream_of(queue.stream))
      .or_throw();
  return scratch.outcome().bytes;
}

}  // namespace

std::uint64_t compress(const DeviceArray& array, const Options& options, std::uint64_t workspace_bytes,
                       DeviceBytes room, DeviceStream queue) {
  const CurrentDevice current(queue.device);
  const cuda::BatchItem item{reinterpret_cast<const void*>(array.data), array.bytes,
                             reinterpret_cast<void*>(room.data), room.bytes};
  if (options.tree.empty()) return compress_planned(item, array, options, queue);
  Scratch scratch(workspace_bytes, queue);
  cuda::compress_async(item, array.dtype, array.extent, options, scratch.result(), scratch.workspace(),
                       stream_of(queue.stream))
      .or_throw();
  return scratch.outcome().bytes;
}

void decompress(DeviceBytes frame, const cuda::FrameKind& kind, Slice slice, std::uint64_t workspace_bytes,
                DeviceBytes room, DeviceStream queue) {
  const CurrentDevice current(queue.device);
  Scratch scratch(workspace_bytes, queue);
  const cuda::BatchItem item{reinterpret_cast<const void*>(frame.data), frame.bytes,
                             reinterpret_cast<void*>(room.data), room.bytes};
  cuda::decompress_slice_async(item, kind, slice, scratch.result(), scratch.workspace(),
                               stream_of(queue.stream))
      .or_throw();
  (void)scratch.outcome();
}

std::vector<ErrorCode> decompress_all(std::span<const cuda::BatchItem> frames, const cuda::FrameKind& kind,
                                      DeviceStream queue) {
  if (frames.empty()) return {};
  const CurrentDevice current(queue.device);
  const cudaStream_t stream = stream_of(queue.stream);
  const std::uint64_t total =
      std::accumulate(frames.begin(), frames.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const cuda::BatchItem& item) { return sum + item.out_bytes; });
  Scratch scratch(cuda::decompress_workspace_size(total, frames.size(), kind).value(), queue);
  const Memory items(frames.size_bytes(), queue.device, queue.stream);
  const Memory results(frames.size() * sizeof(cuda::ItemResult), queue.device, queue.stream);
  check(cudaMemcpyAsync(items.data(), frames.data(), frames.size_bytes(), cudaMemcpyHostToDevice, stream));
  cuda::decompress_batch_async(reinterpret_cast<const cuda::BatchItem*>(items.data()), frames.size(), total,
                               kind, reinterpret_cast<cuda::ItemResult*>(results.data()), scratch.workspace(),
                               stream)
      .or_throw();
  std::vector<cuda::ItemResult> told(frames.size());
  check(cudaMemcpyAsync(told.data(), results.data(), results.bytes(), cudaMemcpyDeviceToHost, stream));
  scratch.wait();
  std::vector<ErrorCode> codes;
  for (const cuda::ItemResult& result : told) codes.push_back(static_cast<ErrorCode>(result.code));
  return codes;
}

}  // namespace floe::python
