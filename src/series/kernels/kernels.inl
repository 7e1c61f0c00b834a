// All kernels of one instruction set. A translation unit includes this inside its namespace and its region; before that, <cstring>,
// core/bits.hpp and kernels.hpp.
#include "series/kernels/bit_pack.inl"

constexpr Kernels all_kernels = {word_kernels<std::uint8_t>(), word_kernels<std::uint16_t>(), word_kernels<std::uint32_t>(),
                                 word_kernels<std::uint64_t>()};
