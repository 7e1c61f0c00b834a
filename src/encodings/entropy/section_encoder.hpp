// Encodes the payload of an entropy-coded leaf.
#pragma once

#include "core/byte_stream.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

/// Appends the payload of a leaf with these words, of which there are some; `out` is at a multiple of the
/// leaf's unit.
void encode_entropy(const ColumnView& words, Scratch& scratch, core::ByteWriter& out);

}  // namespace floe::trees
