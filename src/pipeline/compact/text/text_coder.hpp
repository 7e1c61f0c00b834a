// Text as one number between 0 and 1, of as many bits as its bytes are surprising: docs/format/text.md,
// "Code".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/compact/text/text_tree.hpp"

namespace floe::pipeline {

/// With which tree a text takes fewer bits.
TextKind kind_of_text(std::span<const std::uint8_t> text, std::uint8_t separator);
/// Nothing if the code has more than `max_bytes`, or with `ends_early` if its beginnings say that it will
/// have. May throw std::bad_alloc.
std::vector<std::uint8_t> encode_text(std::span<const std::uint8_t> text, std::uint8_t separator,
                                      TextKind kind, std::uint64_t max_bytes, bool ends_early = false);
/// Any bytes are the code of some text. May throw std::bad_alloc.
std::vector<std::uint8_t> decode_text(std::span<const std::uint8_t> code, std::uint64_t byte_count,
                                      std::uint8_t separator, TextKind kind);

}  // namespace floe::pipeline
