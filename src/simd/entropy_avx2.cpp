// Entropy coding for AVX2: eight lanes to a vector. Tables are read by scalar loads, which on most CPUs are
// faster than gathers.
#if defined(__x86_64__)

#include <immintrin.h>

#include <utility>

#include "chunks/cpu/avx2/target.hpp"
#include "simd/entropy_kernels.hpp"

namespace floe::trees::avx2 {

extern const AllEntropyKernels& entropy_kernels;

namespace {
/// For every set of 8 lanes, where what they read and write goes.
struct LaneTables {
  alignas(64) std::uint8_t expand[256][8];    ///< Lane to the index of the number that it takes.
  alignas(64) std::uint8_t compress[256][8];  ///< The lanes of the set, at the upper end.
};
constexpr LaneTables lane_tables = [] {
  LaneTables tables{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned taken = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) tables.expand[set][lane] = static_cast<std::uint8_t>(taken++);
    }
    unsigned to = 8 - taken;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) tables.compress[set][to++] = static_cast<std::uint8_t>(lane);
    }
  }
  return tables;
}();
}  // namespace

FLOE_AVX2_BEGIN
namespace {
#include "simd/entropy.inl"
#include "simd/entropy_avx2_decode.inl"
#include "simd/entropy_avx2_encode.inl"

template <class W>
constexpr EntropyKernels<W> vector_word_kernels() {
  return {decode_in_vectors<W>, split_in_vectors<W>, encode_in_vectors<W>, unite_words<W>};
}
constexpr AllEntropyKernels vector_kernels = {
    vector_word_kernels<std::uint8_t>(), vector_word_kernels<std::uint16_t>(),
    vector_word_kernels<std::uint32_t>(), vector_word_kernels<std::uint64_t>(), count_symbols};
}  // namespace
FLOE_AVX2_END

const AllEntropyKernels& entropy_kernels = vector_kernels;

}  // namespace floe::trees::avx2

#endif
