// The list of encodings: what each file of this folder defines, and what can be known of some without encoding.
#pragma once

#include "encodings/encoding.hpp"

namespace floe::series {

Encoding raw_encoding() noexcept;
Encoding constant_encoding() noexcept;
Encoding afl_encoding() noexcept;
Encoding delta_encoding() noexcept;
Encoding rle_encoding() noexcept;
Encoding scale_encoding() noexcept;
Encoding decimal_encoding() noexcept;
Encoding ordered_encoding() noexcept;
Encoding split_encoding() noexcept;
Encoding freq_encoding() noexcept;
Encoding stride_split_encoding() noexcept;
Encoding dict_encoding() noexcept;
Encoding codec_encoding() noexcept;
Encoding entropy_encoding() noexcept;
Encoding divide_encoding() noexcept;
Encoding unique_encoding() noexcept;

/// How many bytes the leaf afl makes of a stream of integers. Throws std::bad_alloc.
std::size_t afl_bytes(const ColumnView& words);

}  // namespace floe::series
