// Entropy coding for AVX2: eight lanes to a vector. Tables are read by scalar loads, which on most CPUs are
// faster than gathers.
#if defined(__x86_64__)

#include <immintrin.h>

#include <type_traits>
#include <utility>

#include "chunks/cpu/avx2/target.hpp"
#include "simd/entropy/kernels.hpp"
#include "simd/entropy/lane_tables.hpp"

namespace floe::trees::avx2 {

extern const AllEntropyKernels& entropy_kernels;

FLOE_AVX2_BEGIN
namespace {
#include "simd/entropy/entropy.inl"

#include "simd/avx2_exponents.inl"
#include "simd/entropy/avx2.inl"
#include "simd/entropy/avx2_decode.inl"
#include "simd/entropy/avx2_encode.inl"
#include "simd/entropy/avx2_put_extra.inl"
#include "simd/entropy/avx2_split.inl"
#include "simd/entropy/batches.inl"

template <class W>
constexpr EntropyKernels<W> vector_word_kernels() {
  return {decode_in_vectors<W>,      decode_two_in_vectors<W>, split_in_vectors<W>,
          encode_in_vectors<W>,      unite_words<W>,           sum_words<W>,
          find_classes_in_vectors<W>};
}
constexpr AllEntropyKernels vector_kernels = {vector_word_kernels<std::uint8_t>(),
                                              vector_word_kernels<std::uint16_t>(),
                                              vector_word_kernels<std::uint32_t>(),
                                              vector_word_kernels<std::uint64_t>(),
                                              count_symbols,
                                              add_pairs,
                                              add_all,
                                              add_costs};
}  // namespace
FLOE_AVX2_END

const AllEntropyKernels& entropy_kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
