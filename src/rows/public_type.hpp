// What are the words of a stream called outside of the library?
#pragma once

#include "floe/series.hpp"
#include "core/type.hpp"

namespace floe::tables {

inline ColumnType public_type(series::Type type) {
  using From = series::Type;
  switch (type) {
    case From::i8:
      return ColumnType::i8;
    case From::i16:
      return ColumnType::i16;
    case From::i32:
      return ColumnType::i32;
    case From::i64:
      return ColumnType::i64;
    case From::u16:
      return ColumnType::u16;
    case From::u32:
      return ColumnType::u32;
    case From::u64:
      return ColumnType::u64;
    case From::f32:
      return ColumnType::f32;
    case From::f64:
      return ColumnType::f64;
    case From::boolean:
      return ColumnType::boolean;
    case From::u8:
      break;
  }
  return ColumnType::u8;
}

}  // namespace floe::tables
