// CRC-32C of bytes in device memory, by a block of at most crc_threads threads or by a warp. Every one of
// crc_threads takes every crc_threads-th word, and their shares are joined at the end. The memory of such a
// block has crc_step, 1024 words, and warp_totals, a number per warp.
#pragma once

#include <array>
#include <cstdint>

#include "core/crc32c.hpp"
#include "core/word.hpp"
#include "gpu/warp/block.hpp"

namespace floe::gpu {

/// A polynomial over GF(2) modulo that of CRC-32C; bit 31 is the coefficient of x^0.
struct CrcPolynomial {
  static constexpr std::uint32_t modulus = core::crc32c_polynomial;
  static constexpr std::uint32_t one = 0x80000000;

  static FLOE_HD constexpr std::uint32_t times_x(std::uint32_t a) {
    return (a >> 1) ^ ((a & 1) != 0 ? modulus : 0);
  }
  static FLOE_HD constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (int bit = 31; bit >= 0; --bit) {
      product ^= (a >> bit & 1) != 0 ? b : 0;
      b = times_x(b);
    }
    return product;
  }
};

/// Threads that share one message. Thread t has the words t, t + crc_threads, t + 2 · crc_threads ... of the
/// message, as if it began with so many zeros that it is a multiple of crc_threads words long.
inline constexpr unsigned crc_threads = 512;

struct CrcTables {
  std::array<std::array<std::uint32_t, 256>, 4> step{};  ///< Products of bytes with x^(32 · crc_threads).
  std::array<std::uint32_t, crc_threads> last{};         ///< x^(32 · (crc_threads - t)) for thread t.
};

constexpr CrcTables make_crc_tables() {
  CrcTables tables;
  std::uint32_t power = CrcPolynomial::one;
  for (unsigned t = crc_threads; t-- > 0;) {
    for (unsigned bit = 0; bit < 32; ++bit) power = CrcPolynomial::times_x(power);
    tables.last[t] = power;
  }
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      tables.step[byte][value] = CrcPolynomial::multiply(value << (8 * byte), power);
    }
  }
  return tables;
}

/// A thread's share after one more word: `word` is 0 in front of the message, and the first one of the
/// message is inverted. `step` is CrcTables::step, 1024 numbers.
FLOE_HD inline std::uint32_t crc_step(const std::uint32_t* step, std::uint32_t share, std::uint32_t word) {
  return step[share & 255] ^ step[256 + (share >> 8 & 255)] ^ step[512 + (share >> 16 & 255)] ^
         step[768 + (share >> 24)] ^ word;
}

/// What a thread contributes: the CRC is the inverted XOR of all. `last` is CrcTables::last of the thread.
FLOE_HD inline std::uint32_t crc_contribution(std::uint32_t last, std::uint32_t share) {
  return CrcPolynomial::multiply(share, last);
}

#if defined(__CUDACC__)
static __device__ const CrcTables crc_tables = make_crc_tables();
#else
inline constexpr CrcTables crc_tables = make_crc_tables();
#endif

/// Copies the tables that block_crc needs; the next sync makes them visible.
template <class Block>
FLOE_DEVICE void load_crc_tables(Block& block) {
  const auto* const step = crc_tables.step.data()->data();
  for (unsigned i = block.rank(); i < 1024; i += block.size()) block.memory().crc_step[i] = step[i];
}

/// What thread `own` of crc_threads adds.
template <class Block>
FLOE_DEVICE std::uint32_t crc_share(Block& block, const std::uint8_t* bytes, std::uint64_t word_count,
                                    unsigned own) {
  const std::uint64_t padding = (crc_threads - word_count % crc_threads) % crc_threads;
  std::uint32_t share = 0;
  constexpr unsigned batch = 8;  // loads in flight
  for (std::uint64_t base = own; base < word_count + padding; base += batch * crc_threads) {
    std::uint32_t word[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint64_t at = base + i * crc_threads;
      word[i] = at >= padding && at < word_count + padding
                    ? load_fresh<std::uint32_t>(bytes + 4 * (at - padding))
                    : 0;
      if (at == padding) word[i] = ~word[i];
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (base + i * crc_threads < word_count + padding)
        share = crc_step(block.memory().crc_step, share, word[i]);
    }
  }
  return crc_contribution(crc_tables.last[own], share);
}

/// Of bytes that this block or finished kernels wrote, or that others wrote before a fence. Address and
/// length are multiples of 4; not empty. The same to all threads; smaller blocks take longer.
template <class Block>
FLOE_DEVICE std::uint32_t block_crc(Block& block, const std::uint8_t* bytes, std::uint64_t count) {
  auto& memory = block.memory();
  std::uint32_t shares = 0;
  for (unsigned own = block.rank(); own < crc_threads; own += block.size())
    shares ^= crc_share(block, bytes, count / 4, own);
  const std::uint32_t of_warp = block.warp().reduce_xor(shares);
  block.sync();
  if (block.warp().lane() == 0) memory.warp_totals[block.warp_index()] = of_warp;
  block.sync();
  std::uint32_t all = 0;
  for (unsigned w = 0; w < block.warp_count(); ++w) all ^= static_cast<std::uint32_t>(memory.warp_totals[w]);
  return ~all;
}

/// Of up to 32 words, one per lane; those of the lanes from `count` on do not matter. To all lanes.
template <class Warp>
FLOE_DEVICE std::uint32_t warp_crc(Warp& warp, std::uint32_t word, unsigned count) {
  const unsigned lane = warp.lane();
  const std::uint32_t share = lane < count ? (lane == 0 ? ~word : word) : 0;
  const std::uint32_t last = crc_tables.last[crc_threads - count + (lane < count ? lane : 0)];
  return ~warp.reduce_xor(crc_contribution(last, share));
}

}  // namespace floe::gpu
