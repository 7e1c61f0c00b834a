// Items at equal distances, and frames one behind the other.
#include <cuda_runtime.h>

#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "floe/cuda.hpp"
#include "gpu/host/launch.hpp"

namespace floe::cuda {
namespace {

using gpu::CudaCalls;
using gpu::DeviceShape;
using gpu::invalid;
using gpu::LaunchShape;

constexpr std::uint64_t frame_alignment = 16;
constexpr std::uint32_t threads = 256, scan_threads = 1024;
constexpr std::uint64_t piece_bytes = 4096;  // that a warp copies at a time
constexpr std::uint64_t max_items = std::uint64_t{1} << 40;

struct StridedJob {
  BatchItem* items;
  std::uint64_t count;
  StridedMemory in, out;
};

struct PackJob {
  const BatchItem* items;
  const ItemResult* results;
  std::uint64_t count;
  std::uint8_t* packed;
  std::uint64_t packed_bytes;
  FrameRange* ranges;
  ItemResult* result;
};

struct PackedJob {
  BatchItem* items;
  std::uint64_t count;
  const std::uint8_t* packed;
  std::uint64_t packed_bytes;
  const FrameRange* ranges;
  StridedMemory out;
};

__device__ std::uint64_t thread_of_grid() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t threads_of_grid() { return std::uint64_t{gridDim.x} * blockDim.x; }
__device__ std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + frame_alignment - 1) / frame_alignment * frame_alignment;
}
__device__ void* slot_of(const StridedMemory& memory, std::uint64_t i) {
  return static_cast<std::uint8_t*>(memory.data) + i * memory.distance;
}

__global__ void __launch_bounds__(threads) write_strided_items(const __grid_constant__ StridedJob job) {
  for (std::uint64_t i = thread_of_grid(); i < job.count; i += threads_of_grid())
    job.items[i] = {slot_of(job.in, i), job.in.bytes, slot_of(job.out, i), job.out.bytes};
}

__global__ void __launch_bounds__(threads) write_packed_items(const __grid_constant__ PackedJob job) {
  for (std::uint64_t i = thread_of_grid(); i < job.count; i += threads_of_grid()) {
    const FrameRange range = job.ranges[i];
    const bool fits = range.offset % frame_alignment == 0 && range.offset <= job.packed_bytes &&
                      range.bytes <= job.packed_bytes - range.offset;
    job.items[i] = {job.packed + (fits ? range.offset : 0), fits ? range.bytes : 0, slot_of(job.out, i),
                    job.out.bytes};
  }
}

/// One block adds up the frames before each.
__global__ void __launch_bounds__(scan_threads) find_ranges(const __grid_constant__ PackJob job) {
  using Scan = cub::BlockScan<std::uint64_t, scan_threads>;
  __shared__ typename Scan::TempStorage memory;
  std::uint64_t total = 0;
  for (std::uint64_t first = 0; first < job.count; first += scan_threads) {
    const std::uint64_t i = first + threadIdx.x;
    const ItemResult made = i < job.count ? job.results[i] : ItemResult{};
    const std::uint64_t bytes = made.code == static_cast<std::uint32_t>(ErrorCode::ok) ? made.bytes : 0;
    std::uint64_t before = 0, sum = 0;
    Scan(memory).ExclusiveSum(aligned(bytes), before, sum);
    if (i < job.count) job.ranges[i] = {total + before, bytes};
    total += sum;
    __syncthreads();  // the scan's memory is used again
  }
  if (threadIdx.x != 0) return;
  const bool fits = total <= job.packed_bytes;
  *job.result = {total, ~std::uint64_t{0},
                 static_cast<std::uint32_t>(fits ? ErrorCode::ok : ErrorCode::output_too_small), 0};
}

/// The last frame that begins at `at` or before, of those that have bytes.
__device__ std::uint64_t frame_at(const PackJob& job, std::uint64_t at) {
  std::uint64_t low = 0, high = job.count;  // ranges[low].offset <= at < ranges[high].offset
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (job.ranges[middle].offset <= at ? low : high) = middle;
  }
  return low;
}

/// 16 bytes of a frame, of which only `bytes` exist. Frames begin at multiples of 16.
__device__ uint4 load_unit(const std::uint8_t* from, std::uint64_t bytes) {
  if (bytes >= frame_alignment) return *reinterpret_cast<const uint4*>(from);
  std::uint32_t words[4] = {};
  for (std::uint32_t i = 0; i < bytes; ++i) words[i / 4] |= std::uint32_t{from[i]} << i % 4 * 8;
  return {words[0], words[1], words[2], words[3]};
}

__global__ void __launch_bounds__(threads) copy_frames(const __grid_constant__ PackJob job) {
  if (job.result->code != static_cast<std::uint32_t>(ErrorCode::ok)) return;
  const std::uint64_t total = job.result->bytes;
  const std::uint32_t lane = threadIdx.x % 32;
  for (std::uint64_t piece = thread_of_grid() / 32 * piece_bytes; piece < total;
       piece += threads_of_grid() / 32 * piece_bytes) {
    const std::uint64_t end = piece + piece_bytes < total ? piece + piece_bytes : total;
    for (std::uint64_t frame = frame_at(job, piece); frame < job.count && job.ranges[frame].offset < end;
         ++frame) {
      const FrameRange range = job.ranges[frame];
      const std::uint64_t first = range.offset > piece ? range.offset : piece,
                          frame_end = range.offset + aligned(range.bytes);
      const std::uint64_t last = frame_end < end ? frame_end : end;
      const auto* const from = static_cast<const std::uint8_t*>(job.items[frame].out);
      for (std::uint64_t at = first + lane * frame_alignment; at < last; at += 32 * frame_alignment) {
        const std::uint64_t in_frame = at - range.offset;
        *reinterpret_cast<uint4*>(job.packed + at) = load_unit(from + in_frame, range.bytes - in_frame);
      }
    }
  }
}

/// A thread per item, as far as that fills the device.
LaunchShape shape_for(std::uint64_t items, const DeviceShape& device) {
  const std::uint64_t max_blocks = std::uint64_t{device.multiprocessors} * 8;
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(items / threads, 1, max_blocks)), threads};
}

template <class Job>
Status enqueue_for_items(void (*kernel)(Job), const Job& job, cudaStream_t stream) {
  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  launch(calls, kernel, shape_for(job.count, device), job, stream);
  return calls.status();
}

}  // namespace

Status strided_items_async(BatchItem* items, std::uint64_t count, const StridedMemory& in,
                           const StridedMemory& out, cudaStream_t stream) {
  if (count == 0) return {};
  if (items == nullptr || count > max_items) return invalid("no room for items, or too many of them");
  if ((in.data == nullptr && in.bytes > 0) || (out.data == nullptr && out.bytes > 0))
    return invalid("a null address");
  return enqueue_for_items(write_strided_items, StridedJob{items, count, in, out}, stream);
}

Status packed_items_async(BatchItem* items, std::uint64_t count, const void* packed,
                          std::uint64_t packed_bytes, const FrameRange* ranges, const StridedMemory& out,
                          cudaStream_t stream) {
  if (count == 0) return {};
  if (items == nullptr || ranges == nullptr || count > max_items)
    return invalid("no room for items, no ranges, or too many of them");
  if (packed == nullptr || (out.data == nullptr && out.bytes > 0)) return invalid("a null address");
  if (reinterpret_cast<std::uintptr_t>(packed) % frame_alignment != 0)
    return invalid("packed frames do not begin at a multiple of 16");
  return enqueue_for_items(
      write_packed_items,
      PackedJob{items, count, static_cast<const std::uint8_t*>(packed), packed_bytes, ranges, out}, stream);
}

Status pack_frames_async(const BatchItem* items, const ItemResult* results, std::uint64_t count, void* packed,
                         std::uint64_t packed_bytes, FrameRange* ranges, ItemResult* result,
                         cudaStream_t stream) {
  if (result == nullptr || count > max_items) return invalid("no room for the result, or too many items");
  if (count > 0 && (items == nullptr || results == nullptr || ranges == nullptr))
    return invalid("a null address");
  if (packed == nullptr && packed_bytes > 0) return invalid("a null address");
  if (reinterpret_cast<std::uintptr_t>(packed) % frame_alignment != 0)
    return invalid("packed frames do not begin at a multiple of 16");
  const PackJob job{items, results, count, static_cast<std::uint8_t*>(packed), packed_bytes, ranges, result};
  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  launch(calls, find_ranges, LaunchShape{1, scan_threads}, job, stream);
  // How much there is to copy, only the device knows.
  const std::uint64_t pieces = packed_bytes / piece_bytes + 1;
  launch(calls, copy_frames, shape_for(pieces * 32, device), job, stream);
  return calls.status();
}

}  // namespace floe::cuda
