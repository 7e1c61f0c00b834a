// What the header of a NumPy .npy file (versions 1 to 3) says about its array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "floe/types.hpp"

namespace floe::cli {

struct NpyHeader {
  DType dtype = DType::u8;
  std::vector<std::uint64_t> shape;  ///< In memory order, slowest first: reversed for Fortran order; complex
                                     ///< numbers add a dimension of 2.
  std::size_t header_bytes = 0;      ///< Where the elements begin.
  bool is_big_endian = false;        ///< Of words of size_of(dtype) bytes.
  /// Why floe cannot have the array: a header that is broken, or elements that floe has no type for. Empty if
  /// it can.
  std::string problem;
};

/// Whether the bytes begin as an .npy file does.
bool begins_as_npy(std::span<const std::byte> begin) noexcept;
/// `begin` holds at least the whole header, or the whole file.
NpyHeader parse_npy_header(std::span<const std::byte> begin);

}  // namespace floe::cli
