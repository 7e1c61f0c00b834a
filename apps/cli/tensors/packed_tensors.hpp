// A compressed safetensors file: a safetensors file of frames, with the header of the original in its
// metadata.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/input_file.hpp"
#include "tensors/header.hpp"

namespace floe::cli {

struct PackedTensors {
  std::string original_text;       ///< The header of the original, without its length.
  std::vector<Tensor> tensors;     ///< Of the original.
  std::vector<Tensor> frames;      ///< In the same order.
  std::uint64_t header_bytes = 0;  ///< Of the file, with its length.

  [[nodiscard]] std::uint64_t original_bytes() const noexcept;
  [[nodiscard]] std::uint64_t stored_bytes() const noexcept;
  /// "safetensors of 3 tensors".
  [[nodiscard]] std::string description() const;
};

/// "safetensors of 3 tensors".
std::string tensors_description(std::uint64_t count);

/// `text`: the header of the file, without its length. Throws a Failure that names `file` unless it is one of
/// floe, and says the same as that of the original.
PackedTensors parse_packed_header(const std::string& file, std::string_view text,
                                  std::optional<std::uint64_t> data_bytes);

/// The header of the compressed file of an original with this header. `frames`: its frames; if there are
/// none, the header is the longest that may be needed. `bytes_at_least`: to which it is padded.
std::string packed_header(std::string_view original_text, const TensorHeader& original,
                          const std::vector<std::uint64_t>* frame_bytes, std::uint64_t bytes_at_least);

/// Whether a file on disk begins as a safetensors file.
bool holds_tensors(const InputFile& file);
/// The header of such a file, without its length. Throws a Failure.
std::string tensor_header_in(const InputFile& file);
/// Of a file on disk; nothing if it does not begin as a safetensors file. Throws a Failure.
std::optional<PackedTensors> packed_tensors_in(const InputFile& file);

}  // namespace floe::cli
