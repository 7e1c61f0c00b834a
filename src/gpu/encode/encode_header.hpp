// Writes headers on a device. By one thread, to memory of the block's scratch.
#pragma once

#include "core/bits.hpp"
#include "gpu/encode/encode_memory.hpp"

namespace floe::gpu {

FLOE_HD constexpr std::uint32_t varint_bytes(std::uint64_t number) {
  return (core::bit_length(number | 1) + 6) / 7;
}

/// The zig-zag of a word of `bits` bits.
FLOE_DEVICE std::uint64_t folded(std::uint64_t word, unsigned bits) {
  const unsigned unused = 64 - bits;
  return core::zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused));
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

FLOE_DEVICE void put_piece(EncodeMemory& memory, const std::uint8_t* from, std::uint64_t bytes,
                           std::uint32_t vectors = 0, std::uint32_t word_bytes = 0) {
  if (bytes == 0) return;
  memory.pieces[memory.piece_count++] = {from, static_cast<std::uint32_t>(bytes), vectors, word_bytes};
  memory.bytes += bytes;
}
FLOE_DEVICE void put_piece(EncodeMemory& memory, const HeaderWriter& header) {
  put_piece(memory, header.to, header.size);
}

}  // namespace floe::gpu
