#include "table_streams.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace floe::cli {
namespace {

/// `open`: what opens GPUs by their numbers.
template <class Streams>
std::unique_ptr<Streams> streams_of(
    const DeviceChoice& device, Result<std::unique_ptr<Streams>> (*open)(std::span<const std::uint32_t>)) {
  if (device.kind == DeviceChoice::Kind::cpu) return nullptr;
  auto streams = open(device.indices);
  if (streams) return std::move(*streams);
  if (device.kind == DeviceChoice::Kind::cuda)
    throw Failure(ExitCode::error, fmt::format("--device {}", device_text(device)), streams.status().detail);
  return nullptr;
}

}  // namespace

std::unique_ptr<tables::StreamDecoder> stream_decoder_of(const DeviceChoice& device) {
  return streams_of(device, cuda_stream_decoder);
}
std::unique_ptr<tables::StreamEncoder> stream_encoder_of(const DeviceChoice& device) {
  return streams_of(device, cuda_stream_encoder);
}

}  // namespace floe::cli
