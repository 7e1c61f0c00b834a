// Narrow: doubles that were floats once become floats again, also where they were printed with few decimal
// digits in between. Every value is decoded again when it is encoded; whatever does not come back bit by bit
// is an exception.
#include "encodings/converted.hpp"
#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Parameters: digits; which ones.
DecimalRounding rounding_of(const Parameters& parameters) {
  return {static_cast<DecimalRounding::Kind>(parameters[1]), parameters[0]};
}

bool encode_narrow(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  const DecimalRounding rounding = rounding_of(parameters);
  const auto convert = [&](const double* values, std::size_t count, float* floats, std::uint8_t* failed) {
    return kernels().narrow.to_floats(values, count, rounding, floats, failed);
  };
  return encode_converted<double, float>(in, DType::f32, convert, out);
}

std::unique_ptr<Source> open_narrow(Opening& opening) {
  const DecimalRounding rounding = rounding_of(opening.parameters);
  return open_converted<double, float>(opening,
                                       [rounding](const float* floats, std::size_t count, double* values) {
                                         return kernels().narrow.to_values(floats, count, rounding, values);
                                       });
}

}  // namespace

Encoding narrow_encoding() noexcept {
  return {.time = {1200, 250}, .device_time = {2, 1}, .encode = encode_narrow, .open = open_narrow};
}

}  // namespace floe::trees
