// Which elements a source holds: from --dtype and --shape, from an .npy header, from its name, or bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/arguments.hpp"
#include "floe/types.hpp"

namespace floe::cli {

struct ArrayDescription {
  DType dtype = DType::u8;
  std::vector<std::uint64_t>
      shape;                     ///< Slowest first; empty: one dimension of as many elements as there are.
  std::size_t prefix_bytes = 0;  ///< Bytes before the elements, kept as the frame's prefix.
  bool is_big_endian = false;
  std::string note;  ///< Why the source is not taken for what it seems to be; empty if it is.

  /// The dimensions of one outermost entry.
  [[nodiscard]] std::span<const std::uint64_t> inner_extent() const;
  /// The shape with all dimensions, for `elements` elements.
  [[nodiscard]] Extent extent(std::uint64_t elements) const;
  /// Bytes of prefix and elements that the shape asks for; nothing without a shape.
  [[nodiscard]] std::optional<std::uint64_t> expected_bytes() const;
};

/// `begin`: the first bytes of the source, at least 1 MiB or all of it. `size_bytes`: its length if known;
/// then type and shape are checked against it, else check_size() must follow at the end. Throws a Failure
/// that names `file`.
ArrayDescription describe_array(const ArrayArguments& options, const std::string& file,
                                std::span<const std::byte> begin, std::optional<std::uint64_t> size_bytes);
/// Throws a Failure unless a source of `size_bytes` bytes fits the description.
void check_size(const ArrayDescription& description, const std::string& file, std::uint64_t size_bytes);

/// What a name such as x_f32_26x1800x3600.bin, NAME_26_1800_3600.f32 or x.f64 says. Either part may be
/// missing.
struct NameHint {
  std::optional<DType> dtype;
  std::vector<std::uint64_t>
      numbers;  ///< The shape, perhaps after numbers of another meaning: NAME_step_7_100_100.f32.
};
NameHint hint_of_name(std::string_view path);

}  // namespace floe::cli
