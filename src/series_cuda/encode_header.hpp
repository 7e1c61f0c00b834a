// How are headers written on a device? By one thread, to memory of the team's scratch. And what do threads share by atomic operations?
#pragma once

#include <atomic>

#include "series_cuda/encode_memory.hpp"
#include "stages/zigzag.hpp"

namespace floe::series_cuda {

FLOE_HD constexpr std::uint32_t varint_bytes(std::uint64_t number) { return (core::bit_length(number | 1) + 6) / 7; }

/// The zig-zag of a word of `bits` bits.
FLOE_DEVICE std::uint64_t folded(std::uint64_t word, unsigned bits) {
  const unsigned unused = 64 - bits;
  return stages::ZigZag::forward(static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused));
}

struct HeaderWriter {
  std::uint8_t* to;
  std::uint32_t size = 0;

  FLOE_DEVICE void put_byte(std::uint8_t byte) { to[size++] = byte; }
  FLOE_DEVICE void put_varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) put_byte(static_cast<std::uint8_t>(number | 0x80));
    put_byte(static_cast<std::uint8_t>(number));
  }
  FLOE_DEVICE void put_signed(std::uint64_t word, unsigned bits) { put_varint(folded(word, bits)); }
  FLOE_DEVICE void put_word(std::uint64_t word, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) put_byte(static_cast<std::uint8_t>(word >> (8 * i)));
  }
};

FLOE_DEVICE void put_piece(EncodeMemory& memory, const std::uint8_t* from, std::uint64_t bytes, std::uint32_t vectors = 0,
                           std::uint32_t word_bytes = 0) {
  if (bytes == 0) return;
  memory.pieces[memory.piece_count++] = {from, static_cast<std::uint32_t>(bytes), vectors, word_bytes};
  memory.bytes += bytes;
}
FLOE_DEVICE void put_piece(EncodeMemory& memory, const HeaderWriter& header) { put_piece(memory, header.to, header.size); }

// On the host, the warps of an emulated team are threads.
FLOE_DEVICE std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t number) {
#if defined(__CUDACC__)
  return atomicAdd(at, number);
#else
  return std::atomic_ref(*at).fetch_add(number);
#endif
}
/// Puts `number` where `expected` was; returns what was there.
FLOE_DEVICE std::uint32_t atomic_swap(std::uint32_t* at, std::uint32_t expected, std::uint32_t number) {
#if defined(__CUDACC__)
  return atomicCAS(at, expected, number);
#else
  std::atomic_ref(*at).compare_exchange_strong(expected, number);
  return expected;
#endif
}
FLOE_DEVICE std::uint64_t atomic_swap(std::uint64_t* at, std::uint64_t expected, std::uint64_t number) {
#if defined(__CUDACC__)
  return atomicCAS(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(expected),
                   static_cast<unsigned long long>(number));
#else
  std::atomic_ref(*at).compare_exchange_strong(expected, number);
  return expected;
#endif
}
#if !defined(__CUDACC__)
template <class Number>
void atomic_least_on_host(Number* at, Number number) {
  std::atomic_ref place(*at);
  Number least = place.load();
  while (number < least && !place.compare_exchange_weak(least, number)) {
  }
}
#endif
FLOE_DEVICE void atomic_least(std::uint32_t* at, std::uint32_t number) {
#if defined(__CUDACC__)
  atomicMin(at, number);
#else
  atomic_least_on_host(at, number);
#endif
}
FLOE_DEVICE void atomic_least(std::uint64_t* at, std::uint64_t number) {
#if defined(__CUDACC__)
  atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(number));
#else
  atomic_least_on_host(at, number);
#endif
}
/// What other threads change atomically.
FLOE_DEVICE std::uint32_t read_shared_word(const std::uint32_t* at) { return *static_cast<const volatile std::uint32_t*>(at); }

}  // namespace floe::series_cuda
