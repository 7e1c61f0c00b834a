// Decodes the payload of an entropy-coded leaf.
#pragma once

#include <memory>
#include <span>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// `payload` lies at the front of `readable`. Null if it contradicts the format, or if sections have several
/// tables and may not.
std::unique_ptr<Source> open_entropy(const Opening& opening, std::span<const std::uint8_t> payload,
                                     std::span<const std::uint8_t> readable, bool may_have_tables);

}  // namespace floe::trees
