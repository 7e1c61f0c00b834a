// Speed of a kernel that reads packed columns through cursors. Prints CSV: every word is read once and summed
// up, in order and in random order.
//
//   series_cursor [--segments N] [--runs N] [--bytes N]
//
// Segments of 2^20 words, N (default 256) of each tree. Bytes are those of the copy that it is compared with.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "device_work.hpp"
#include "floe/cursor.hpp"
#include "tests/series/columns.hpp"

namespace {

using namespace floe;

constexpr std::uint64_t segment_words = 1 << 20;

using bench::check;
using bench::DeviceBuffer;

/// Median seconds on the default stream.
double median_of(int runs, const std::function<void()>& work) { return bench::measure(runs, work).median; }

/// blockIdx.y is the segment. In random order, neighbouring threads ask for words far from each other.
__global__ void sum_words(const cuda::Cursor* cursors, bool at_random, unsigned long long* sum) {
  __shared__ cuda::Cursor cursor;
  if (threadIdx.x == 0) cursor = cursors[blockIdx.y];
  __syncthreads();
  unsigned long long mine = 0;
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < cursor.count; i += gridDim.x * blockDim.x)
    mine += cursor.word(at_random ? (i * 0x9E3779B1) % segment_words : i);
  atomicAdd(sum, mine);
}

void bench_tree(DType type, const char* plan, const std::vector<std::uint8_t>& words, unsigned segments,
                int runs, double copy) {
  const auto bytes = test::ColumnEncoder(trees::plan_from_text(plan, type).value())
                         .encode({type, words.data(), segment_words});
  const std::uint64_t stride = core::align_up(bytes.size(), 16),
                      index_bytes = cuda::usual_index_bytes(segment_words) + (64 << 10);
  const DeviceBuffer packed(stride * segments), index(index_bytes * segments),
      directory(segments * sizeof(cuda::EncodedSegment)), cursors(segments * sizeof(cuda::Cursor)), sum(8);
  std::vector<cuda::EncodedSegment> entries;
  for (unsigned i = 0; i < segments; ++i) {
    check(cudaMemcpy(packed.data + i * stride, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    entries.push_back({packed.data + i * stride, bytes.size(), segment_words});
  }
  check(cudaMemcpy(directory.data, entries.data(), directory.bytes, cudaMemcpyHostToDevice));
  auto* const opened = reinterpret_cast<cuda::Cursor*>(cursors.data);
  const double opening = median_of(3, [&] {
    cuda::open_cursors_async(reinterpret_cast<const cuda::EncodedSegment*>(directory.data), segments,
                             static_cast<DType>(type), opened, index.data, index_bytes, nullptr)
        .or_throw();
  });
  cuda::Cursor first;
  check(cudaMemcpy(&first, opened, sizeof first, cudaMemcpyDeviceToHost));
  if (first.error != 0) throw std::runtime_error(std::string("not opened: ") + plan);
  auto* const total = reinterpret_cast<unsigned long long*>(sum.data);
  double rates[2];
  for (const bool at_random : {false, true}) {
    const double seconds =
        median_of(runs, [&] { sum_words<<<dim3(32, segments), 256>>>(opened, at_random, total); });
    check(cudaGetLastError());
    rates[at_random ? 1 : 0] = static_cast<double>(words.size()) * segments / seconds * 1e-9;
  }
  unsigned long long found = 0, expected = 0;
  check(cudaMemset(sum.data, 0, 8));
  sum_words<<<dim3(32, segments), 256>>>(opened, false, total);
  check(cudaMemcpy(&found, sum.data, 8, cudaMemcpyDeviceToHost));
  for (std::uint64_t i = 0; i < segment_words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + i * size_of(type), size_of(type));
    expected += word * segments;
  }
  std::printf("%s,\"%s\",%.2f,%s,%.1f,%.1f,%.1f,%.3f,%.2f\n", std::string(name_of(type)).c_str(), plan,
              static_cast<double>(words.size()) / static_cast<double>(bytes.size()),
              found == expected ? "yes" : "NO", rates[0], rates[1], copy * 1e-9, rates[0] / copy * 1e9,
              opening * 1e3);
}

/// Words of a type from a formula.
template <class T, class Formula>
std::vector<std::uint8_t> make(const Formula& formula) {
  std::vector<T> values(segment_words);
  for (std::uint64_t i = 0; i < segment_words; ++i) values[i] = static_cast<T>(formula(i));
  std::vector<std::uint8_t> bytes(segment_words * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void run(const bench::Arguments& arguments) {
  const unsigned segments = arguments.segments;
  const int runs = arguments.runs;
  const double copy =
      static_cast<double>(arguments.bytes) / bench::measure_copy(arguments.bytes, runs).median;
  std::puts("type,tree,ratio,exact,in_order_gbps,at_random_gbps,copy_gbps,of_copy,open_ms");
  const auto random = [](std::uint64_t i) { return core::splitmix(i) % 1000; };
  const auto numbers32 = make<std::int32_t>(random);
  const auto numbers64 = make<std::int64_t>([&](std::uint64_t i) { return 1600000000000000 + random(i); });
  const auto times =
      make<std::int64_t>([&](std::uint64_t i) { return 1600000000000000 + i * 1000 + random(i); });
  const auto prices =
      make<double>([&](std::uint64_t i) { return static_cast<double>(10000 + random(i)) / 100; });
  const auto levels = make<double>([&](std::uint64_t i) { return static_cast<double>(random(i) % 200) / 7; });
  bench_tree(DType::i32, "raw", numbers32, segments, runs, copy);
  bench_tree(DType::i32, "bitpack", numbers32, segments, runs, copy);
  bench_tree(DType::i64, "bitpack", numbers64, segments, runs, copy);
  bench_tree(DType::i64, "delta,bitpack", times, segments, runs, copy);
  bench_tree(DType::f64, "decimal(2,4),bitpack,bitpack,raw", prices, segments, runs, copy);
  bench_tree(DType::f64, "dict,raw,bitpack,raw", levels, segments, runs, copy);
}

}  // namespace

int main(int count, char** words) {
  return bench::run_program(count, words, {.runs = 9, .segments = 256}, {.segments = "segments of each tree"},
                            run);
}
