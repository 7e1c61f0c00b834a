// All kernels of one instruction set. A translation unit includes this inside its namespace and its region;
// before that, <bit>, <cstring>, <type_traits>, core/bits.hpp and kernels.hpp.
#include "simd/bit_pack.inl"
#include "simd/decimal.inl"
#include "simd/merge.inl"
#include "simd/rans.inl"
#include "simd/statistics.inl"

template <class W>
constexpr WordKernels<W> word_kernels() {
  return {find_range<W>,  count_words_above<W>, pack_words<W>,      unpack_words<W>,
          merge_words<W>, count_changes<W>,     sum_bit_lengths<W>, sum_difference_bits<W>,
          hash_words<W>,  count_multiples<W>,   find_symbols<W>};
}

constexpr Kernels all_kernels = {word_kernels<std::uint8_t>(),
                                 word_kernels<std::uint16_t>(),
                                 word_kernels<std::uint32_t>(),
                                 word_kernels<std::uint64_t>(),
                                 decimal_kernels<float, std::int32_t>(),
                                 decimal_kernels<double, std::int32_t>(),
                                 decimal_kernels<double, std::int64_t>(),
                                 decode_rans,
                                 encode_rans};
