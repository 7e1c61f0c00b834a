// Times arrays of the host that go through GPUs, beside the links. Prints CSV, rates in GB/s of elements.
//
//   host_bench [--bytes N] [--runs N] [--only NAME] FILES
//
// Files (names with _f32_ or _f64_) of a type are joined and repeated up to N bytes. "links": copies of the
// same pinned memory in the same run, for 1 GPU up to all: in, out, and each direction while both run.
// "host": memory of the host to memory of the host, by codecs, and by trees that the goal balance chooses
// for GPUs (balance_f32, balance_f64) or for CPUs (cpu_balance_f32, cpu_balance_f64). resident_bench is for
// data in the memories of GPUs.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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
}

void bench_host(const char* what, cuda::Devices& devices, const Kind& kind, std::span<std::byte> elements,
                std::span<std::byte> frame, std::span<std::byte> back, int runs) {
  const floe::Extent extent = kind.extent(elements.size());
  floe::Options options = kind.options();
  floe::DecodeOptions decode_options;
  options.accelerator = decode_options.accelerator = &devices;
  std::size_t frame_bytes = 0;
  const double compress = median_seconds(
      runs, [&] { frame_bytes = floe::compress_into(frame, elements, kind.dtype, extent, options).value(); });
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
  for (const Kind& kind : floe::bench::kinds_and_goals(arguments.only))
    room = std::max(room, floe::max_compressed_size(kind.dtype, kind.extent(bytes), kind.options()).value());
  auto elements = cuda::PinnedMemory::allocate(bytes).value(),
       back = cuda::PinnedMemory::allocate(bytes).value();
  auto frame = cuda::PinnedMemory::allocate(room).value();
  floe::bench::print_header();
  const std::uint32_t all = cuda::device_count().value();
  for (const Kind& kind : floe::bench::kinds_and_goals(arguments.only)) {
    std::vector<std::byte> content = floe::bench::read_repeated(arguments.files, kind.in_names(), bytes);
    std::copy(content.begin(), content.end(), elements.bytes().begin());
    for (std::uint32_t gpus = 1; gpus <= all; gpus *= 2) {
      std::vector<std::uint32_t> indices(gpus);
      for (std::uint32_t i = 0; i < gpus; ++i) indices[i] = i;
      if (std::string(kind.name) == "spspeed") bench_links(gpus, elements.bytes(), back.bytes(), runs);
      const auto devices = cuda::Devices::open(indices).value();
      bench_host("host", *devices, kind, elements.bytes(), frame.bytes(), back.bytes(), runs);
      if (std::string(kind.name) == "spspeed") {
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
