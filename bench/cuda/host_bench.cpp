// Times arrays of the host that go through GPUs, beside the links. Prints CSV, rates in GB/s of elements.
//
//   host_bench [--bytes N] [--runs N] [--only NAME] FILES
//
// Files (names with _f32_ or _f64_) of a type are joined and repeated up to N bytes. "links": copies of the
// same pinned memory in the same run, for 1 GPU up to all: in, out, and each direction while both run.
// "host": memory of the host to memory of the host, by codecs, and by trees that the goal balance chooses
// for GPUs (balance_f32, balance_f64) or for CPUs (cpu_balance_f32, cpu_balance_f64), and by those that
// PlannedEncoder chooses on the first GPU (planned_f32, planned_f64; anew each time, or, "host_known", not).
// "host_pageable" is for memory that is not pinned. resident_bench is for data in the memories of GPUs.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "floe/cuda.hpp"
#include "floe/cuda_host.hpp"
#include "kinds.hpp"
#include "program.hpp"

namespace {

using floe::bench::check;
using floe::bench::Kind;
using floe::bench::median_seconds;
using floe::bench::print_row;
namespace cuda = floe::cuda;

/// Streams and memory of one GPU for plain copies.
struct Link {
  int device = 0;
  cudaStream_t in = nullptr, out = nullptr;
  std::byte *in_memory = nullptr, *out_memory = nullptr;
};

constexpr std::uint64_t link_block = std::uint64_t{64} << 20;

/// Copies memory in and out through the links in turn, in blocks.
void copy_through(const std::vector<Link>& links, std::span<std::byte> from, std::span<std::byte> to, bool in,
                  bool out) {
  for (std::uint64_t at = 0, i = 0; at + link_block <= from.size(); at += link_block, ++i) {
    const Link& link = links[i % links.size()];
    check(cudaSetDevice(link.device));
    if (in)
      check(cudaMemcpyAsync(link.in_memory, from.data() + at, link_block, cudaMemcpyHostToDevice, link.in));
    if (out)
      check(cudaMemcpyAsync(to.data() + at, link.out_memory, link_block, cudaMemcpyDeviceToHost, link.out));
  }
  for (const Link& link : links) {
    check(cudaSetDevice(link.device));
    check(cudaDeviceSynchronize());
  }
}

void bench_links(std::size_t gpus, std::span<std::byte> from, std::span<std::byte> to, int runs) {
  std::vector<Link> links(gpus);
  for (std::size_t i = 0; i < gpus; ++i) {
    links[i].device = static_cast<int>(i);
    check(cudaSetDevice(links[i].device));
    check(cudaStreamCreateWithFlags(&links[i].in, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&links[i].out, cudaStreamNonBlocking));
    check(cudaMalloc(reinterpret_cast<void**>(&links[i].in_memory), link_block));
    check(cudaMalloc(reinterpret_cast<void**>(&links[i].out_memory), link_block));
  }
  const double in = median_seconds(runs, [&] { copy_through(links, from, to, true, false); });
  const double out = median_seconds(runs, [&] { copy_through(links, from, to, false, true); });
  const double both = median_seconds(runs, [&] { copy_through(links, from, to, true, true); });
  print_row("links", "alone", gpus, from.size(), 1, in, out);
  print_row("links", "both", gpus, from.size(), 1, both, both);
  for (const Link& link : links) {
    check(cudaSetDevice(link.device));
    check(cudaStreamDestroy(link.in));
    check(cudaStreamDestroy(link.out));
    check(cudaFree(link.in_memory));
    check(cudaFree(link.out_memory));
  }
  check(cudaSetDevice(0));
}

/// Compresses arrays of a kind.
class Compressor {
 public:
  Compressor(const Kind& kind, cuda::Devices& devices, bool plans_anew)
      : kind_(kind), plans_anew_(plans_anew) {
    options_ = kind.options();
    options_.accelerator = &devices;
    constexpr std::uint64_t batch_words = 8 * cuda::usual_segment_words;
    if (kind.is_by_device)
      encoder_.emplace(
          cuda::PlannedEncoder::create(kind.dtype, batch_words, cuda::usual_segment_words, batch_words)
              .value());
  }
  std::size_t operator()(std::span<std::byte> frame, std::span<const std::byte> elements) {
    const floe::Extent extent = kind_.extent(elements.size());
    if (!encoder_) return floe::compress_into(frame, elements, kind_.dtype, extent, options_).value();
    if (plans_anew_) encoder_->forget();
    return encoder_->compress_into(frame, elements, kind_.dtype, extent).value();
  }

 private:
  const Kind& kind_;
  bool plans_anew_;
  floe::Options options_;
  std::optional<cuda::PlannedEncoder> encoder_;
};

void bench_host(const char* what, cuda::Devices& devices, const Kind& kind, std::span<std::byte> elements,
                std::span<std::byte> frame, std::span<std::byte> back, int runs, bool plans_anew = true) {
  floe::DecodeOptions decode_options;
  decode_options.accelerator = &devices;
  Compressor compressor(kind, devices, plans_anew);
  std::size_t frame_bytes = 0;
  const double compress = median_seconds(runs, [&] { frame_bytes = compressor(frame, elements); });
  const double decompress = median_seconds(runs, [&] {
    const auto reader = floe::Reader::open(frame.first(frame_bytes)).value();
    reader.decompress(back, decode_options).or_throw();
  });
  if (!std::equal(back.begin(), back.end(), elements.begin()))
    throw std::runtime_error("an array does not come back");
  print_row(what, kind.name, devices.count(), elements.size(),
            static_cast<double>(elements.size()) / static_cast<double>(frame_bytes), compress, decompress);
}

void run(const floe::bench::Arguments& arguments) {
  const std::uint64_t bytes = arguments.bytes;
  const int runs = arguments.runs;
  std::uint64_t room = 0;
  const std::vector<Kind> all_kinds = floe::bench::kinds_and_goals(arguments.only);
  for (const Kind& kind : all_kinds)
    room = std::max(room, floe::max_compressed_size(kind.dtype, kind.extent(bytes), kind.options()).value());
  auto elements = cuda::PinnedMemory::allocate(bytes).value(),
       back = cuda::PinnedMemory::allocate(bytes).value();
  auto frame = cuda::PinnedMemory::allocate(room).value();
  floe::bench::print_header();
  const std::uint32_t all = cuda::device_count().value();
  for (const Kind& kind : all_kinds) {
    std::vector<std::byte> content = floe::bench::read_repeated(arguments.files, kind.in_names(), bytes);
    std::copy(content.begin(), content.end(), elements.bytes().begin());
    for (std::uint32_t gpus = 1; gpus <= all; gpus *= 2) {
      std::vector<std::uint32_t> indices(gpus);
      for (std::uint32_t i = 0; i < gpus; ++i) indices[i] = i;
      if (kind.is_by_device && gpus > 1) break;
      const bool is_first = &kind == &all_kinds.front();
      if (is_first) bench_links(gpus, elements.bytes(), back.bytes(), runs);
      const auto devices = cuda::Devices::open(indices).value();
      bench_host("host", *devices, kind, elements.bytes(), frame.bytes(), back.bytes(), runs);
      if (kind.is_by_device)
        bench_host("host_known", *devices, kind, elements.bytes(), frame.bytes(), back.bytes(), runs, false);
      if (std::string(kind.name) == "spspeed" || kind.is_by_device) {
        std::vector<std::byte> pageable_frame(room), pageable_back(bytes);
        bench_host("host_pageable", *devices, kind, content, pageable_frame, pageable_back, runs);
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(count, words, {.bytes = std::uint64_t{2} << 30, .runs = 7},
                                  {.files = true, .only = true}, run);
}
