// Frames of a codec with a stage over the segment, on the device: matches from sorted words, chunks of both
// kinds to slots, the choice between the kinds, and payloads from their slots to their offsets in frames.
// docs/format/codecs/dpratio.md has the format.
#pragma once

#include "gpu/chunks/compress_chunks.cuh"
#include "gpu/chunks/tops_encoder.hpp"
#include "gpu/frames/frame_block.cuh"
#include "gpu/frames/write_frames.hpp"
#include "gpu/history/history_content.cuh"
#include "gpu/history/match_links.hpp"
#include "gpu/history/match_words.hpp"

namespace floe::gpu {

/// Marks the tiles of sorted records, and gives all words no link. Both lie over what is not needed any more.
__global__ void __launch_bounds__(32 * history_warps) mark_tiles(const __grid_constant__ CompressJob job) {
  DeviceWarp warp;
  for (std::uint32_t chunk = warp_number(); chunk < job.counters->chunk_count; chunk += warp_total()) {
    const HistoryContent segment = HistoryContent::of_chunk(job, chunk);
    const std::uint64_t first =
        segment.first_word() + std::uint64_t{chunk - segment.first_chunk} * chunk_words;
    auto* const links = reinterpret_cast<uint4*>(job.history.links + first);
#pragma unroll 4
    for (std::uint32_t i = warp.lane(); i < chunk_words / 4; i += warp_lanes) links[i] = uint4{};
    if (segment.tile_records(chunk) != chunk_words) continue;
    const SortRecord* const sorted = job.history.records[(sort_passes - 1) % 2] + first;
    mark_tile(
        warp, [&](std::uint32_t t) { return sorted[t]; },
        [&](std::uint32_t word, std::uint32_t marks) {
          job.history.tile_marks[std::uint64_t{chunk} * TileMarks::words + word] = marks;
        });
  }
}

/// Words get their links.
__global__ void __launch_bounds__(32 * history_warps) link_tiles(const __grid_constant__ CompressJob job) {
  DeviceWarp warp;
  for (std::uint32_t chunk = warp_number(); chunk < job.counters->chunk_count; chunk += warp_total()) {
    const HistoryContent segment = HistoryContent::of_chunk(job, chunk);
    const SortRecord* const sorted = job.history.records[(sort_passes - 1) % 2] + segment.first_word();
    const std::uint32_t* const marks =
        job.history.tile_marks + std::uint64_t{segment.first_chunk} * TileMarks::words;
    std::uint32_t* const links = job.history.links + segment.first_word();
    link_records(
        warp, (chunk - segment.first_chunk) * chunk_words, segment.tile_records(chunk),
        PositionBits(segment.words()), [&](std::uint32_t t) { return sorted[t]; },
        [&](std::uint32_t i) { return marks[i]; },
        [&](std::uint32_t index, std::uint32_t link) { links[index] = link; });
  }
}

__global__ void __launch_bounds__(32 * history_warps) match_tiles(const __grid_constant__ CompressJob job) {
  DeviceWarp warp;
  for (std::uint32_t chunk = warp_number(); chunk < job.counters->chunk_count; chunk += warp_total()) {
    const HistoryContent segment = HistoryContent::of_chunk(job, chunk);
    const std::uint32_t* const links = job.history.links + segment.first_word();
    std::uint32_t* const distances = job.history.distances + segment.first_word();
    with_words(segment.segment_words(), [&](const auto& words) {
      match_words(
          warp, words, (chunk - segment.first_chunk) * chunk_words, segment.tile_records(chunk),
          [&](std::uint32_t i) { return links[i]; },
          [&](std::uint32_t i, std::uint32_t distance) { distances[i] = distance; });
    });
  }
}

/// Whether a chunk holds nothing but distances of 0.
template <class Source>
__device__ inline bool is_zero(DeviceWarp, const Source&, std::uint32_t) {
  return false;  // a shortcut: zeros of another kind are encoded like all others
}
__device__ inline bool is_zero(DeviceWarp warp, const OneKindSource& source, std::uint32_t chunk_bytes) {
  if (source.words != nullptr) return false;
  std::uint32_t any = 0;
#pragma unroll 8
  for (std::uint32_t i = warp.lane(); i < chunk_bytes / 8; i += warp_lanes) any |= source.distances[i];
  return warp.ballot(any != 0) == 0;
}

/// Encodes one chunk into its slot, or leaves it there as it is.
template <class Source>
__device__ inline void encode_slot(const CompressJob& job, std::uint8_t* buffer, const Source& source,
                                   std::uint32_t chunk_bytes, std::uint32_t slot,
                                   std::uint64_t* payload_bytes) {
  DeviceWarp warp;
  std::uint8_t* const payload = job.history.slots + std::uint64_t{slot} * core::chunk_bytes;
  std::uint32_t stored = is_zero(warp, source, chunk_bytes)
                             ? TopsEncoder::encode_zeros(warp, chunk_bytes, payload)
                             : TopsEncoder::encode(warp, buffer, source, chunk_bytes, payload);
  const bool raw = stored == stored_raw;
  if (raw) {
    stored = chunk_bytes;
    for (std::uint32_t i = warp.lane(); i < (chunk_bytes + 15) / 16 * 2; i += warp_lanes)
      store_aligned(payload + 8 * i, 8 * i < chunk_bytes ? source.word(i) : std::uint64_t{0});
  }
  if (warp.lane() == 0) {
    const std::uint64_t mode = raw ? chunks::mode_raw : chunks::mode_coded;
    job.entries[slot] = std::uint64_t{stored} << 32 | mode << 48;
    atomic_add(payload_bytes, std::uint64_t{padded32(stored)});
  }
  warp.sync();
}

/// Encodes the chunks of values and distances of all segments, or of content where history does not pay.
__global__ void __launch_bounds__(32 * TopsLayout::max_warps, 1)
    encode_slots(const __grid_constant__ HistoryStep step) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const CompressJob& job = step.job;
  std::uint8_t* const buffer =
      shared + threadIdx.x / warp_lanes * ChunkMemory::warp_bytes(TopsEncoder::encode_bytes);
  const unsigned kind = step.number;
  const std::uint64_t count = std::uint64_t{job.counters->chunk_count} << kind;
  for (std::uint64_t number = warp_number(); number < count; number += warp_total()) {
    const HistoryContent segment = HistoryContent::of_chunk(job, static_cast<std::uint32_t>(number >> kind));
    if (kind == 0 && segment.kind() != 0) {  // on to the next segment
      number += (segment.first_chunk + segment.content_chunks() - 1 - number) / warp_total() * warp_total();
      continue;
    }
    const auto chunk = static_cast<std::uint32_t>(number - (std::uint64_t{segment.first_chunk} << kind));
    if (chunk >= segment.coded_chunks(kind)) continue;
    const std::uint64_t begin = std::uint64_t{chunk} * core::chunk_bytes,
                        rest = segment.coded_bytes(kind) - begin;
    const auto chunk_bytes = static_cast<std::uint32_t>(rest < core::chunk_bytes ? rest : core::chunk_bytes);
    const SegmentWords words = segment.segment_words();
    const std::uint32_t slot = 2 * segment.first_chunk + chunk;
    std::uint64_t* const sum = &segment.unit().payload_bytes[kind];
    const std::uint32_t* const distances = job.history.distances + segment.first_word();
    const std::uint32_t first = chunk * chunk_words, end = first + chunk_bytes / 8;
    if (kind == 0) {
      with_words({words.bytes + begin, words.aligned}, [&](const auto& content) {
        encode_slot(job, buffer, ContentSource<std::remove_cvref_t<decltype(content)>>{content, chunk_bytes},
                    chunk_bytes, slot, sum);
      });
    } else if (first >= segment.words() || (end <= segment.words() && words.aligned)) {
      const bool values = first < segment.words();
      const OneKindSource source{values ? words.bytes + begin : nullptr,
                                 distances + (values ? first : first - segment.words())};
      encode_slot(job, buffer, source, chunk_bytes, slot, sum);
    } else {
      encode_slot(job, buffer, HistorySource{words, distances, segment.words(), first}, chunk_bytes, slot,
                  sum);
    }
  }
}

/// Adds up the segments of every frame, which gives them their offsets.
__device__ inline void locate_segments(FrameBlock& block, const CompressJob& job) {
  std::uint64_t* const totals = block.memory().warp_totals;
  for (std::uint64_t i = blockIdx.x; i < job.item_count; i += gridDim.x) {
    CompressItem& item = job.items[i];
    const std::uint32_t segments = FrameGeometry{job.rules, item.content_bytes}.segment_count();
    std::uint64_t offset = job.rules.header_bytes;
    for (std::uint32_t first = 0; first < segments; first += frame_threads) {
      const std::uint32_t s = first + threadIdx.x;
      const HistoryContent segment(job, item, s < segments ? s : 0);
      const BlockScan bytes = block_scan(block, totals, s < segments ? segment.bytes() : 0);
      if (s < segments) segment.unit().offset = offset + bytes.before;
      offset += bytes.total;
    }
    if (threadIdx.x == 0) item.footer_offset = offset;
  }
}

/// Adds up the chunks of every segment.
__device__ inline void locate_chunks(FrameBlock& block, const CompressJob& job) {
  for (std::uint32_t unit = blockIdx.x; unit < job.counters->unit_count; unit += gridDim.x) {
    const HistoryContent segment = HistoryContent::of_unit(job, unit);
    if (!segment.exists()) continue;
    const std::uint32_t chunk_count = segment.coded_chunks(segment.kind()), slot = 2 * segment.first_chunk;
    std::uint32_t offset = 0;
    for (std::uint32_t first = 0; first < chunk_count; first += scanned_rows * frame_threads) {
      std::uint32_t bytes[scanned_rows];
#pragma unroll
      for (unsigned i = 0; i < scanned_rows; ++i) {
        const std::uint32_t chunk = first + i * frame_threads + threadIdx.x;
        bytes[i] =
            chunk < chunk_count ? padded32(static_cast<std::uint16_t>(job.entries[slot + chunk] >> 32)) : 0;
      }
      const std::uint32_t all = scan_rows(block, block.memory().row_totals, bytes);
#pragma unroll
      for (unsigned i = 0; i < scanned_rows; ++i) {
        const std::uint32_t chunk = first + i * frame_threads + threadIdx.x;
        if (chunk < chunk_count) job.history.offsets[slot + chunk] = offset + bytes[i];
      }
      offset += all;
    }
  }
}

/// Copies the payloads to their frames and adds their checksums to the entries.
__global__ void __launch_bounds__(32 * history_warps) copy_slots(const __grid_constant__ CompressJob job) {
  __shared__ ChecksumTables weights;
  load_weights(weights);
  DeviceWarp warp;
  const std::uint64_t count = 2 * std::uint64_t{job.counters->chunk_count};
  for (std::uint64_t slot = warp_number(); slot < count; slot += warp_total()) {
    const HistoryContent segment = HistoryContent::of_chunk(job, static_cast<std::uint32_t>(slot / 2));
    const std::uint32_t chunk_count = segment.coded_chunks(segment.kind());
    if (slot - 2 * segment.first_chunk >= chunk_count) continue;
    const std::uint8_t* const payload = job.history.slots + slot * core::chunk_bytes;
    const std::uint64_t entry = job.entries[slot];
    const std::uint32_t padded = padded32(static_cast<std::uint16_t>(entry >> 32));
    const std::uint64_t offset = segment.unit().offset +
                                 segment_header_bytes(chunk_count, job.rules.checksums) +
                                 job.history.offsets[slot];
    const bool fits = offset + padded <= segment.item.capacity;
    const std::uint32_t checksum = payload_checksum(warp, payload, padded, weights,
                                                    [&](std::uint32_t at, const Vector<std::uint32_t>& v) {
                                                      if (fits)
                                                        store_aligned(segment.item.out + offset + at, v);
                                                    });
    if (warp.lane() == 0) job.entries[slot] = entry | (job.rules.checksums ? checksum : 0);
  }
}

__global__ void __launch_bounds__(frame_threads) locate_parts(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  locate_segments(block, job);
  locate_chunks(block, job);
}

__global__ void __launch_bounds__(frame_threads) finish_history(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  load_crc_tables(block);
  block.sync();
  for (std::uint32_t unit = blockIdx.x; unit < job.counters->unit_count; unit += gridDim.x)
    finish_leaf<WrittenHistory>(block, job, unit);
}

}  // namespace floe::gpu
