// Many arrays or frames in device memory, between canaries, compressed or decompressed by one call.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/cuda/device_memory.hpp"

namespace floe::test {

/// Codecs and trees that devices have.
inline std::vector<ArrayCase> supported_cases() {
  std::vector<ArrayCase> cases = codecs_once();
  for (ArrayCase& c : device_tree_cases()) cases.push_back(std::move(c));
  std::erase_if(cases, [](const ArrayCase& c) { return !cuda::supports(c.dtype, c.options()); });
  return cases;
}

/// Items in device memory whose contents and outputs lie in two large areas.
struct Batch {
  std::vector<Bytes> in;
  std::vector<std::uint64_t> room;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::vector<cuda::ItemResult> results;
  std::vector<Bytes> out;

  void add(const Bytes& bytes, std::uint64_t out_room) {
    in.push_back(bytes);
    room.push_back(out_room);
  }
  template <class Call>
  void run(const Call& call) {
    constexpr std::uint64_t gap = 64;  // of canaries
    const auto area_bytes = [](std::uint64_t bytes) { return (bytes + gap + 15) / 16 * 16; };
    std::uint64_t in_area = 0, out_area = gap;
    for (std::size_t i = 0; i < in.size(); ++i) {
      in_area += area_bytes(in[i].size());
      out_area += area_bytes(room[i]);
      in_bytes += in[i].size();
      out_bytes += room[i];
    }
    const DeviceMemory source(in_area), target(out_area);
    std::vector<cuda::BatchItem> items(in.size());
    Bytes image(in_area, 0);
    std::uint64_t from = 0, to = gap;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].empty()) std::memcpy(image.data() + from, in[i].data(), in[i].size());
      items[i] = {source.data() + from, in[i].size(), target.data() + to, room[i]};
      from += area_bytes(in[i].size());
      to += area_bytes(room[i]);
    }
    source.write(image);
    const DeviceMemory device_items(items.size() * sizeof items[0]),
        device_results(items.size() * sizeof(cuda::ItemResult));
    device_items.write({reinterpret_cast<const std::uint8_t*>(items.data()), device_items.size()});
    ASSERT_NO_FATAL_FAILURE(call(reinterpret_cast<const cuda::BatchItem*>(device_items.data()),
                                 reinterpret_cast<cuda::ItemResult*>(device_results.data())));
    expect_cuda(cudaDeviceSynchronize());
    results.resize(in.size());
    const Bytes read = device_results.read(), written = target.read();
    std::memcpy(results.data(), read.data(), read.size());
    std::uint64_t checked = 0;
    to = gap;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (; checked < to; ++checked) ASSERT_EQ(written[checked], 0xA5) << "before item " << i;
      out.emplace_back(
          written.begin() + static_cast<std::ptrdiff_t>(to),
          written.begin() + static_cast<std::ptrdiff_t>(to + std::min(results[i].bytes, room[i])));
      checked = to + room[i];
      to += area_bytes(room[i]);
    }
    for (; checked < written.size(); ++checked) ASSERT_EQ(written[checked], 0xA5) << "behind the last item";
    ASSERT_TRUE(target.is_intact() && source.is_intact());
  }

  void compress(DType dtype, const Options& options) {
    run([&](const cuda::BatchItem* items, cuda::ItemResult* item_results) {
      const DeviceMemory workspace(*cuda::compress_workspace_size(in_bytes, in.size(), dtype, options));
      const Status status = cuda::compress_batch_async(items, in.size(), in_bytes, dtype, options,
                                                       item_results, workspace_of(workspace), nullptr);
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_TRUE(workspace.is_intact());
    });
  }
  void decompress(const cuda::FrameKind& kind) {
    run([&](const cuda::BatchItem* items, cuda::ItemResult* item_results) {
      const DeviceMemory workspace(*cuda::decompress_workspace_size(out_bytes, in.size(), kind));
      const Status status = cuda::decompress_batch_async(items, in.size(), out_bytes, kind, item_results,
                                                         workspace_of(workspace), nullptr);
      expect_cuda(cudaDeviceSynchronize());
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_TRUE(workspace.is_intact());
    });
  }
};

}  // namespace floe::test
