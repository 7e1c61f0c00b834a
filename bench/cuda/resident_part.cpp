#include "resident_part.hpp"

#include <algorithm>

namespace floe::bench {

ResidentPart::ResidentPart(int device, std::uint64_t bytes, const Kind& kind,
                           std::span<const std::byte> content)
    : host_workspace_(cuda::PinnedMemory::allocate(
                          cuda::part_host_workspace_size(bytes, kind.dtype, kind.options()).value())
                          .value()) {
  check(cudaSetDevice(device));
  part_.device = device;
  part_.bytes = bytes;
  part_.frame_room = cuda::part_frame_room(bytes, kind.dtype, kind.options()).value();
  part_.workspace.bytes = cuda::part_workspace_size(bytes, kind.dtype, kind.options()).value();
  elements_ = std::make_unique<DeviceBuffer>(bytes);
  frame_ = std::make_unique<DeviceBuffer>(part_.frame_room);
  workspace_ = std::make_unique<DeviceBuffer>(part_.workspace.bytes);
  fill(*elements_, content);
  part_.elements = elements_->data;
  part_.frame = frame_->data;
  part_.workspace.data = workspace_->data;
  part_.host_workspace = {host_workspace_.bytes().data(), host_workspace_.bytes().size()};
  check(cudaStreamCreateWithFlags(&part_.stream, cudaStreamNonBlocking));
  check(cudaDeviceSynchronize());
}

ResidentPart::~ResidentPart() {
  (void)cudaSetDevice(part_.device);
  (void)cudaStreamDestroy(part_.stream);
}

std::vector<std::byte> ResidentPart::tail() const {
  std::vector<std::byte> tail(std::min<std::uint64_t>(part_.bytes, 1 << 20));
  check(cudaSetDevice(part_.device));
  check(cudaMemcpy(tail.data(), elements_->data + part_.bytes - tail.size(), tail.size(),
                   cudaMemcpyDeviceToHost));
  return tail;
}

void ResidentPart::spoil() {
  spoiled_ = tail();
  check(cudaMemset(elements_->data + part_.bytes - spoiled_.size(), 0x5A, spoiled_.size()));
  check(cudaDeviceSynchronize());
}

bool ResidentPart::is_whole() const { return tail() == spoiled_; }

}  // namespace floe::bench
