// Decodes the payload of an entropy-coded leaf.
#pragma once

#include <memory>
#include <span>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// `payload` lies at the front of `readable`. Null if it contradicts the format.
std::unique_ptr<Source> open_entropy(const Opening& opening, std::span<const std::uint8_t> payload,
                                     std::span<const std::uint8_t> readable);

}  // namespace floe::trees
