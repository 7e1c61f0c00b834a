#include "core/type.hpp"

namespace floe::series {

std::string_view name_of(Type type) noexcept {
  switch (type) {
    case Type::i8:
      return "i8";
    case Type::i16:
      return "i16";
    case Type::i32:
      return "i32";
    case Type::i64:
      return "i64";
    case Type::u8:
      return "u8";
    case Type::u16:
      return "u16";
    case Type::u32:
      return "u32";
    case Type::u64:
      return "u64";
    case Type::f32:
      return "f32";
    case Type::f64:
      return "f64";
    case Type::boolean:
      return "bool";
  }
  return "unknown";
}

std::optional<Type> type_from_name(std::string_view name) noexcept {
  for (const Type type : all_types) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace floe::series
