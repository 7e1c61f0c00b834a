// How many words of a content a match history would replace, going by a sample of their contexts.
#pragma once

#include <cstdint>
#include <span>

namespace floe::cpu {

/// About how many of 1000 words follow an equal context with an equal word. `content` holds words of 64 bits,
/// at any address. Throws std::bad_alloc.
std::uint32_t matches_in_thousand(std::span<const std::uint8_t> content);

}  // namespace floe::cpu
