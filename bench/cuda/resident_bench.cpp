// Times arrays in the memories of several GPUs. Prints CSV, rates in GB/s of elements.
//
//   resident_bench [--bytes N] [--runs N] [--only CODEC] FILES
//
// Every GPU has N bytes in its memory and makes its part of one frame, for 1 GPU, 2, 4 and so on up to all.
// Files (names with _f32_ or _f64_) of a type are joined and repeated. "resident": parts of one process,
// whose calls are timed as the host sees them: kernels, the numbers read back, the footer. "gather" brings
// the frame together in memory of the host, and of the first GPU; rates are of its bytes. "ranks", in builds
// with FLOE_NCCL: each GPU belongs to a rank of NCCL, which is a thread; from the start of the first rank to
// the end of the last. Their frame is gathered in memory of the first GPU.
#include <stdexcept>

#include "floe/cuda_host.hpp"
#include "resident_part.hpp"
#ifdef FLOE_BENCH_RANKS
#include "resident_ranks.hpp"
#endif

namespace {

using floe::bench::check;
using floe::bench::Kind;
using floe::bench::median_seconds;
using floe::bench::print_row;
using floe::bench::ResidentParts;
using floe::bench::ResidentTimes;
namespace cuda = floe::cuda;

void print(const char* what, const char* what_gathers, const Kind& kind, std::size_t gpus,
           std::uint64_t bytes, const ResidentTimes& times) {
  const double ratio = static_cast<double>(bytes) / static_cast<double>(times.frame_bytes);
  print_row(what, kind.name, gpus, bytes, ratio, times.compress, times.decompress);
  if (times.to_device != 0)
    print_row(what_gathers, kind.name, gpus, times.frame_bytes, ratio, times.to_host, times.to_device);
}

void reach_each_other(std::uint32_t gpus) {
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    check(cudaSetDevice(static_cast<int>(gpu)));
    for (std::uint32_t other = 0; other < gpus; ++other) {
      if (other != gpu) (void)cudaDeviceEnablePeerAccess(static_cast<int>(other), 0);
    }
  }
  (void)cudaGetLastError();
}

ResidentTimes time_parts(const ResidentParts& residents, const Kind& kind, std::span<std::byte> gathered,
                         int runs) {
  std::vector<cuda::ArrayPart> parts;
  std::uint64_t bytes = 0;
  for (const auto& resident : residents) {
    parts.push_back(resident->part());
    bytes += resident->part().bytes;
  }
  cuda::PartedFrame frame;
  ResidentTimes times;
  const floe::Extent extent = kind.extent(bytes);
  times.compress = median_seconds(
      runs, [&] { frame = cuda::compress_parts(parts, kind.dtype, extent, kind.options()).value(); });
  for (const auto& resident : residents) resident->spoil();
  times.decompress = median_seconds(runs, [&] { cuda::decompress_parts(parts, frame).or_throw(); });
  times.frame_bytes = frame.frame_bytes;

  check(cudaSetDevice(0));
  const floe::bench::DeviceBuffer on_device(frame.frame_bytes);
  times.to_device =
      median_seconds(runs, [&] { cuda::gather(parts, frame, on_device.data, on_device.bytes).or_throw(); });
  if (frame.frame_bytes <= gathered.size())
    times.to_host = median_seconds(
        runs, [&] { cuda::gather(parts, frame, gathered.data(), gathered.size()).or_throw(); });
  return times;
}

#ifdef FLOE_BENCH_RANKS
using Ranks = floe::bench::Ranks;
#else
struct Ranks {};
#endif

void bench_codec(const Kind& kind, const floe::bench::Arguments& arguments, std::span<std::byte> gathered,
                 [[maybe_unused]] Ranks& ranks) {
  const auto content = floe::bench::read_joined(arguments.files, kind.in_names());
  ResidentParts parts;
  const std::uint32_t all = cuda::device_count().value();
  for (std::uint32_t gpus = 1; gpus <= all; gpus *= 2) {
    while (parts.size() < gpus)
      parts.push_back(std::make_unique<floe::bench::ResidentPart>(static_cast<int>(parts.size()),
                                                                  arguments.bytes, kind, std::span(content)));
    const auto check_parts = [&] {
      for (const auto& part : parts) {
        if (!part->is_whole()) throw std::runtime_error("an array does not come back");
      }
    };
    print("resident", "gather", kind, gpus, gpus * arguments.bytes,
          time_parts(parts, kind, gathered, arguments.runs));
    check_parts();
#ifdef FLOE_BENCH_RANKS
    print("ranks", "gather_ranks", kind, gpus, gpus * arguments.bytes,
          ranks.time(parts, kind, arguments.runs));
    check_parts();
#endif
  }
}

void run(const floe::bench::Arguments& arguments) {
  reach_each_other(cuda::device_count().value());
  const auto gathered = cuda::PinnedMemory::allocate(arguments.bytes).value();
  Ranks ranks;
  floe::bench::print_header();
  for (const Kind& kind : floe::bench::kinds(arguments.only))
    bench_codec(kind, arguments, gathered.bytes(), ranks);
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(count, words, {.bytes = std::uint64_t{2} << 30, .runs = 15},
                                  {.files = true, .only = true}, run);
}
