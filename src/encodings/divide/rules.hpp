// The rules of `divide`: quotients and remainders.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

/// The divisor is the first parameter times 2 to the power of the second.
struct DivideRules {
  static constexpr const char* name = "divide";
  static constexpr const char* summary = "quotients and remainders";
  static constexpr unsigned children = 2;
  static constexpr unsigned parameters = 2;
  static constexpr ParameterRange ranges[2] = {{1, 0xFFFFFFFF, 1}, {0, 63, 0}};  // multiplier, shift
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return core::bit_length(std::uint64_t{a}) + b <= 8 * size_of(type);
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 || !(is_signed(type) || is_float(type)) ? unsigned_type(size_of(type))
                                                              : signed_type(size_of(type));
  }
};

}  // namespace floe::trees
