#include "device_work.hpp"

#include <algorithm>

namespace floe::bench {

DeviceBuffer::DeviceBuffer(std::uint64_t size) : bytes(size) {
  check(cudaMalloc(reinterpret_cast<void**>(&data), std::max<std::uint64_t>(size, 256)));
}

void fill(const DeviceBuffer& to, std::span<const std::byte> from) {
  std::uint64_t filled = std::min<std::uint64_t>(from.size(), to.bytes);
  check(cudaMemcpy(to.data, from.data(), filled, cudaMemcpyHostToDevice));
  while (filled < to.bytes) {
    const std::uint64_t count = std::min(filled, to.bytes - filled);
    check(cudaMemcpy(to.data + filled, to.data, count, cudaMemcpyDeviceToDevice));
    filled += count;
  }
}

Times times_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

Times measure(int runs, const std::function<void()>& work, const std::function<void()>& before) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> seconds;
  for (int run = -2; run < runs; ++run) {
    before();
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run >= 0) seconds.push_back(milliseconds * 1e-3);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return times_of(std::move(seconds));
}

Times measure_copy(std::uint64_t bytes, int runs) {
  const DeviceBuffer from(bytes), to(bytes);
  check(cudaMemset(from.data, 1, bytes));
  return measure(runs, [&] { check(cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice)); });
}

}  // namespace floe::bench
