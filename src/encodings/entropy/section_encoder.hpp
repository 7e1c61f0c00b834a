// Encodes the payload of an entropy-coded leaf.
#pragma once

#include "core/byte_stream.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

/// Appends the payload of a leaf with these words, of which there are some; `out` is at a multiple of the
/// leaf's unit. Sections have up to 2^max_table_bits tables where those pay: returns whether one does.
bool encode_entropy(const ColumnView& words, unsigned max_table_bits, Scratch& scratch,
                    core::ByteWriter& out);

}  // namespace floe::trees
