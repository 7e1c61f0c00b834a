// The rules of `sortable`: floats as integers in the same order.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct SortableRules {
  static constexpr const char* name = "sortable";
  static constexpr const char* summary = "floats as integers in the same order";
  static constexpr unsigned children = 1;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_float(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return signed_type(size_of(type));
  }
};

}  // namespace floe::trees
