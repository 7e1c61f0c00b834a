// The header of a safetensors file: which tensors there are, of which type and shape, and where their bytes
// lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "floe/types.hpp"
#include "input/foreign_file.hpp"

namespace floe::cli {

/// What other readers of such files allow.
inline constexpr std::uint64_t max_header_bytes = 100'000'000;

struct Tensor {
  std::string name;
  std::string dtype;  ///< As the header calls it: "BF16".
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< Of its bytes, counted from the end of the header.
  std::uint64_t entry_at = 0;        ///< Where the file says so, behind the name.

  [[nodiscard]] std::uint64_t bytes() const noexcept { return end - begin; }
  /// Of its frame; what floe has no type for is bytes.
  [[nodiscard]] DType element_type() const noexcept;
  /// Of its frame: one dimension where floe has no type for it, has not so many dimensions, or where inner
  /// ones are empty; a scalar has none.
  [[nodiscard]] std::vector<std::uint64_t> element_shape() const;
};

struct TensorHeader {
  std::vector<Tensor> tensors;                  ///< In the order of their bytes, which lie side by side.
  std::map<std::string, std::string> metadata;  ///< What floe wrote of it: names begin with "floe".

  [[nodiscard]] std::uint64_t data_bytes() const noexcept { return tensors.empty() ? 0 : tensors.back().end; }
};

/// `text`: without its length. `data_bytes`: how many bytes stand behind it, if that is known. Throws a
/// Failure that names `file`, the position and the cause, unless all of it makes sense.
TensorHeader parse_tensor_header(const std::string& file, std::string_view text,
                                 std::optional<std::uint64_t> data_bytes);

}  // namespace floe::cli
