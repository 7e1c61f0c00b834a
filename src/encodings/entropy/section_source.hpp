// Decodes the payload of an entropy-coded leaf.
#pragma once

#include <memory>
#include <span>

#include "core/type.hpp"
#include "encodings/source.hpp"

namespace floe::trees {

/// `payload` lies at the front of `readable`. Null if it contradicts the format.
std::unique_ptr<Source> open_entropy(DType type, std::uint64_t count, std::span<const std::uint8_t> payload,
                                     std::span<const std::uint8_t> readable);

}  // namespace floe::trees
