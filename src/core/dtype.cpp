#include "floe/dtype.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/checked_math.hpp"

namespace floe {
namespace {

using enum DType;
constexpr std::array<std::pair<DType, std::string_view>, 15> names = {{{f64, "f64"},
                                                                       {f32, "f32"},
                                                                       {f16, "f16"},
                                                                       {bf16, "bf16"},
                                                                       {i8, "i8"},
                                                                       {i16, "i16"},
                                                                       {i32, "i32"},
                                                                       {i64, "i64"},
                                                                       {u8, "u8"},
                                                                       {u16, "u16"},
                                                                       {u32, "u32"},
                                                                       {u64, "u64"},
                                                                       {boolean, "bool"},
                                                                       {DType::time, "time"},
                                                                       {text, "text"}}};

}  // namespace

std::string_view name_of(DType dtype) noexcept {
  for (const auto& [type, name] : names) {
    if (type == dtype) return name;
  }
  return "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  for (const auto& [type, known_name] : names) {
    if (known_name == name) return type;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Extent::element_count() const noexcept {
  const auto begin = size.begin(), end = size.begin() + std::min(rank, max_rank);
  if (std::find(begin, end, std::uint64_t{0}) != end) return 0;
  std::uint64_t count = 1;
  for (auto dimension = begin; dimension != end; ++dimension) {
    const auto product = core::checked_multiply(count, *dimension);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

}  // namespace floe
