// The fingerprint of a segment: a few coarse numbers that are the same while the same tree is good.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "encodings/stream.hpp"

namespace floe::trees {

/// Each in quarters of a bit, or scaled alike.
using Fingerprint = std::array<std::uint8_t, 8>;

/// Precondition: at least one word.
Fingerprint fingerprint_of(const ColumnView& segment);
/// The same from windows of fingerprint_words, as windows_of gives them.
Fingerprint fingerprint_of(std::span<const ColumnView> windows);
inline constexpr std::uint64_t fingerprint_words = 512, fingerprint_windows = 3;

/// The sum of the differences.
std::uint32_t distance(const Fingerprint& a, const Fingerprint& b) noexcept;

}  // namespace floe::trees
