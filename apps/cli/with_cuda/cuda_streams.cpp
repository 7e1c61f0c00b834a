// GPUs as encoders and decoders of tables.
#include "floe/series_cuda_host.hpp"
#include "table_streams.hpp"

namespace floe::cli {

Result<std::unique_ptr<tables::StreamDecoder>> cuda_stream_decoder(std::span<const std::uint32_t> indices) {
  auto devices = cuda::StreamDevices::open(indices);
  if (!devices) return devices.status();
  return std::unique_ptr<tables::StreamDecoder>(std::move(*devices));
}

Result<std::unique_ptr<tables::StreamEncoder>> cuda_stream_encoder(std::span<const std::uint32_t> indices) {
  auto devices = cuda::StreamEncodingDevices::open(indices);
  if (!devices) return devices.status();
  return std::unique_ptr<tables::StreamEncoder>(std::move(*devices));
}

}  // namespace floe::cli
