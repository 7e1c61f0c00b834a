// All kernels of one instruction set. A translation unit includes this inside its namespace and its region;
// before that, <bit>, <cstring>, <limits>, <type_traits>, core/bits.hpp and kernels.hpp, and vector_bytes,
// the size of a vector.
#include "simd/bit_pack.inl"
#include "simd/decimal.inl"
#include "simd/divide.inl"
#include "simd/maps.inl"
#include "simd/merge.inl"
#include "simd/prefix_sum.inl"
#include "simd/range.inl"
#include "simd/statistics.inl"

// After decimal.inl, whose constants it has.
#include "simd/affine.inl"
#include "simd/grid.inl"
#include "simd/lines.inl"
#include "simd/narrow.inl"

template <class W>
constexpr WordKernels<W> word_kernels() {
  return {find_range<W>,  find_float_range<W>, find_range_of_numbers<W>, find_lengths<W>,
          pack_words<W>,  unpack_words<W>,     merge_words<W>,           divide_words<W>,
          mark_others<W>, count_changes<W>,    sum_bit_lengths<W>,       sum_difference_bits<W>,
          hash_words<W>,  count_multiples<W>,  subtract_words<W>};
}

template <class W>
constexpr DecodingKernels<W> decoding_kernels() {
  return {add_up<W>,     add_last_words<W>, turn_words<W>,      scale_words<W>,
          join_words<W>, repeat_words<W>,   interleave_words<W>};
}

constexpr Kernels all_kernels = {
    count_marks,
    count_bytes,
    word_kernels<std::uint8_t>(),
    word_kernels<std::uint16_t>(),
    word_kernels<std::uint32_t>(),
    word_kernels<std::uint64_t>(),
    decoding_kernels<std::uint8_t>(),
    decoding_kernels<std::uint16_t>(),
    decoding_kernels<std::uint32_t>(),
    decoding_kernels<std::uint64_t>(),
    decimal_kernels<float, std::int32_t>(),
    decimal_kernels<double, std::int32_t>(),
    decimal_kernels<double, std::int64_t>(),
    {doubles_to_floats, floats_to_doubles},
    affine_kernels<float, std::int32_t>(),
    affine_kernels<double, std::int32_t>(),
    affine_kernels<double, std::int64_t>(),
    line_kernels<float>(),
    line_kernels<double>(),
    grid_kernels<std::uint32_t>(),
    grid_kernels<std::uint64_t>(),
    {short_grid_to_multiples, short_grid_to_floats, short_grid_put_low, grid_pack_low<std::uint16_t>}};
