// A safetensors header as text, byte for byte as the Python package writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tensors/header.hpp"

namespace floe::cli {

/// A tensor of bytes: where a frame lies.
struct FramePosition {
  std::string_view name;
  std::uint64_t bytes = 0, begin = 0, end = 0;
};

/// With its length in front. Blanks pad it so that what follows is aligned to 8 bytes, and that it has at
/// least so many bytes.
std::string tensor_header_text(std::span<const std::pair<std::string_view, std::string_view>> metadata,
                               std::span<const FramePosition> frames, std::uint64_t bytes_at_least = 0);

}  // namespace floe::cli
