// Sorting the words of all segments on the device: by a digit at a time, in spans that a block sorts in
// shared memory, whose digits are counted and added up before.
#pragma once

#include "gpu/history/history_content.cuh"
#include "gpu/history/match_sort.hpp"

namespace floe::gpu {

/// Where the rows of a segment's spans begin: a span for every four chunks and one for every segment.
__device__ inline std::uint32_t first_row(const HistoryContent& segment) {
  return segment.first_chunk / span_tiles + segment.item.first_unit + segment.segment;
}
__device__ inline std::uint32_t row_count(const CompressJob& job) {
  return job.counters->chunk_count / span_tiles + job.counters->unit_count;
}

/// What a block sorts at a time.
struct HistorySpan {
  HistoryContent segment;
  std::uint32_t number;  ///< In the segment.

  /// From the row of its digits. There are rows without a span.
  static __device__ HistorySpan of_row(const CompressJob& job, std::uint32_t row) {
    CompressItem& item =
        item_with(job, row, [](const CompressItem& i) { return i.first_chunk / span_tiles + i.first_unit; });
    // The last segment whose rows begin there or before: first_row() solved for it.
    const std::uint64_t chunk_count =
        std::uint64_t{span_tiles} * (row + 1 - item.first_unit) - item.first_chunk - 1;
    const std::uint32_t last = FrameGeometry{job.rules, item.content_bytes}.segment_count() - 1;
    const auto number = static_cast<std::uint32_t>(chunk_count / (job.rules.chunks_per_segment + span_tiles));
    HistorySpan span{{job, item, min(number, last)}, 0};
    span.number = row - first_row(span.segment);
    return span;
  }
  __device__ bool exists() const {
    return segment.exists() && number * span_tiles < segment.content_chunks();
  }
  __device__ std::uint32_t first() const { return number * span_words; }  ///< Word of the segment.
  __device__ std::uint32_t records() const { return min(segment.words() - first(), span_words); }
};

/// Counts the digits of every span's records. The first pass also makes the records, and prepares the units.
__global__ void __launch_bounds__(32 * span_warps) count_spans(const __grid_constant__ HistoryStep step) {
  __shared__ std::uint32_t counts[digits];
  const CompressJob& job = step.job;
  DeviceWarp warp;
  const unsigned own = threadIdx.x / warp_lanes;
  for (std::uint32_t row = blockIdx.x; row < row_count(job); row += gridDim.x) {
    const HistorySpan span = HistorySpan::of_row(job, row);
    if (!span.exists()) continue;
    for (std::uint32_t d = threadIdx.x; d < digits; d += blockDim.x) counts[d] = 0;
    __syncthreads();
    const HistoryContent& segment = span.segment;
    const std::uint32_t records = span.records();
    SortRecord* const from = job.history.records[(step.number + 1) % 2] + segment.first_word() + span.first();
    if (step.number == 0) {
      const PositionBits bits(segment.words());
      with_words(segment.segment_words(), [&](const auto& words) {
        count_digits(warp, counts, own, records, 0, [&](std::uint32_t i) {
          const SortRecord record = record_of(words, span.first() + i, bits);
          from[i] = record;
          return record.key;
        });
      });
      if (span.number == 0 && threadIdx.x == 0) segment.unit() = {};
    } else {
      count_digits(warp, counts, own, records, step.number, [&](std::uint32_t i) { return from[i].key; });
    }
    __syncthreads();
    for (std::uint32_t d = threadIdx.x; d < digits; d += blockDim.x)
      job.history.digit_sums[std::uint64_t{row} * digits + d] = counts[d];
    __syncthreads();
  }
}

/// Adds up the rows of each segment's spans. A block takes 32 digits, each of its warps a part of the spans.
__global__ void __launch_bounds__(scan_threads) add_up_spans(const __grid_constant__ CompressJob job) {
  constexpr std::uint32_t columns = digits / warp_lanes, rows = scan_threads / warp_lanes;
  __shared__ std::uint32_t sums[rows][warp_lanes + 1];
  const std::uint32_t lane = threadIdx.x % warp_lanes, row = threadIdx.x / warp_lanes;
  const std::uint64_t count = std::uint64_t{job.counters->unit_count} * columns;
  for (std::uint64_t work = blockIdx.x; work < count; work += gridDim.x) {
    const HistoryContent segment = HistoryContent::of_unit(job, static_cast<std::uint32_t>(work / columns));
    if (!segment.exists()) continue;
    const std::uint32_t spans = (segment.content_chunks() + span_tiles - 1) / span_tiles,
                        each = (spans + rows - 1) / rows;
    const std::uint32_t begin = min(row * each, spans), end = min(begin + each, spans);
    std::uint32_t* const table = job.history.digit_sums + std::uint64_t{first_row(segment)} * digits +
                                 work % columns * warp_lanes + lane;
    std::uint32_t sum = 0;
#pragma unroll 8
    for (std::uint32_t span = begin; span < end; ++span) sum += table[std::uint64_t{span} * digits];
    sums[row][lane] = sum;
    __syncthreads();
    DeviceWarp warp;
    const std::uint32_t own = sums[lane][row], before_of_column = inclusive_scan(warp, own) - own;
    __syncthreads();
    sums[lane][row] = before_of_column;
    __syncthreads();
    sum = sums[row][lane];
    constexpr unsigned batch = 8;
    for (std::uint32_t span = begin; span < end; span += batch) {
      std::uint32_t number[batch];
#pragma unroll
      for (unsigned b = 0; b < batch; ++b)
        number[b] = span + b < end ? table[std::uint64_t{span + b} * digits] : 0;
#pragma unroll
      for (unsigned b = 0; b < batch; ++b) {
        sum += number[b];
        if (span + b < end) table[std::uint64_t{span + b} * digits] = sum;
      }
    }
    __syncthreads();
  }
}

/// Moves all records to where they belong by one more digit.
__global__ void __launch_bounds__(32 * span_warps, 2) move_spans(const __grid_constant__ HistoryStep step) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const CompressJob& job = step.job;
  DeviceWarp warp;
  const SpanMover mover{shared, threadIdx.x / warp_lanes, step.number};
  const unsigned to = step.number % 2, from = 1 - to;
  for (std::uint32_t row = blockIdx.x; row < row_count(job); row += gridDim.x) {
    const HistorySpan span = HistorySpan::of_row(job, row);
    if (!span.exists()) continue;
    const std::uint32_t records = span.records();
    const SortRecord* const in = job.history.records[from] + span.segment.first_word() + span.first();
    SortRecord* const out = job.history.records[to] + span.segment.first_word();
    const std::uint32_t* const sums = job.history.digit_sums + std::uint64_t{row} * digits;
    const std::uint32_t rows_left = (span.segment.content_chunks() - 1) / span_tiles - span.number;
    SpanMover::Lane lane;
    mover.rank(warp, lane, records, [&](std::uint32_t i) { return in[i]; });
    __syncthreads();
    mover.add_up(warp, lane, span.number == 0 ? nullptr : sums - digits,
                 sums + std::uint64_t{rows_left} * digits);
    __syncthreads();
    mover.add_digits_before(warp, lane);
    __syncthreads();
    mover.sort(warp, lane, records);
    __syncthreads();
    mover.put_all(warp, records,
                  [&](std::uint32_t position, const SortRecord& sorted) { out[position] = sorted; });
    __syncthreads();
  }
}

}  // namespace floe::gpu
