#include "tests/cuda/cursor_kernels.hpp"

#include "tests/cuda/cursor_example.hpp"

namespace floe::test {
namespace {

__global__ void read_words(const cuda::Cursor* cursors, std::uint64_t segment_words, unsigned word_bytes,
                           std::uint8_t* out) {
  const cuda::Cursor& cursor = cursors[blockIdx.x];
  out += blockIdx.x * segment_words * word_bytes;
  for (std::uint64_t i = threadIdx.x; i < cursor.count; i += blockDim.x) {
    const std::uint64_t word = cursor.word(i);
    memcpy(out + i * word_bytes, &word, word_bytes);
  }
}

__global__ void sum_above(const cuda::Cursor* cursors, double limit, unsigned long long* total) {
  atomicAdd(total, count_above(cursors[blockIdx.x], limit, threadIdx.x, blockDim.x));
}

}  // namespace

void read_all_words(const cuda::Cursor* cursors, unsigned segments, std::uint64_t segment_words,
                    unsigned word_bytes, std::uint8_t* out) {
  read_words<<<segments, 256>>>(cursors, segment_words, word_bytes, out);
}

void count_all_above(const cuda::Cursor* cursors, unsigned segments, double limit,
                     unsigned long long* total) {
  sum_above<<<segments, 256>>>(cursors, limit, total);
}

}  // namespace floe::test
