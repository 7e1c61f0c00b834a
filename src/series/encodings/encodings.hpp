// The list of encodings: what each file of this folder defines.
#pragma once

#include "series/encoding.hpp"

namespace floe::series {

Encoding raw_encoding() noexcept;
Encoding constant_encoding() noexcept;
Encoding afl_encoding() noexcept;
Encoding delta_encoding() noexcept;
Encoding rle_encoding() noexcept;

}  // namespace floe::series
