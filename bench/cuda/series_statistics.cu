// How fast are the statistics of columns on a device, beside its read and copy rates? Prints CSV.
//
//   series_statistics [--bytes N] [--runs N]
//
// Columns of every type with N bytes (default 1 GiB): random words, and words that go up and down by small
// steps. `segment_words` says how they are cut; for a whole column the samples' copy and the planner on the
// host are timed, too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "core/splitmix.hpp"
#include "device_work.hpp"
#include "gpu/host/column_sampler.hpp"
#include "plan/search/sampled_planner.hpp"

namespace {

using namespace floe;

using bench::check;
using bench::DeviceBuffer;

/// Median seconds on the default stream.
double median_of(int runs, const std::function<void()>& work) { return bench::measure(runs, work).median; }

/// The fastest of some ways to read memory: 16 bytes per thread, several in flight, hardly any work.
template <int unroll>
__global__ void read_memory(const uint4* words, std::uint64_t count, std::uint32_t* out) {
  std::uint32_t sum = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += step * unroll) {
    uint4 v[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) v[k] = i + k * step < count ? words[i + k * step] : uint4{};
#pragma unroll
    for (int k = 0; k < unroll; ++k) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (sum == 0x12345678) *out = sum;
}

double read_rate(const DeviceBuffer& from, const DeviceBuffer& scratch, int runs) {
  double best = 0;
  auto* const out = reinterpret_cast<std::uint32_t*>(scratch.data);
  const auto* const words = reinterpret_cast<const uint4*>(from.data);
  for (const unsigned blocks : {132u * 4, 132u * 8, 132u * 16, 132u * 64, 132u * 256}) {
    best = std::max(best, static_cast<double>(from.bytes) / median_of(runs, [&] {
                            read_memory<4><<<blocks, 256>>>(words, from.bytes / 16, out);
                          }));
    best = std::max(best, static_cast<double>(from.bytes) / median_of(runs, [&] {
                            read_memory<8><<<blocks, 256>>>(words, from.bytes / 16, out);
                          }));
  }
  return best;
}

/// Words of a type; steps of at most +-100 for walks.
template <class W>
__global__ void fill_words(W* words, std::uint64_t count, bool walk) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::uint64_t random = core::splitmix(i);
  words[i] = static_cast<W>(walk ? (sizeof(W) > 2 ? 1000000 : 50) + (i >> 12) % 50 + random % 50 : random);
}

void fill(DType type, const DeviceBuffer& to, bool walk) {
  with_word(size_of(type), [&]<class W>(W) {
    const std::uint64_t count = to.bytes / sizeof(W);
    fill_words<<<static_cast<unsigned>(count / 256 + 1), 256>>>(reinterpret_cast<W*>(to.data), count, walk);
  });
  check(cudaDeviceSynchronize());
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(const bench::Arguments& arguments) {
  const std::uint64_t bytes = arguments.bytes;
  const int runs = arguments.runs;
  const DeviceBuffer in(bytes), other(bytes);
  fill(DType::u64, in, false);
  const double read = read_rate(in, other, runs);
  const double copy = static_cast<double>(bytes) / bench::measure_copy(bytes, runs).median;
  std::puts(
      "type,data,bytes,segment_words,gbps,read_gbps,copy_gbps,of_read,sample_bytes,sample_and_copy_us,"
      "fingerprint_us,search_us,plan");
  for (const DType type : word_types) {
    for (const bool walk : {false, true}) {
      fill(type, in, walk);
      const std::uint64_t count = bytes / size_of(type);
      for (const std::uint64_t segment_words : {count, std::uint64_t{1} << 20, std::uint64_t{1} << 16}) {
        auto sampler = series_cuda::ColumnSampler::create(type, count, segment_words).value();
        const series_cuda::SegmentedColumn column{type, in.data, count, segment_words};
        const DeviceBuffer samples(sample_bytes(column)),
            workspace(series_cuda::sample_workspace_bytes({&column, 1}));
        const double seconds = median_of(runs, [&] {
          series_cuda::sample_async({&column, 1}, samples.data, workspace.data, nullptr).or_throw();
        });
        std::printf("%s,%s,%llu,%llu,%.1f,%.1f,%.1f,%.3f,%llu", std::string(name_of(type)).c_str(),
                    walk ? "walk" : "random", static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(segment_words),
                    static_cast<double>(bytes) / seconds * 1e-9, read * 1e-9, copy * 1e-9,
                    static_cast<double>(bytes) / seconds / read,
                    static_cast<unsigned long long>(samples.bytes));
        if (segment_words == count) {
          const auto sample = [&] {
            sampler.begin(in.data, count, nullptr).or_throw();
            sampler.wait().or_throw();
          };
          sample();
          const double sampled = seconds_of(sample);
          trees::SampledPlanner planner(trees::objective_of(trees::Preset::balanced));
          trees::Scratch scratch;
          planner.plan_for(sampler.windows(0), scratch);  // warms up
          trees::SampledPlanner fresh(trees::objective_of(trees::Preset::balanced));
          const double search = seconds_of([&] { fresh.plan_for(sampler.windows(0), scratch); });
          const double remembered = seconds_of([&] { fresh.plan_for(sampler.windows(0), scratch); });
          std::printf(",%.1f,%.1f,%.1f,\"%s\"", sampled * 1e6, remembered * 1e6, search * 1e6,
                      text_of(fresh.plan_for(sampler.windows(0), scratch)).c_str());
        }
        std::puts("");
      }
    }
  }
}

}  // namespace

int main(int count, char** words) { return bench::run_program(count, words, {}, {}, run); }
