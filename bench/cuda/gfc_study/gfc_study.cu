// What of GFC's published tuning still holds on this GPU? Its compressor with a leading-zero count in
// hardware or in software, with branches or with arithmetic, for 1 to 843 blocks, on 1 GPU up to all. Prints
// CSV; docs/benchmarks/gfc_study.md explains it.
//
//   gfc_study [--bytes N] [--runs N] FILES
//
// Files of doubles (names with _f64_) are joined and repeated up to N bytes for each GPU. Every variant's
// bytes are held against those of floe::published::compress_gfc.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "program.hpp"
#include "research/published.hpp"

namespace {

using floe::bench::check;

constexpr unsigned lanes = 32, warps_per_block = 32, subchunk_bytes = 272, flush_bytes = 512,
                   buffer_bytes = 800;
constexpr unsigned all_lanes = 0xFFFFFFFF;

/// Bytes that a magnitude needs, 0 to 8.
template <bool hardware>
__device__ unsigned byte_count(std::uint64_t magnitude) {
  if constexpr (hardware) return 8 - static_cast<unsigned>(__clzll(static_cast<long long>(magnitude))) / 8;
  unsigned count = 0;  // the cascade of comparisons of the first publication
  if (magnitude >= std::uint64_t{1} << 32) {
    count = 4;
    magnitude >>= 32;
  }
  if (magnitude >= std::uint64_t{1} << 16) {
    count += 2;
    magnitude >>= 16;
  }
  if (magnitude >= std::uint64_t{1} << 8) {
    ++count;
    magnitude >>= 8;
  }
  return magnitude != 0 ? count + 1 : count;
}

struct Coded {
  std::uint64_t magnitude;
  unsigned bytes, code;
};

template <bool hardware, bool branches>
__device__ Coded code_residual(std::uint64_t residual) {
  Coded coded;
  if constexpr (branches) {
    unsigned sign = 0;
    if (static_cast<std::int64_t>(residual) < 0) {
      sign = 8;
      residual = 0 - residual;
    }
    coded.magnitude = residual;
    coded.bytes = byte_count<hardware>(residual);
    if (coded.bytes == 2) coded.bytes = 3;
    unsigned length = coded.bytes;
    if (length > 2) --length;
    coded.code = sign | length;
  } else {
    const auto mask = static_cast<std::uint64_t>(static_cast<std::int64_t>(residual) >> 63);
    coded.magnitude = (residual ^ mask) - mask;
    const unsigned bytes = byte_count<hardware>(coded.magnitude);
    coded.bytes = bytes + static_cast<unsigned>(bytes == 2);
    coded.code = (static_cast<unsigned>(mask) & 8) | (coded.bytes - static_cast<unsigned>(coded.bytes > 2));
  }
  return coded;
}

/// One warp per chunk, as published: chunk c has `each` words, its output begins at the worst case of all
/// before.
template <bool hardware, bool branches>
__global__ void __launch_bounds__(lanes* warps_per_block)
    compress(const std::uint64_t* words, std::uint64_t count, std::uint64_t each, unsigned dimensionality,
             std::uint8_t* out, std::uint32_t* sizes) {
  __shared__ __align__(16) std::uint8_t buffers[warps_per_block][buffer_bytes];
  const unsigned lane = threadIdx.x % lanes;
  std::uint8_t* const buffer = buffers[threadIdx.x / lanes];
  const std::uint64_t chunk = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / lanes;
  const std::uint64_t begin = min(chunk * each, count), end = min(begin + each, count);
  std::uint8_t* target = out + begin / lanes * subchunk_bytes;
  const std::uint8_t* const first = target;
  const unsigned source_lane = lanes - dimensionality + lane % dimensionality;
  std::uint64_t before = 0;
  unsigned used = 0;
  for (std::uint64_t at = begin; at < end; at += lanes) {
    const std::uint64_t word = words[at + lane];
    const Coded coded = code_residual<hardware, branches>(word - __shfl_sync(all_lanes, before, source_lane));
    before = word;
    unsigned position = coded.bytes;
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      const unsigned other = __shfl_up_sync(all_lanes, position, distance);
      if (lane >= distance) position += other;
    }
    const unsigned all = __shfl_sync(all_lanes, position, lanes - 1);
    position += used + 16 - coded.bytes;
    const unsigned neighbour = __shfl_down_sync(all_lanes, coded.code, 1);
    if (lane % 2 == 0) buffer[used + lane / 2] = static_cast<std::uint8_t>(coded.code | neighbour << 4);
    for (unsigned byte = 0; byte < coded.bytes; ++byte)
      buffer[position + byte] = static_cast<std::uint8_t>(coded.magnitude >> (8 * byte));
    used += 16 + all;
    __syncwarp();
    if (used >= flush_bytes) {
      reinterpret_cast<uint4*>(target)[lane] = reinterpret_cast<const uint4*>(buffer)[lane];
      target += flush_bytes;
      used -= flush_bytes;
      const uint4 rest = lane < 18 ? reinterpret_cast<const uint4*>(buffer + flush_bytes)[lane] : uint4{};
      __syncwarp();
      if (lane < 18) reinterpret_cast<uint4*>(buffer)[lane] = rest;
      __syncwarp();
    }
  }
  for (unsigned byte = lane; byte < used; byte += lanes) target[byte] = buffer[byte];
  if (lane == 0) sizes[chunk] = static_cast<std::uint32_t>(target - first) + used;
}

using Kernel = void (*)(const std::uint64_t*, std::uint64_t, std::uint64_t, unsigned, std::uint8_t*,
                        std::uint32_t*);
struct Variant {
  const char* leading_zeros;
  const char* style;
  Kernel kernel;
};
const Variant variants[] = {{"hardware", "arithmetic", compress<true, false>},
                            {"hardware", "branches", compress<true, true>},
                            {"software", "arithmetic", compress<false, false>},
                            {"software", "branches", compress<false, true>}};

struct Gpu {
  int device = 0;
  std::uint64_t* words = nullptr;
  std::uint8_t* out = nullptr;
  std::uint32_t* sizes = nullptr;
};

std::uint64_t words_of_chunk(std::uint64_t count, std::uint64_t chunks) {
  return std::max<std::uint64_t>(lanes, ((count + chunks - 1) / chunks + lanes - 1) / lanes * lanes);
}

void launch(const Gpu& gpu, const Variant& variant, std::uint64_t count, unsigned blocks) {
  check(cudaSetDevice(gpu.device));
  const std::uint64_t each = words_of_chunk(count, std::uint64_t{blocks} * warps_per_block);
  variant.kernel<<<blocks, lanes * warps_per_block>>>(gpu.words, count, each, 1, gpu.out, gpu.sizes);
  check(cudaGetLastError());
}

void wait(const std::vector<Gpu>& gpus) {
  for (const Gpu& gpu : gpus) {
    check(cudaSetDevice(gpu.device));
    check(cudaDeviceSynchronize());
  }
}

/// Median seconds for all GPUs together.
double time_all(const std::vector<Gpu>& gpus, const Variant& variant, std::uint64_t count, unsigned blocks,
                int runs) {
  return floe::bench::median_seconds(runs, [&] {
    for (const Gpu& gpu : gpus) launch(gpu, variant, count, blocks);
    wait(gpus);
  });
}

/// Total bytes, after every chunk was compared.
std::uint64_t check_bytes(const Gpu& gpu, const Variant& variant, const std::vector<std::uint64_t>& words,
                          unsigned blocks) {
  launch(gpu, variant, words.size(), blocks);
  check(cudaDeviceSynchronize());
  const std::uint32_t chunks = blocks * warps_per_block;
  const std::uint64_t each = words_of_chunk(words.size(), chunks);
  const auto expected = floe::published::compress_gfc(std::as_bytes(std::span(words)), {chunks, 1}).value();
  std::vector<std::uint32_t> sizes(chunks);
  std::vector<std::byte> out(words.size() / lanes * subchunk_bytes);
  check(cudaMemcpy(sizes.data(), gpu.sizes, 4 * sizes.size(), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(out.data(), gpu.out, out.size(), cudaMemcpyDeviceToHost));
  std::uint64_t at = 7 + 4 * std::uint64_t{chunks}, total = 0;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint64_t position =
        std::min<std::uint64_t>(chunk * each, words.size()) / lanes * subchunk_bytes;
    if (at + sizes[chunk] > expected.size() ||
        std::memcmp(out.data() + position, expected.data() + at, sizes[chunk]) != 0)
      throw std::runtime_error("a variant differs from the published stream");
    at += sizes[chunk];
    total += sizes[chunk];
  }
  if (at != expected.size()) throw std::runtime_error("a variant is shorter than the published stream");
  return total;
}

std::vector<std::uint64_t> read_words(const std::vector<std::string>& files, std::uint64_t bytes) {
  std::vector<std::uint64_t> words(bytes / 8 / lanes * lanes);
  const std::vector<std::byte> content = floe::bench::read_repeated(files, "_f64_", 8 * words.size());
  std::memcpy(words.data(), content.data(), content.size());
  return words;
}

double copy_rate(const Gpu& gpu, std::uint64_t bytes, int runs) {
  check(cudaSetDevice(gpu.device));
  const double seconds = floe::bench::median_seconds(runs, [&] {
    check(cudaMemcpyAsync(gpu.out, gpu.words, bytes, cudaMemcpyDeviceToDevice));
    check(cudaDeviceSynchronize());
  });
  return static_cast<double>(bytes) / seconds / 1e9;
}

void run(const floe::bench::Arguments& arguments) {
  const int runs = arguments.runs;
  const std::vector<std::uint64_t> words = read_words(arguments.files, arguments.bytes);
  int device_count = 0;
  check(cudaGetDeviceCount(&device_count));
  std::vector<Gpu> all(static_cast<std::size_t>(device_count));
  for (int device = 0; device < device_count; ++device) {
    Gpu& gpu = all[static_cast<std::size_t>(device)];
    gpu.device = device;
    check(cudaSetDevice(device));
    check(cudaMalloc(reinterpret_cast<void**>(&gpu.words), 8 * words.size()));
    check(cudaMalloc(reinterpret_cast<void**>(&gpu.out), words.size() / lanes * subchunk_bytes));
    check(cudaMalloc(reinterpret_cast<void**>(&gpu.sizes), 4 * 843 * warps_per_block));
    check(cudaMemcpy(gpu.words, words.data(), 8 * words.size(), cudaMemcpyHostToDevice));
  }
  std::vector<std::uint64_t> sample(
      words.begin(),
      words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words.size(), 1u << 22)));
  const double copy = copy_rate(all[0], 8 * words.size(), runs);
  std::printf("gpus,blocks,leading_zeros,style,bytes_per_gpu,ratio,gbps,copy_gbps\n");
  check(cudaSetDevice(0));
  for (std::size_t gpus = 1; gpus <= all.size(); gpus *= 2) {
    const std::vector<Gpu> used(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(gpus));
    for (const unsigned blocks : {1u, 2u, 4u, 8u, 14u, 28u, 56u, 84u, 132u, 264u, 396u, 528u, 660u, 843u}) {
      for (const Variant& variant : variants) {
        check(cudaSetDevice(0));
        const std::uint64_t stored = check_bytes(all[0], variant, sample, blocks);
        const double seconds = time_all(used, variant, words.size(), blocks, blocks < 14 ? 3 : runs);
        const double total = static_cast<double>(8 * words.size() * gpus);
        std::printf("%zu,%u,%s,%s,%zu,%.4f,%.2f,%.1f\n", gpus, blocks, variant.leading_zeros, variant.style,
                    8 * words.size(), static_cast<double>(8 * sample.size()) / static_cast<double>(stored),
                    total / seconds / 1e9, copy);
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(count, words, {.runs = 9}, {.files = true}, run);
}
