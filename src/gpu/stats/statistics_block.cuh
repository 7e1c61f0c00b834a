// Samples of columns, by blocks: each counts a slab of a segment and adds what it found to the segment's
// sums; the last block of a segment writes its record.
#pragma once

#include "gpu/stats/samples.hpp"
#include "gpu/stats/statistics_sums.hpp"
#include "gpu/warp/device_warp.hpp"

namespace floe::series_cuda {

inline constexpr unsigned statistics_threads = 256, statistics_warps = statistics_threads / cuda::warp_lanes;
/// What a block counts: whole pages of every type, and enough that adding up costs little.
inline constexpr std::uint64_t slab_bytes = 256 << 10;

struct SampleJob {
  static constexpr unsigned max_columns = 32;
  struct Column {
    const void* values;
    std::uint64_t count, segment_words;
    std::uint8_t* samples;  ///< `stride` bytes per segment.
    std::uint64_t stride;
    StatisticsSums* sums;  ///< One per segment.
    std::uint32_t first_slab, slabs_per_segment;
    DType type;
  };
  Column columns[max_columns];
  std::uint32_t column_count = 0;
  std::uint32_t slabs = 0;
};

/// What the warps of a block share.
struct StatisticsMemory {
  SampleCounts samples;
  WordTotals totals[statistics_warps];
  StatisticsSums sums;
  std::uint32_t next_task;
  bool is_last;
};

template <class Number>
__device__ void add_if(Number* to, Number number) {
  if (number != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(number));
}

/// Adds what the block found; returns whether it was the last one of its segment.
template <core::Word W>
__device__ bool add_block(StatisticsMemory& memory, std::uint32_t sampled, StatisticsSums& sums,
                          std::uint32_t slabs) {
  const auto wide = [](std::uint64_t& number) { return reinterpret_cast<unsigned long long*>(&number); };
  for (unsigned i = threadIdx.x; i < histogram_entries; i += statistics_threads)
    add_if(&sums.lengths[i / 65][i % 65], std::uint64_t{memory.samples.count<W>(i / 65, i % 65, sampled)});
  if (threadIdx.x < 4) add_if(&sums.special[threadIdx.x], std::uint64_t{memory.samples.special[threadIdx.x]});
  if (threadIdx.x == statistics_threads - 1) {
    WordTotals all;
    for (const WordTotals& totals : memory.totals) all.add(totals);
    atomicMax(wide(sums.min_inverted), ~all.least);
    atomicMax(wide(sums.most), all.most);
    atomicOr(wide(sums.bits_missing), ~all.bits_in_all);
    atomicOr(wide(sums.bits_in_any), all.bits_in_any);
    add_if(&sums.changes, all.changes);
    add_if(&sums.descents, all.descents);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) memory.is_last = atomicAdd(wide(sums.blocks_done), 1ull) == slabs - 1;
  __syncthreads();
  return memory.is_last;
}

template <core::Word W>
__device__ void write_sample_record(StatisticsMemory& memory, const StatisticsSums& sums,
                                    const Words<W>& words, DType type, trees::Statistics& record) {
  __threadfence();
  const auto* const from = reinterpret_cast<const unsigned long long*>(&sums);
  auto* const to = reinterpret_cast<unsigned long long*>(&memory.sums);
  for (unsigned i = threadIdx.x; i < sizeof sums / 8; i += statistics_threads) to[i] = __ldcg(from + i);
  __syncthreads();
  if (threadIdx.x == statistics_threads - 1) write_record(memory.sums, words, type, record);
  for (unsigned i = threadIdx.x; i < histogram_entries; i += statistics_threads)
    write_histogram_entry(memory.sums, i, record);
}

/// The windows that the blocks of a segment share among themselves.
template <core::Word W>
__device__ void copy_windows(const Words<W>& words, W* to, std::uint32_t slab, std::uint32_t slabs) {
  constexpr std::uint64_t window_words = trees::planning_window_words, windows = trees::planning_windows;
  const bool is_whole = words.count <= window_words * windows;
  for (std::uint64_t window = slab; window < (is_whole ? 1 : windows); window += slabs) {
    const W* const from =
        words.values + (is_whole ? 0 : trees::window_place(words.count, window_words, windows, window));
    const std::uint64_t count = is_whole ? words.count : window_words;
    for (std::uint64_t i = threadIdx.x; i < count; i += statistics_threads)
      to[window * window_words + i] = from[i];
  }
}

template <core::Word W, bool as_floats>
__device__ void count_slab(StatisticsMemory& memory, const Words<W>& words, std::uint64_t first,
                           std::uint64_t end) {
  cuda::DeviceWarp warp;
  constexpr std::uint64_t tile_words = tile_bytes / sizeof(W);
  constexpr std::uint64_t task_pages = Sampler<W, as_floats>::max_pages;
  const auto sample_tasks = static_cast<std::uint32_t>(core::divide_up(end - first, task_pages * page_words));
  const auto tasks = static_cast<std::uint32_t>(sample_tasks + core::divide_up(end - first, tile_words));
  LaneCounts<W, as_floats> counts(words.order);
  for (;;) {
    std::uint32_t task = 0;
    if (warp.lane() == 0) task = atomicAdd(&memory.next_task, 1);
    task = warp.shuffle(task, 0);
    if (task >= tasks) break;
    if (task < sample_tasks) {
      sample_pages<W, as_floats>(warp, words, first + task * task_pages * page_words, end, memory.samples);
    } else {
      count_tile(warp, words, first + (task - sample_tasks) * tile_words, counts);
    }
  }
  const WordTotals totals = sum_totals(warp, counts.totals());
  if (warp.lane() == 0) memory.totals[threadIdx.x / cuda::warp_lanes] = totals;
}

template <core::Word W, bool as_floats>
__global__ void __launch_bounds__(statistics_threads, 4)
    sample_columns(const __grid_constant__ SampleJob job) {
  __shared__ StatisticsMemory memory;
  std::uint32_t c = 0;
  while (c + 1 < job.column_count && blockIdx.x >= job.columns[c + 1].first_slab) ++c;
  const SampleJob::Column& column = job.columns[c];
  const std::uint32_t number = blockIdx.x - column.first_slab, slabs = column.slabs_per_segment,
                      slab = number % slabs;
  const std::uint64_t segment = number / slabs, segment_begin = segment * column.segment_words;
  const std::uint64_t left = column.count - segment_begin;
  const Words<W> words{static_cast<const W*>(column.values) + segment_begin,
                       left < column.segment_words ? left : column.segment_words,
                       trees::order_of(column.type)};
  auto* const counters = reinterpret_cast<std::uint32_t*>(&memory.samples);
  for (unsigned i = threadIdx.x; i < sizeof memory.samples / 4; i += statistics_threads) counters[i] = 0;
  if (threadIdx.x == 0) memory.next_task = 0;
  __syncthreads();
  constexpr std::uint64_t slab_words = slab_bytes / sizeof(W);
  const std::uint64_t first = slab * slab_words, behind = first + slab_words,
                      end = behind < words.count ? behind : words.count;
  if (first < end) {
    count_slab<W, as_floats>(memory, words, first, end);
  } else if (threadIdx.x % cuda::warp_lanes == 0) {
    memory.totals[threadIdx.x / cuda::warp_lanes] = {};
  }
  std::uint8_t* const sample = column.samples + segment * column.stride;
  copy_windows(words, reinterpret_cast<W*>(sample + SampleLayout::record_bytes), slab, slabs);
  __syncthreads();
  StatisticsSums& sums = column.sums[segment];
  const auto sampled = static_cast<std::uint32_t>(first < end ? sampled_of(end - first) : 0);
  if (add_block<W>(memory, sampled, sums, slabs))
    write_sample_record(memory, sums, words, column.type, *reinterpret_cast<trees::Statistics*>(sample));
}

}  // namespace floe::series_cuda
