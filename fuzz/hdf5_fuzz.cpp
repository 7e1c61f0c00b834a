// Are any parameters and any bytes safe for the filter of HDF5, and does every chunk come back? HDF5 itself
// is not there: it would call the filter just so.
#include <memory>

#include "fuzz/support.hpp"
#include "integrations/hdf5/chunk_description.hpp"

extern "C" const void* H5PLget_plugin_info();

namespace floe::fuzz {
namespace {

constexpr std::size_t max_chunk_bytes = 1 << 20;

/// A chunk on its way through filters.
struct Chunk {
  void* buffer;
  std::size_t buffer_bytes, bytes;

  explicit Chunk(const Bytes& content)
      : buffer(std::malloc(std::max<std::size_t>(content.size(), 1))),
        buffer_bytes(content.size()),
        bytes(content.size()) {
    std::copy(content.begin(), content.end(), static_cast<std::uint8_t*>(buffer));
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { std::free(buffer); }
  /// As HDF5 does: 0 is a failure, after which the buffer is as before.
  bool pass(unsigned flags, std::span<const unsigned> values) {
    const auto& filter = *static_cast<const hdf5::FilterClass*>(H5PLget_plugin_info());
    const std::size_t given =
        filter.filter(flags, values.size(), values.data(), bytes, &buffer_bytes, &buffer);
    require(given <= buffer_bytes);
    if (given != 0) bytes = given;
    return given != 0;
  }
  [[nodiscard]] Bytes content() const {
    const auto* const first = static_cast<const std::uint8_t*>(buffer);
    return {first, first + bytes};
  }
};

/// Any numbers, or those of a chunk of small sizes.
std::vector<unsigned> take_values(Input& input) {
  const auto kind = input.take<std::uint8_t>();
  std::vector<unsigned> values;
  if (kind % 4 == 0) {
    for (unsigned i = 0; i < kind / 4 % 16; ++i) values.push_back(input.take<unsigned>());
    return values;
  }
  hdf5::ChunkDescription chunk;
  chunk.dtype = static_cast<DType>(1 + input.take<std::uint8_t>() % 13);
  chunk.is_big_endian = kind % 8 > 4;
  chunk.goal = static_cast<Goal>(input.take<std::uint8_t>() % 4);
  chunk.codec = kind > 200 ? input.take<std::uint8_t>() : 0;
  chunk.extent.rank = 1 + kind / 8 % 3;
  for (std::uint32_t d = 0; d < chunk.extent.rank; ++d)
    chunk.extent.size[d] = 1 + input.take<std::uint8_t>() % 32u;
  values = chunk.values();
  if (kind % 16 == 1 && !values.empty())
    values[input.take<std::uint8_t>() % values.size()] = input.take<unsigned>();
  return values;
}

void run_hdf5(Input input) {
  const std::vector<unsigned> values = take_values(input);
  const Bytes content = input.rest();
  if (content.empty()) return;
  Chunk chunk(content);
  if (chunk.pass(0, values)) {
    const Bytes frame = chunk.content();
    require(chunk.pass(hdf5::flag_reverse, values) && chunk.content() == content);
    with_changes(frame, 8, [&](const Bytes& changed) {
      count_decoded();
      Chunk damaged(changed);
      if (damaged.pass(hdf5::flag_reverse, values)) require(damaged.bytes <= max_chunk_bytes);
    });
  } else {
    require(chunk.content() == content);
  }
  count_decoded();
  Chunk(content).pass(hdf5::flag_reverse, values);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_hdf5({data, size});
  return 0;
}
