// How do batches of streams of tables go to GPUs, in turn?
#include "floe/series_cuda_host.hpp"
#include "gpu/host/encode_slot.hpp"
#include "gpu/host/slot_turns.hpp"
#include "gpu/host/stream_slot.hpp"

namespace floe::cuda {
namespace {

constexpr std::uint64_t usual_batch_bytes = std::uint64_t{64} << 20;
/// GPUs never made the CPU wait with it, and more leaves its caches and costs time until memory is pinned.
constexpr std::uint64_t usual_encoding_batch_bytes = std::uint64_t{16} << 20;

}  // namespace

struct StreamDevices::State {
  gpu::SlotTurns<gpu::StreamSlot> slots;
};

Result<std::unique_ptr<StreamDevices>> StreamDevices::open(std::span<const std::uint32_t> indices) {
  auto state = std::make_unique<State>();
  if (const Status status = state->slots.open(indices); !status.ok()) return status;
  return std::unique_ptr<StreamDevices>(new StreamDevices(std::move(state)));
}

StreamDevices::StreamDevices(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamDevices::~StreamDevices() = default;

std::uint64_t StreamDevices::batch_bytes() const { return usual_batch_bytes; }
std::size_t StreamDevices::batches_at_once() const { return state_->slots.size(); }
Status StreamDevices::begin(std::span<tables::EncodedStream> streams) { return state_->slots.begin(streams); }
Status StreamDevices::finish() { return state_->slots.finish(); }

struct StreamEncodingDevices::State {
  gpu::SlotTurns<gpu::EncodeSlot> slots;
};

Result<std::unique_ptr<StreamEncodingDevices>> StreamEncodingDevices::open(
    std::span<const std::uint32_t> indices) {
  auto state = std::make_unique<State>();
  if (const Status status = state->slots.open(indices); !status.ok()) return status;
  return std::unique_ptr<StreamEncodingDevices>(new StreamEncodingDevices(std::move(state)));
}

StreamEncodingDevices::StreamEncodingDevices(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamEncodingDevices::~StreamEncodingDevices() = default;

std::uint64_t StreamEncodingDevices::batch_bytes() const { return usual_encoding_batch_bytes; }
std::size_t StreamEncodingDevices::batches_at_once() const { return state_->slots.size(); }
Status StreamEncodingDevices::begin(std::span<tables::StreamWords> streams) {
  return state_->slots.begin(streams);
}
Status StreamEncodingDevices::finish() { return state_->slots.finish(); }

}  // namespace floe::cuda
