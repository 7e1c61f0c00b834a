#include "stream_decoders.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace floe::cli {

std::unique_ptr<tables::StreamDecoder> stream_decoder_of(const DeviceChoice& device) {
  if (device.kind == DeviceChoice::Kind::cpu) return nullptr;
  auto decoder = cuda_stream_decoder(device.indices);
  if (decoder) return std::move(*decoder);
  if (device.kind == DeviceChoice::Kind::cuda)
    throw Failure(ExitCode::error, fmt::format("--device {}", device_text(device)), decoder.status().detail);
  return nullptr;
}

}  // namespace floe::cli
