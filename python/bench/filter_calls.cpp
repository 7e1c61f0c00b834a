// How long does the filter of HDF5 take for a chunk, beside the library? filter_calls PLUGIN FILE DTYPE GOAL
// RUNS: FILE holds elements, which are taken in chunks of 1 MiB; GOAL is 0 to 3. Prints the seconds of all
// chunks, each its best of RUNS: the library compresses, the filter does, the library restores, the filter
// does.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "floe/floe.hpp"
#include "integrations/hdf5/chunk_description.hpp"
#include "integrations/hdf5/hdf5_abi.hpp"

namespace {

constexpr std::size_t chunk_bytes = 1 << 20;

template <class Call>
void take_best(double& best, Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

/// Memory as HDF5 hands it to filters, and takes it back.
struct Block {
  std::size_t bytes, room;
  void* memory;

  explicit Block(std::span<const std::byte> from)
      : bytes(from.size()), room(from.size()), memory(std::malloc(bytes)) {
    std::memcpy(memory, from.data(), bytes);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { std::free(memory); }
  [[nodiscard]] std::span<std::byte> content() const { return {static_cast<std::byte*>(memory), bytes}; }
};

struct Seconds {
  double compress = 1e9, encode = 1e9, decompress = 1e9, decode = 1e9;
};

Seconds measure(const floe::hdf5::FilterClass& filter, std::span<const std::byte> in,
                const floe::hdf5::ChunkDescription& chunk, int runs) {
  const std::vector<unsigned> values = chunk.values();
  floe::Options options = chunk.options().value();
  options.threads = 1;
  floe::DecodeOptions decode;
  decode.threads = 1;
  std::vector<std::byte> frame(floe::max_compressed_size(chunk.dtype, chunk.extent, options).value());
  std::vector<std::byte> restored(in.size());
  std::size_t frame_bytes = 0;
  Seconds best;
  for (int run = 0; run < runs; ++run) {
    Block ours(in), theirs(in);
    take_best(best.compress, [&] {
      frame_bytes = floe::compress_into(frame, ours.content(), chunk.dtype, chunk.extent, options).value();
    });
    take_best(best.encode, [&] {
      theirs.bytes =
          filter.filter(0, values.size(), values.data(), theirs.bytes, &theirs.room, &theirs.memory);
    });
    const auto stored = std::span(frame).first(frame_bytes);
    if (!std::ranges::equal(stored, theirs.content())) std::abort();
    Block packed(stored);
    take_best(best.decompress,
              [&] { floe::Reader::open(stored).value().decompress(restored, decode).or_throw(); });
    take_best(best.decode, [&] {
      packed.bytes = filter.filter(floe::hdf5::flag_reverse, values.size(), values.data(), packed.bytes,
                                   &packed.room, &packed.memory);
    });
    if (!std::ranges::equal(in, packed.content())) std::abort();
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) return 2;
  void* const plugin = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  void* const symbol = plugin == nullptr ? nullptr : dlsym(plugin, "H5PLget_plugin_info");
  if (symbol == nullptr) return 1;
  const auto& filter =
      *static_cast<const floe::hdf5::FilterClass*>(reinterpret_cast<const void* (*)()>(symbol)());
  std::ifstream file(words[2], std::ios::binary);
  const std::vector<char> elements{std::istreambuf_iterator<char>(file), {}};
  floe::hdf5::ChunkDescription chunk;
  chunk.dtype = floe::dtype_from_name(words[3]).value();
  chunk.goal = static_cast<floe::Goal>(std::atoi(words[4]));
  Seconds all{0, 0, 0, 0};
  for (std::size_t at = 0; at + chunk_bytes <= elements.size(); at += chunk_bytes) {
    chunk.extent = floe::Extent::linear(chunk_bytes / floe::size_of(chunk.dtype));
    const Seconds best = measure(filter, std::as_bytes(std::span(elements)).subspan(at, chunk_bytes), chunk,
                                 std::atoi(words[5]));
    all.compress += best.compress;
    all.encode += best.encode;
    all.decompress += best.decompress;
    all.decode += best.decode;
  }
  std::printf("%.6f %.6f %.6f %.6f\n", all.compress, all.encode, all.decompress, all.decode);
  return 0;
}
