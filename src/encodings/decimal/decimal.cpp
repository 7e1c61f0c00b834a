// Decimal: floats with few digits after the point become integers. Every value is decoded again when it is
// encoded; whatever does not come back bit by bit (-0.0, NaN, infinities, more digits) is an exception.
#include "core/power_of_ten.hpp"
#include "encodings/converted.hpp"
#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Parameters: digits after the point; bytes of the integers, 4 or 8.

/// Calls `work` with a float and an integer of the types that the words have.
template <class Work>
auto with_types(DType type, const Parameters& parameters, Work&& work) {
  if (type == DType::f32) return work(float{}, std::int32_t{});
  return parameters[1] == 4 ? work(double{}, std::int32_t{}) : work(double{}, std::int64_t{});
}

bool encode_decimal(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_types(in.type, parameters, [&]<class F, class I>(F, I) {
    const DecimalKernels<F, I>& kernel = kernels().decimals<F, I>();
    const double power = core::power_of_ten(parameters[0]);
    const auto convert = [&](const F* values, std::size_t count, I* integers, std::uint8_t* failed) {
      return kernel.to_integers(values, count, power, integers, failed);
    };
    return encode_converted<F, I>(in, signed_type(sizeof(I)), convert, out);
  });
}

std::unique_ptr<Source> open_decimal(Opening& opening) {
  return with_types(opening.type, opening.parameters, [&]<class F, class I>(F, I) {
    const double power = core::power_of_ten(opening.parameters[0]);
    return open_converted<F, I>(opening, [power](const I* integers, std::size_t count, F* values) {
      return kernels().decimals<F, I>().to_values(integers, count, power, values);
    });
  });
}

}  // namespace

Encoding decimal_encoding() noexcept {
  return {.time = {1000, 250}, .device_time = {3, 3}, .encode = encode_decimal, .open = open_decimal};
}

}  // namespace floe::trees
