#include "series/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/bits.hpp"
#include "core/splitmix.hpp"

namespace floe::series {
namespace {

template <class W>
std::array<W, vector_words> random_vector(unsigned width, W base) {
  std::array<W, vector_words> vector;
  for (std::size_t i = 0; i < vector_words; ++i) {
    vector[i] = static_cast<W>(base + (core::splitmix(i * 100 + width) & core::low_mask<std::uint64_t>(width)));
  }
  return vector;
}

/// Bit b of word i where the format says that it is.
template <class W>
bool packed_bit(const std::vector<std::uint8_t>& packed, unsigned width, std::size_t i, unsigned b) {
  constexpr std::size_t lanes = 1024 / core::word_bits<W>;
  const std::size_t lane = i % lanes, in_lane = i / lanes * width + b;
  const std::size_t at = in_lane / core::word_bits<W> * 1024 + lane * core::word_bits<W> + in_lane % core::word_bits<W>;
  return (packed[at / 8] >> (at % 8) & 1) != 0;
}

class KernelsOfIsa : public testing::TestWithParam<cpu::Isa> {
 protected:
  template <class W>
  void check_packing() {
    const WordKernels<W>& kernel = kernels_of(GetParam()).of<W>();
    for (unsigned width = 0; width <= core::word_bits<W>; ++width) {
      for (const W base : {W{0}, static_cast<W>(~W{0} - 3)}) {
        const auto vector = random_vector<W>(width, base);
        std::vector<std::uint8_t> packed(std::size_t{128} * width);
        kernel.pack(vector.data(), base, width, packed.data());
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{517}, std::size_t{1023}}) {
          for (unsigned b = 0; b < width; ++b) {
            ASSERT_EQ(packed_bit<W>(packed, width, i, b), (static_cast<W>(vector[i] - base) >> b & 1) != 0)
                << width << " " << i << " " << b;
          }
        }
        std::array<W, vector_words> unpacked{};
        kernel.unpack(packed.data(), base, width, unpacked.data());
        ASSERT_EQ(unpacked, vector) << width;
      }
    }
  }

  template <class W>
  void check_counts() {
    const WordKernels<W>& kernel = kernels_of(GetParam()).of<W>();
    const auto vector = random_vector<W>(core::word_bits<W>, 0);
    const W flip = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    W least = 0, most = 0;
    kernel.range(vector.data(), vector.size(), flip, least, most);
    using Signed = std::make_signed_t<W>;
    const auto [low, high] =
        std::minmax_element(vector.begin(), vector.end(), [](W a, W b) { return static_cast<Signed>(a) < static_cast<Signed>(b); });
    EXPECT_EQ(least, *low);
    EXPECT_EQ(most, *high);
    for (const W limit : {W{0}, static_cast<W>(flip / 2), flip, static_cast<W>(~W{0})}) {
      std::size_t above = 0;
      for (const W word : vector) above += static_cast<W>(word - least) > limit ? 1 : 0;
      EXPECT_EQ(kernel.count_above(vector.data(), least, limit), above);
    }
    const std::array<W, vector_words> largest = random_vector<W>(0, static_cast<W>(~W{0}));
    EXPECT_EQ(kernel.count_above(largest.data(), 0, 0), vector_words);
  }
};

TEST_P(KernelsOfIsa, PackAsTheFormatSays) {
  check_packing<std::uint8_t>();
  check_packing<std::uint16_t>();
  check_packing<std::uint32_t>();
  check_packing<std::uint64_t>();
}

TEST_P(KernelsOfIsa, FindRanges) {
  check_counts<std::uint8_t>();
  check_counts<std::uint16_t>();
  check_counts<std::uint32_t>();
  check_counts<std::uint64_t>();
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelsOfIsa, testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::series
