// How do batches of streams of tables go to GPUs, in turn?
#include <deque>
#include <vector>

#include "api/guard.hpp"
#include "floe/cuda_host.hpp"
#include "floe/series_cuda_host.hpp"
#include "gpu/stream_slot.hpp"

namespace floe::cuda {
namespace {

constexpr std::size_t slots_per_device = 2;
constexpr std::uint64_t usual_batch_bytes = std::uint64_t{64} << 20;

}  // namespace

struct StreamDevices::State {
  std::vector<std::unique_ptr<gpu::StreamSlot>> slots;
  std::size_t next = 0;   ///< The slot for the next batch.
  std::size_t begun = 0;  ///< Batches at work, in the slots before.
};

Result<std::unique_ptr<StreamDevices>> StreamDevices::open(std::span<const std::uint32_t> indices) {
  const Result<std::uint32_t> count = device_count();
  if (!count) return count.status();
  std::vector<std::uint32_t> chosen(indices.begin(), indices.end());
  for (std::uint32_t i = 0; indices.empty() && i < *count; ++i) chosen.push_back(i);
  auto state = std::make_unique<State>();
  for (std::size_t i = 0; i < slots_per_device * chosen.size(); ++i) {
    const std::uint32_t index = chosen[i % chosen.size()];
    if (index >= *count) return Status{ErrorCode::invalid_argument, 0, "there is no CUDA device of this number"};
    auto slot = std::make_unique<gpu::StreamSlot>(static_cast<int>(index));
    if (const Status status = slot->open(); !status.ok()) return status;
    state->slots.push_back(std::move(slot));
  }
  return std::unique_ptr<StreamDevices>(new StreamDevices(std::move(state)));
}

StreamDevices::StreamDevices(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamDevices::~StreamDevices() = default;

std::uint64_t StreamDevices::batch_bytes() const { return usual_batch_bytes; }
std::size_t StreamDevices::batches_at_once() const { return state_->slots.size(); }

Status StreamDevices::begin(std::span<tables::EncodedStream> streams) {
  if (state_->begun == state_->slots.size()) return {ErrorCode::invalid_argument, 0, "more batches than are decoded at once"};
  return api::guarded([&]() -> Status {
    const Status status = state_->slots[state_->next]->begin(streams);
    if (!status.ok()) return status;
    state_->next = (state_->next + 1) % state_->slots.size();
    ++state_->begun;
    return {};
  });
}

Status StreamDevices::finish() {
  if (state_->begun == 0) return {ErrorCode::invalid_argument, 0, "no batch was begun"};
  const std::size_t oldest = (state_->next + state_->slots.size() - state_->begun) % state_->slots.size();
  --state_->begun;
  return state_->slots[oldest]->finish();
}

}  // namespace floe::cuda
