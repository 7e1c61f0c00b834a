// What stands in front of the chunks of a leaf stream, mended where the digest of the stream proves it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "chunks/leaf_decoder.hpp"

namespace floe::recovery {

/// Puts the front of a leaf where a damaged one is, if the table behind it is intact; none leaves it as it
/// was. The leaf of `stream` does not count.
std::optional<chunks::Leaf> mended_front(chunks::LeafStream stream, std::size_t word_bytes,
                                         std::span<std::uint8_t> bytes);

/// Mends a table of which at most one entry is damaged, and any offsets. `bytes`: the stream, whose table and
/// payloads `leaf` refers to. False if the digest does not prove it; the entries are then as they were.
bool mend_table(const chunks::CheckedLeaf& leaf, std::span<std::uint8_t> bytes);

}  // namespace floe::recovery
