#include "backend/cpu/avx512/ratio32.hpp"

#if defined(__x86_64__)
#if !defined(__clang__)
#endif

#include <algorithm>

#include "backend/cpu/avx512/bit_planes.hpp"
#include "backend/cpu/avx512/zero_bytes.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr std::size_t length_field_bytes = 2;
constexpr std::size_t largest_levels_bytes = level_bytes[0] + level_bytes[1] + level_bytes[2] + level_bytes[3];

/// Puts the kept bytes back where the bitmap says; reads nothing from `end` on.
void expand_bytes(const std::uint8_t* kept, const std::uint8_t* end, const std::uint8_t* bitmap, std::uint8_t* to) {
  for (std::size_t i = 0; i < core::chunk_bytes; i += 64) {
    std::uint64_t mask;
    std::memcpy(&mask, bitmap + i / 8, 8);
    const std::uint64_t count = popcount(mask);
    const __m512i bytes = end - kept >= 64 ? _mm512_loadu_si512(kept)
                                           : _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), kept);
    _mm512_store_si512(to + i, _mm512_maskz_expand_epi8(mask, bytes));
    kept += count;
  }
}

}  // namespace

std::size_t encode_ratio32(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch) noexcept {
  std::uint8_t* const bit_planes = scratch;
  std::uint8_t* const payload = scratch + core::chunk_bytes;  // stores overshoot, which the output has no room for
  words_to_planes(chunk, bit_planes);
  Levels levels;
  const std::size_t kept = keep_bytes(bit_planes, payload, levels[0]);
  if (kept + length_field_bytes >= core::chunk_bytes) return core::raw_chunk;

  std::uint8_t level_memory[largest_levels_bytes + 64];
  std::uint8_t* end = level_memory;
  if (kept > 0) {
    for (unsigned level = 0; level < 3; ++level) end = emit_level(levels[level], level_bytes[level], levels[level + 1], end);
    std::memcpy(end, levels[3], level_bytes[3]);
    end += level_bytes[3];
  }
  const auto emitted = static_cast<std::size_t>(end - level_memory);
  const std::size_t total = kept + emitted + length_field_bytes;
  if (total >= core::chunk_bytes) return core::raw_chunk;
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  std::memcpy(out, payload, kept);
  std::memcpy(out + kept, level_memory, emitted);
  std::memcpy(out + kept + emitted, &length, length_field_bytes);
  return total;
}

bool decode_ratio32(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch) noexcept {
  if (payload_bytes < length_field_bytes) return false;
  std::size_t rest = payload_bytes - length_field_bytes;
  std::uint16_t length;
  std::memcpy(&length, payload + rest, length_field_bytes);
  if (length != core::chunk_bytes) return false;
  if (rest == 0) {
    std::memset(chunk, 0, core::chunk_bytes);
    return true;
  }

  // The end of the payload, with room around it for loads that reach too far. It holds all levels.
  std::uint8_t end_copy[64 + largest_levels_bytes + 64];
  const std::size_t copied = std::min(rest, largest_levels_bytes);
  std::memcpy(end_copy + 64, payload + rest - copied, copied);
  std::size_t unread = copied;  // bytes of the copy before the levels read so far
  Levels levels;
  if (unread < level_bytes[3]) return false;
  unread -= level_bytes[3];
  std::memcpy(levels[3], end_copy + 64 + unread, level_bytes[3]);
  for (unsigned level = 3; level-- > 0;) {
    const std::size_t emitted = popcount_of(levels[level + 1], level_bytes[level + 1]);
    if (emitted > unread) return false;
    unread -= emitted;
    restore_level(end_copy + 64 + unread, levels[level + 1], level_bytes[level], levels[level]);
  }
  rest -= copied - unread;
  if (popcount_of(levels[0], level_bytes[0]) != rest) return false;

  expand_bytes(payload, payload + payload_bytes, levels[0], scratch);
  planes_to_words(scratch, chunk);
  return true;
}

}  // namespace floe::cpu::avx512
FLOE_AVX512_END
#endif
