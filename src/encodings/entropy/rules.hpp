// The rules of `entropy`: symbols by frequency, and extra bits.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct EntropyRules {
  static constexpr const char* name = "entropy";
  static constexpr const char* summary = "symbols by frequency, and extra bits";
  static constexpr unsigned children = 0;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = false;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_integer(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};

}  // namespace floe::trees
