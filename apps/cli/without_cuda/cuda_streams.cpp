// Encoders and decoders of tables in a program that was built without CUDA.
#include "table_streams.hpp"

namespace floe::cli {

Result<std::unique_ptr<tables::StreamDecoder>> cuda_stream_decoder(std::span<const std::uint32_t>) {
  return Status{ErrorCode::device_error, 0, "this floe was built without CUDA"};
}

Result<std::unique_ptr<tables::StreamEncoder>> cuda_stream_encoder(std::span<const std::uint32_t>) {
  return Status{ErrorCode::device_error, 0, "this floe was built without CUDA"};
}

}  // namespace floe::cli
