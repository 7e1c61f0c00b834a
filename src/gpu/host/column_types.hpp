// Which type do the words of a column have on a device?
#pragma once

#include <optional>

#include "floe/series.hpp"
#include "core/type.hpp"

namespace floe::series_cuda {

/// Nothing for text.
inline std::optional<series::Type> device_type(tables::ColumnType type) {
  using From = tables::ColumnType;
  using series::Type;
  switch (type) {
    case From::i8:
      return Type::i8;
    case From::i16:
      return Type::i16;
    case From::i32:
      return Type::i32;
    case From::i64:
    case From::time:
      return Type::i64;
    case From::u8:
      return Type::u8;
    case From::u16:
      return Type::u16;
    case From::u32:
      return Type::u32;
    case From::u64:
      return Type::u64;
    case From::f32:
      return Type::f32;
    case From::f64:
      return Type::f64;
    case From::boolean:
      return Type::boolean;
    case From::text:
      break;
  }
  return std::nullopt;
}

}  // namespace floe::series_cuda

namespace floe::cuda {

inline Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

}  // namespace floe::cuda
