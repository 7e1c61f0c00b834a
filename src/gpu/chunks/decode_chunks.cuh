// Payloads back to chunks: the kernel, for any coder of this folder. What payloads hold is not trusted.
#pragma once

#include "gpu/chunks/compress_chunks.cuh"
#include "gpu/chunks/sink.hpp"

namespace floe::gpu {

/// True if the bytes from `stored` up to a multiple of 16 are zero.
__device__ inline bool padding_is_zero(DeviceWarp warp, const std::uint8_t* payload, std::uint32_t stored) {
  const std::uint32_t at = stored + warp.lane();
  return warp.ballot(at < padded32(stored) && payload[at] != 0) == 0;
}

__device__ inline void report_fault(DeviceWarp warp, const DecodeJob& job, const ChunkTask& task) {
  if (warp.lane() != 0) return;
  ItemResult& result = job.results[task.item];
  atomicAdd(&result.failed_chunks, 1);
  if (task.payload == nullptr) return;  // the fault of its segment has been reported
  atomicExch(&result.code, static_cast<std::uint32_t>(ErrorCode::corrupt_frame));
  const auto offset = static_cast<unsigned long long>(task.payload - job.items[task.item].frame);
  atomicMin(reinterpret_cast<unsigned long long*>(&result.byte_offset), offset);
}

template <class Coder>
__global__ void __launch_bounds__(32 * Coder::max_warps, 1)
    decode_chunks(const __grid_constant__ DecodeJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& memory = *reinterpret_cast<ChunkMemory*>(shared);
  begin_chunks(memory);
  DeviceWarp warp;
  const unsigned warp_index = threadIdx.x / warp_lanes;
  std::uint8_t* const buffer =
      shared + ChunkMemory::fixed_bytes + warp_index * ChunkMemory::warp_bytes(Coder::decode_bytes);
  WarpCopies copies(warp, &memory.barriers[warp_index]);
  const std::uint32_t chunk_count = job.counters->chunk_count;

  std::uint32_t ticket = warp.shuffle(take_ticket(warp, job.counters), 0);
  while (ticket < chunk_count) {
    const ChunkTask task = job.tasks[ticket];
    const std::uint32_t padded = padded32(task.stored_bytes);
    std::uint8_t* const payload = buffer + Coder::payload_begin(padded);
    if (task.payload != nullptr) copies.start_load(payload, task.payload, padded);
    const std::uint32_t next_ticket = take_ticket(warp, job.counters);
    const ChunkSink sink{task.chunk, task.begin, task.end,
                         task.begin == 0 && task.end == task.chunk_bytes && is_aligned(task.chunk)};

    bool good = task.payload != nullptr;
    if (good) {
      copies.finish_load();
      good =
          padding_is_zero(warp, payload, task.stored_bytes) &&
          (task.checksums == 0 || payload_checksum(warp, payload, padded, memory.weights) == task.checksum);
    }
    if (good && task.mode == chunks::mode_raw) {
      for (std::uint32_t i = 16 * warp.lane(); i + 16 <= task.stored_bytes; i += 16 * warp_lanes)
        sink.put_vector(i, load_aligned<Vector<std::uint32_t>>(payload + i));
      const std::uint32_t i = task.stored_bytes / 16 * 16 + warp.lane();
      if (i < task.stored_bytes) sink.put_byte(i, payload[i]);
    } else if (good) {
      good = Coder::decode(warp, buffer, task.stored_bytes, task.chunk_bytes, task.dimensionality, sink);
    }
    if (!good) {
      for (std::uint32_t i = warp.lane(); i < task.chunk_bytes; i += warp_lanes) sink.put_byte(i, 0);
      report_fault(warp, job, task);
    }
    ticket = warp.shuffle(next_ticket, 0);
    warp.sync();
  }
  copies.end();
}

}  // namespace floe::gpu
