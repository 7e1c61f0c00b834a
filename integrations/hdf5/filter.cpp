// The filter floe of HDF5: a plugin with the two symbols that HDF5 looks for.
//
// A chunk is a frame. What it is decoded from is in the frame; the parameters say how to encode. It is a pure
// function: the same chunk gives the same bytes in every process and with any number of threads.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "chunk_description.hpp"

namespace floe::hdf5 {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
/// HDF5 frees what filters give it.
using Memory = std::unique_ptr<std::byte, Free>;

Memory allocate(std::size_t bytes) {
  return Memory(static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1))));
}

/// HDF5 calls filters one after the other; threads of its callers are busy elsewhere.
std::uint32_t thread_count() {
  const char* const text = std::getenv("FLOE_HDF5_THREADS");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

void swap_bytes(std::span<std::byte> elements, std::size_t width) {
  for (std::size_t at = 0; at + width <= elements.size(); at += width)
    std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(at),
                 elements.begin() + static_cast<std::ptrdiff_t>(at + width));
}

/// What a filter returns: 0 is a failure.
std::size_t give(Memory memory, std::size_t bytes, std::size_t room, std::size_t* buffer_bytes,
                 void** buffer) {
  std::free(*buffer);
  *buffer = memory.release();
  *buffer_bytes = room;
  return bytes;
}

std::size_t encode(const ChunkDescription& chunk, std::size_t bytes, std::size_t* buffer_bytes,
                   void** buffer) {
  auto options = chunk.options();
  if (!options) return 0;
  options->threads = thread_count();
  const std::span<std::byte> elements(static_cast<std::byte*>(*buffer), bytes);
  DType dtype = chunk.dtype;
  Extent extent = chunk.extent;
  // Another filter in front of this one may have made something else of the chunk.
  const auto count = extent.element_count();
  const bool is_chunk =
      extent.rank > 0 && count && *count == bytes / size_of(dtype) && bytes % size_of(dtype) == 0;
  if (!is_chunk) {
    dtype = DType::u8;
    extent = Extent::linear(bytes);
    if (!check_tree(options->tree, dtype).ok()) options->tree = {};
  }
  const auto room = max_compressed_size(dtype, extent, *options);
  if (!room) return 0;
  Memory frame = allocate(*room);
  if (!frame) return 0;
  const bool is_swapped = is_chunk && chunk.is_big_endian;
  if (is_swapped) swap_bytes(elements, size_of(dtype));
  const auto written = compress_into({frame.get(), *room}, elements, dtype, extent, *options);
  if (!written) {
    // HDF5 stores the chunk as it is where the filter is optional.
    if (is_swapped) swap_bytes(elements, size_of(dtype));
    return 0;
  }
  return give(std::move(frame), *written, *room, buffer_bytes, buffer);
}

/// What a frame may claim: a few bytes of a damaged file must not ask for gigabytes. Filters in front of this
/// one may have made a little more of a chunk.
std::uint64_t max_words_bytes(const ChunkDescription& chunk) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 32;  // no chunk of HDF5 is larger
  const auto count = chunk.extent.element_count();
  if (chunk.extent.rank == 0 || !count || *count > max_bytes) return max_bytes;
  return std::min(max_bytes, 2 * *count * size_of(chunk.dtype) + (1 << 16));
}

std::size_t decode(const ChunkDescription& chunk, std::size_t bytes, std::size_t* buffer_bytes,
                   void** buffer) {
  const auto frame = Reader::open(std::span(static_cast<const std::byte*>(*buffer), bytes));
  if (!frame || frame->info().content != Content::array) return 0;
  const std::uint64_t size = frame->info().array_bytes();
  if (size > max_words_bytes(chunk)) return 0;
  Memory elements = allocate(size);
  if (!elements) return 0;
  DecodeOptions options;
  options.threads = thread_count();
  const std::span<std::byte> out(elements.get(), size);
  if (!frame->decompress(out, options).ok()) return 0;
  if (chunk.is_big_endian && frame->info().dtype == chunk.dtype) swap_bytes(out, size_of(chunk.dtype));
  return give(std::move(elements), size, size, buffer_bytes, buffer);
}

std::size_t filter(unsigned flags, std::size_t value_count, const unsigned* values, std::size_t bytes,
                   std::size_t* buffer_bytes, void** buffer) {
  const auto chunk = ChunkDescription::from_values({values, value_count});
  if (!chunk) return 0;
  return (flags & flag_reverse) != 0 ? decode(*chunk, bytes, buffer_bytes, buffer)
                                     : encode(*chunk, bytes, buffer_bytes, buffer);
}

/// Completes the parameters when a dataset is created. Negative: failure.
int complete(const Functions& hdf5, Id creation, Id type) {
  if (!hdf5.all_found()) return -1;
  std::array<unsigned, ChunkDescription::max_values> given{};
  std::size_t given_count = given.size();
  unsigned flags = 0;
  if (hdf5.get_filter(creation, FLOE_HDF5_FILTER_ID, &flags, &given_count, given.data(), 0, nullptr,
                      nullptr) < 0)
    return -1;
  auto chunk = ChunkDescription::from_values(std::span(given).first(std::min(given_count, given.size())));
  if (!chunk || !chunk->options()) return -1;
  std::array<unsigned long long, 32> sizes{};
  const int rank = hdf5.get_chunk(creation, static_cast<int>(sizes.size()), sizes.data());
  if (rank < 1) return -1;
  chunk->extent = {{}, 0};
  if (rank <= static_cast<int>(max_rank)) {
    chunk->extent.rank = static_cast<std::uint32_t>(rank);
    std::copy_n(sizes.begin(), rank, chunk->extent.size.begin());
  } else {
    std::uint64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= sizes[static_cast<std::size_t>(i)];
    chunk->extent = Extent::linear(count);
  }
  chunk->describe_elements(hdf5, type);
  // What does not take the type is an error now, not when the first chunk is written.
  if (const std::string_view tree = chunk->options()->tree;
      !tree.empty() && !check_tree(tree, chunk->dtype).ok())
    return -1;
  const std::vector<unsigned> values = chunk->values();
  return hdf5.modify_filter(creation, FLOE_HDF5_FILTER_ID, flags, values.size(), values.data());
}

[[gnu::noinline]] int set_local(Id creation, Id type, Id) {
  return complete(Functions(__builtin_return_address(0)), creation, type);
}

constexpr FilterClass filter_class = {
    class_version, FLOE_HDF5_FILTER_ID, 1,      1, "floe: lossless compression of numbers",
    nullptr,       &set_local,          &filter};

}  // namespace
}  // namespace floe::hdf5

extern "C" {
__attribute__((visibility("default"))) int H5PLget_plugin_type() { return floe::hdf5::plugin_is_filter; }
__attribute__((visibility("default"))) const void* H5PLget_plugin_info() { return &floe::hdf5::filter_class; }
}
