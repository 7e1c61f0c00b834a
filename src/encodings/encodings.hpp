// The list of encodings: what each file of this folder defines, and what can be known of some without
// encoding.
#pragma once

#include "encodings/encoding.hpp"

namespace floe::trees {

#define FLOE_ENCODING(rules, name) Encoding name##_encoding() noexcept;
#include "encodings/encodings.def"
#undef FLOE_ENCODING

/// How many bytes the leaf bitpack makes of a stream of integers. Throws std::bad_alloc.
std::size_t bitpack_bytes(const ColumnView& words);

}  // namespace floe::trees
