// Everything of a frame that is no payload, on the device: places before the chunks are encoded; headers,
// heads and footers afterwards.
#pragma once

#include "container/digest.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/warp/block.cuh"

namespace floe::cuda {

/// Checks one array and fills in its item but for the places.
__device__ inline CompressItem make_item(const CompressJob& job, std::uint64_t index) {
  const BatchItem given = job.batch == nullptr ? job.single : job.batch[index];
  CompressItem item;
  item.in = static_cast<const std::uint8_t*>(given.in);
  item.out = static_cast<std::uint8_t*>(given.out);
  item.capacity = given.out_bytes;
  item.content_bytes = given.in_bytes;
  if (job.device_bytes != nullptr) {
    item.content_bytes = *job.device_bytes;
    if (item.content_bytes > given.in_bytes)
      item.code = static_cast<std::uint32_t>(ErrorCode::invalid_argument);
  }
  const std::uint64_t row_bytes = job.row_elements * job.element_bytes;
  const bool whole = row_bytes == 0 ? item.content_bytes == 0 : item.content_bytes % row_bytes == 0;
  const bool placed = reinterpret_cast<std::uintptr_t>(item.out) % format::alignment == 0 &&
                      (item.content_bytes == 0 || item.in != nullptr) &&
                      item.content_bytes <= largest_device_bytes &&
                      (item.capacity == 0 || item.out != nullptr);
  if (!whole || !placed) item.code = static_cast<std::uint32_t>(ErrorCode::invalid_argument);
  return item;
}

__device__ inline void set_up(const CompressJob& job) {
  __shared__ BlockMemory memory;
  std::uint64_t chunks = 0, units = 0;
  for (std::uint64_t base = 0; base < job.item_count; base += block_threads) {
    const std::uint64_t i = base + threadIdx.x;
    CompressItem item;
    std::uint64_t item_chunks = 0, item_units = 0;
    if (i < job.item_count) {
      item = make_item(job, i);
      if (item.code != 0) item.content_bytes = 0;
      const FrameGeometry geometry{job.rules, item.content_bytes};
      item_chunks = geometry.chunk_count();
      item_units = item_chunks == 0 ? 1 : geometry.segment_count();
    }
    const BlockScan chunk_scan = block_scan(memory, item_chunks);
    const BlockScan unit_scan = block_scan(memory, item_units);
    if (i < job.item_count) {
      item.first_chunk = static_cast<std::uint32_t>(chunks + chunk_scan.before);
      item.first_unit = static_cast<std::uint32_t>(units + unit_scan.before);
      job.items[i] = item;
    }
    chunks += chunk_scan.total;
    units += unit_scan.total;
  }
  if (chunks > job.chunk_capacity) {  // the caller's total was too small
    for (std::uint64_t i = threadIdx.x; i < job.item_count; i += block_threads) {
      job.items[i].code = static_cast<std::uint32_t>(ErrorCode::out_of_memory);
      job.items[i].content_bytes = 0;
      job.items[i].first_unit = static_cast<std::uint32_t>(i);
    }
    chunks = 0;
    units = job.item_count;
  }
  if (threadIdx.x == 0) {
    job.counters->ticket = job.counters->arrived = 0;
    job.counters->chunk_count = static_cast<std::uint32_t>(chunks);
    job.counters->unit_count = static_cast<std::uint32_t>(units);
  }
}

/// Zeroes what chunks tell each other; all blocks share the work.
__device__ inline void clear_places(const CompressJob& job) {
  auto* const begin = reinterpret_cast<uint4*>(job.states);
  const std::uint64_t count = job.places_bytes / sizeof(uint4);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * block_threads)
    begin[i] = uint4{};
}

/// Writes numbers of a frame, at any multiple of their size.
template <class Number>
__device__ inline void put(std::uint8_t* at, Number number) {
  *reinterpret_cast<Number*>(at) = number;
}

/// One segment of one item, with all of its chunks encoded.
struct WrittenSegment {
  const CompressJob& job;
  CompressItem& item;
  FrameGeometry geometry;
  std::uint32_t segment;

  __device__ WrittenSegment(const CompressJob& of, CompressItem& array, std::uint32_t its_segment)
      : job(of), item(array), geometry{of.rules, array.content_bytes}, segment(its_segment) {}

  __device__ std::uint8_t kind() const { return format::kind_content; }
  __device__ std::uint32_t chunks() const { return geometry.segment_chunks(segment); }
  /// Among all chunks of the frame.
  __device__ std::uint64_t first_number() const {
    return std::uint64_t{segment} * geometry.rules.chunks_per_segment;
  }
  /// Padded bytes of the payloads of the segment's first chunks.
  __device__ std::uint64_t payloads_upto(std::uint32_t chunk) const {
    const auto first = static_cast<std::uint32_t>(first_number());
    return of_item(first + chunk) - of_item(first);
  }
  /// Checksum, stored bytes and mode of a chunk of the segment.
  __device__ std::uint64_t entry(std::uint32_t chunk) const {
    return job.entries[item.first_chunk + static_cast<std::uint32_t>(first_number()) + chunk];
  }
  /// Of the segment in the frame.
  __device__ std::uint64_t offset() const {
    return geometry.segment_offset(segment, of_item(static_cast<std::uint32_t>(first_number())));
  }
  __device__ std::uint64_t footer_offset() const {
    return geometry.footer_offset(of_item(geometry.chunk_count()));
  }

 private:
  /// Padded bytes of the item's first chunks.
  __device__ std::uint64_t of_item(std::uint32_t chunk) const {
    return chunk == 0 ? 0 : sum_before(item.first_chunk + chunk) - sum_before(item.first_chunk);
  }
  __device__ std::uint64_t sum_before(std::uint32_t chunk) const {
    return chunk == 0 ? 0 : job.states[chunk - 1] & ChunkState::number;
  }
};

/// Writes a head whose place is within the capacity. Returns this thread's share of the digest.
template <class Segment>
__device__ inline std::uint64_t write_head(BlockMemory& memory, const Segment& written, std::uint8_t* head) {
  const CompressJob& job = written.job;
  const bool checksums = job.rules.checksums;
  const std::uint32_t chunks = written.chunks();
  const std::uint64_t first_number = written.first_number();
  const std::uint64_t head_bytes = head_bytes_of(chunks, checksums);
  const HeadLayout layout(chunks, checksums);
  if (threadIdx.x == 0) {
    put(head, format::segment_magic);
    put(head + 4, static_cast<std::uint32_t>(head_bytes));
    put(head + 8, std::uint64_t{written.segment});
    put(head + 16, written.geometry.segment_bytes(written.segment));
    put(head + 24, written.payloads_upto(chunks));
    put(head + 32, chunks);
    put(head + 36, std::uint32_t{written.kind()});
    put(head + 40, job.header_crc);
    put(head + 44, std::uint32_t{0});
  }
  const std::uint32_t groups = (chunks + format::chunks_per_group - 1) / format::chunks_per_group;
  for (std::uint32_t group = 1 + threadIdx.x; group < groups; group += block_threads) {
    put(head + format::fixed_segment_head_bytes + 8 * (group - 1),
        written.payloads_upto(group * static_cast<std::uint32_t>(format::chunks_per_group)));
  }
  std::uint64_t digest = 0;
  constexpr unsigned batch = 8;  // entries of a thread that are loaded at once
  for (std::uint32_t first = threadIdx.x; first < chunks; first += batch * block_threads) {
    std::uint64_t entries[batch];
#pragma unroll
    for (unsigned i = 0; i < batch; ++i)
      entries[i] = first + i * block_threads < chunks ? written.entry(first + i * block_threads) : 0;
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t chunk = first + i * block_threads;
      if (chunk >= chunks) break;
      const auto checksum = static_cast<std::uint32_t>(entries[i]);
      const auto stored = static_cast<std::uint16_t>(entries[i] >> 32);
      const auto mode = static_cast<std::uint8_t>(entries[i] >> 48);
      if (checksums) put(head + layout.checksums + 4 * chunk, checksum);
      put(head + layout.stored_bytes + 2 * chunk, stored);
      head[layout.modes + chunk] = mode;
      digest += format::digest_term(first_number + chunk, checksum, stored, mode);
    }
  }
  if (layout.end + threadIdx.x < head_bytes - 4) head[layout.end + threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t crc = block_crc(memory, head, head_bytes - 4);
  if (threadIdx.x == 0) put(head + head_bytes - 4, crc);
  return digest;
}

/// Writes what a footer says besides the offsets of segments, which stand there already.
__device__ inline void write_footer(BlockMemory& memory, const CompressJob& job, const CompressItem& item,
                                    const FrameGeometry& geometry, std::uint8_t* footer) {
  const std::uint32_t segments = geometry.segment_count();
  const std::uint64_t bytes = geometry.footer_bytes(), elements = item.content_bytes / job.element_bytes;
  if (threadIdx.x == 0) {
    put(footer, format::footer_magic);
    put(footer + 4, std::uint32_t{0});
    put(footer + 8, job.scalar              ? 1
                    : job.row_elements == 0 ? job.outer_size_of_empty_rows
                                            : elements / job.row_elements);
    put(footer + 16, elements);
    put(footer + 24, job.rules.checksums ? std::uint64_t{__ldcg(&item.digest)} : std::uint64_t{0});
    put(footer + 32, std::uint64_t{segments});
    put(footer + bytes - 16, bytes);
    put(footer + bytes - 4, format::end_magic);
  }
  __syncthreads();
  const std::uint32_t crc = block_crc(memory, footer, bytes - 8);
  if (threadIdx.x == 0) put(footer + bytes - 8, crc);
}

/// Writes one segment's head, and with the last of a frame's segments the footer and the result.
template <class Segment>
__device__ inline void finish_unit(BlockMemory& memory, const CompressJob& job, std::uint32_t unit) {
  const std::uint64_t index =
      job.item_count == 1
          ? 0
          : find_owner(job.item_count, unit, [&](std::uint64_t i) { return job.items[i].first_unit; });
  CompressItem& item = job.items[index];
  const FrameGeometry geometry{job.rules, item.content_bytes};
  const std::uint32_t segments = geometry.segment_count(), segment = unit - item.first_unit;
  const Segment written(job, item, segment);
  const std::uint64_t footer_offset = written.footer_offset();
  const std::uint64_t frame_bytes = footer_offset + geometry.footer_bytes();
  const bool good = item.code == 0 && frame_bytes <= item.capacity;

  if (good && segment == 0 && threadIdx.x < job.rules.header_bytes)
    item.out[threadIdx.x] = job.header[threadIdx.x];
  if (good && segment < segments) {
    const std::uint64_t offset = written.offset();
    const std::uint64_t digest = block_scan(memory, write_head(memory, written, item.out + offset)).total;
    if (threadIdx.x == 0) {
      put(item.out + footer_offset + 40 + 8 * std::uint64_t{segment}, offset);
      atomicAdd(&item.digest, static_cast<unsigned long long>(digest));
    }
  }
  if (!is_last_of(&item.units_done, segments == 0 ? 1 : segments)) return;
  if (good) write_footer(memory, job, item, geometry, item.out + footer_offset);
  if (threadIdx.x == 0) {
    ItemResult result;
    result.code = good             ? static_cast<std::uint32_t>(ErrorCode::ok)
                  : item.code != 0 ? item.code
                                   : static_cast<std::uint32_t>(ErrorCode::output_too_small);
    result.bytes = good ? frame_bytes : 0;
    result.byte_offset = no_offset;
    job.results[index] = result;
  }
}

}  // namespace floe::cuda
