#include "floe/types.hpp"

#include <algorithm>
#include <array>

#include "core/bits.hpp"

namespace floe {
namespace {

/// By their numbers.
constexpr std::array<std::string_view, 16> names = {"",    "f64",  "f32",  "f16", "bf16", "i8",
                                                    "i16", "i32",  "i64",  "u8",  "u16",  "u32",
                                                    "u64", "bool", "time", "text"};

}  // namespace

std::string_view name_of(DType dtype) noexcept {
  const auto number = static_cast<std::size_t>(dtype);
  return number > 0 && number < names.size() ? names[number] : "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) noexcept {
  const auto found = std::find(names.begin() + 1, names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<DType>(found - names.begin());
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
