#include "tests/cuda/pattern_kernels.hpp"

namespace floe::test {
namespace {

constexpr unsigned blocks = 1024, threads = 256;

__global__ void write(std::uint32_t* words, std::uint64_t count, std::uint32_t first, std::uint32_t factor) {
  for (std::uint64_t i = blockIdx.x * threads + threadIdx.x; i < count; i += blocks * threads)
    words[i] = (first + static_cast<std::uint32_t>(i)) * factor;
}

__global__ void count_others(const std::uint32_t* words, std::uint64_t count, std::uint32_t first,
                             std::uint32_t factor, unsigned long long* total) {
  unsigned long long others = 0;
  for (std::uint64_t i = blockIdx.x * threads + threadIdx.x; i < count; i += blocks * threads)
    others += words[i] != (first + static_cast<std::uint32_t>(i)) * factor ? 1 : 0;
  if (others != 0) atomicAdd(total, others);
}

}  // namespace

void write_patterns(std::uint32_t* words, std::uint64_t count, std::uint32_t first, std::uint32_t factor) {
  write<<<blocks, threads>>>(words, count, first, factor);
}

void count_other_patterns(const std::uint32_t* words, std::uint64_t count, std::uint32_t first,
                          std::uint32_t factor, unsigned long long* total) {
  count_others<<<blocks, threads>>>(words, count, first, factor, total);
}

}  // namespace floe::test
