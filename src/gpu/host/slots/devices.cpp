// GPUs as an accelerator. Knows no CUDA.
#include "gpu/host/slots/slot_batch.hpp"

namespace floe::cuda {
namespace {

/// Copies of this length reach the full rate of a link; longer ones only fill and drain slots more slowly.
constexpr std::uint64_t usual_batch_bytes = std::uint64_t{64} << 20;

/// Begins with a batch in a slot of its own. Without a slot, or memory for it, the CPU has to do it.
template <class Batch, class Stream>
Result<std::unique_ptr<Accelerator::Batch>> begin(gpu::Slots& slots, std::span<Stream> streams,
                                                  const Executor& executor) {
  gpu::Slots::Lease lease = slots.take();
  if (!lease) return std::unique_ptr<Accelerator::Batch>();
  auto batch = std::make_unique<Batch>(std::move(lease), streams, executor);
  const Result<bool> takes_some = batch->begin();
  if (!takes_some && takes_some.status().code != ErrorCode::out_of_memory) return takes_some.status();
  if (!takes_some || !*takes_some) return std::unique_ptr<Accelerator::Batch>();
  return std::unique_ptr<Accelerator::Batch>(std::move(batch));
}

}  // namespace

Devices::Devices(std::unique_ptr<State> state) : state_(std::move(state)) {}
Devices::~Devices() = default;

std::uint32_t Devices::count() const noexcept { return state_->device_count; }
std::uint64_t Devices::batch_bytes() const { return usual_batch_bytes; }
std::size_t Devices::batches_at_once() const { return state_->slots.size(); }

Result<std::unique_ptr<Accelerator::Batch>> Devices::encode(std::span<StreamToEncode> streams,
                                                            const Executor& executor) {
  return begin<gpu::EncodeBatch>(state_->slots, streams, executor);
}

Result<std::unique_ptr<Accelerator::Batch>> Devices::decode(std::span<StreamToDecode> streams,
                                                            const Executor& executor) {
  return begin<gpu::DecodeBatch>(state_->slots, streams, executor);
}

std::uint64_t Devices::decoding_bytes(std::span<const StreamToDecode> streams) const {
  return gpu::staging_bytes(state_->slots.any(), streams);
}

}  // namespace floe::cuda
