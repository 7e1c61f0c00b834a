// Which segments does a cluster of blocks take, and which tile of one is whose?
#pragma once

#include "series_cuda/block_cluster.cuh"
#include "series_cuda/cluster_memory.cuh"

namespace floe::series_cuda {

#if __CUDA_ARCH__ >= 900
inline __device__ cluster::Arrivals& arrivals(std::uint64_t& state) { return reinterpret_cast<cluster::Arrivals&>(state); }

/// A tile of the segment of a ticket. False if it has none of that number.
template <class Map>
__device__ bool find_tile(const PackJob& job, std::uint32_t ticket, std::uint32_t tile, TileOfSegment<Map>& at) {
  if (ticket >= job.segment_count) return false;
  unsigned c = 0;
  std::uint32_t first = 0;
  while (ticket >= job.column[c].end_segment) first = job.column[c++].end_segment;
  const PackColumn& column = job.column[c];
  const std::uint32_t segment = column.first_segment + ticket - first;
  const std::uint64_t left = column.word_count - std::uint64_t{segment} * column.segment_words;
  at = {&column, segment, tile, left < column.segment_words ? static_cast<std::uint32_t>(left) : column.segment_words, column.reciprocal};
  return tile < at.tiles();
}
#endif

}  // namespace floe::series_cuda
