// What encodes or decodes the streams of a table: the CPU alone, or GPUs beside it?
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device_choice.hpp"
#include "floe/series.hpp"

namespace floe::cli {

/// GPUs with these numbers; empty: all. Errors: device_error if there are none, or this program was built
/// without CUDA.
Result<std::unique_ptr<tables::StreamDecoder>> cuda_stream_decoder(std::span<const std::uint32_t> indices);
Result<std::unique_ptr<tables::StreamEncoder>> cuda_stream_encoder(std::span<const std::uint32_t> indices);

/// Null if the CPU does it alone. Throws a Failure if the user named devices that are not there.
std::unique_ptr<tables::StreamDecoder> stream_decoder_of(const DeviceChoice& device);
std::unique_ptr<tables::StreamEncoder> stream_encoder_of(const DeviceChoice& device);

}  // namespace floe::cli
