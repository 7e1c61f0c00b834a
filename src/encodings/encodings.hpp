// The list of encodings: what each file of this folder defines, and what can be known of some without
// encoding, or made by two of them at once.
#pragma once

#include "encodings/encoding.hpp"

namespace floe::trees {

#define FLOE_ENCODING(rules, name) Encoding name##_encoding() noexcept;
#include "encodings/encodings.def"
#undef FLOE_ENCODING

/// How many bytes the leaf bitpack makes of a stream of integers. Throws std::bad_alloc.
std::size_t bitpack_bytes(const ColumnView& words);

/// What the encoding delta makes of what the encoding sortable makes of floats, which is not stored between.
void encode_differences_of_floats(const ColumnView& floats, const Parameters& parameters, Encoded& out);

}  // namespace floe::trees
