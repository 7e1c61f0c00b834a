// The chunks of dpratio with AVX-512. Each of the two drop stages counts what it needs to choose while its words are made, and then runs
// over them once more.
#include "backend/cpu/avx512/kernels.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "backend/cpu/avx512/drop_tops.hpp"
#include "backend/cpu/avx512/traffic.hpp"
#include "core/chunk.hpp"

FLOE_AVX512_BEGIN
namespace floe::cpu::avx512 {
namespace {

constexpr std::size_t vectors_per_chunk = core::chunk_bytes / 64;
using stages::DropRepeatedTops;
using stages::DropZeroTops;

/// Two areas for words or a payload each, with 64 bytes before and slack after them.
struct Areas {
  explicit Areas(std::uint8_t* scratch) : first(scratch + 64), second(scratch + fused_scratch_bytes / 2 + 64) {
    std::memset(scratch, 0, 64);
    std::memset(second - 64, 0, 64);
  }
  std::uint8_t *first, *second;
};
static_assert(fused_scratch_bytes / 2 % 64 == 0 && fused_scratch_bytes / 2 >= 64 + largest_tops_bytes + tops_slack_bytes);

/// Folded residuals of a chunk, and what the first drop stage makes of them.
KeepChoice fold_chunk(const std::uint8_t* chunk, std::uint8_t* folded, core::MemoryTraffic* traffic) {
  BitCounts counts;
  __m512i before = _mm512_setzero_si512();
  for (std::size_t v = 0; v < vectors_per_chunk; v += BitCounts::vectors_per_step) {
    counts.add([&](unsigned k) {
      const std::size_t at = 64 * (v + k);
      const __m512i y = Lanes64::fold(Lanes64::residuals(chunk + at, before));
      _mm512_store_si512(folded + at, y);
      return smear(y);
    });
    carry_on(traffic, BitCounts::vectors_per_step);
  }
  return choose_keep(counts, core::chunk_bytes / word_bytes);
}

/// The choice of the second drop stage for the payload of the first. It is followed by a vector that may be overwritten.
KeepChoice choose_repeated(std::uint8_t* in, std::size_t bytes) {
  const std::size_t words = bytes / word_bytes;
  BitCounts counts;
  for (std::size_t first = 0; first < words; first += BitCounts::vectors_per_step * words_per_vector) {
    counts.add([&](unsigned k) {
      const std::size_t i = first + k * words_per_vector;
      const auto present =
          static_cast<__mmask8>(i >= words ? 0 : _bzhi_u32(0xFF, static_cast<unsigned>(std::min<std::size_t>(words - i, 8))));
      const std::uint8_t* const at = in + i * word_bytes;
      const __m512i now = _mm512_maskz_loadu_epi64(present, at);
      return smear(_mm512_maskz_xor_epi64(present, now, _mm512_maskz_loadu_epi64(present, at - word_bytes)));
    });
  }
  return choose_keep(counts, words);
}

std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, core::MemoryTraffic* traffic) {
  const Areas areas(scratch);
  const KeepChoice zero_tops = fold_chunk(chunk, areas.first, traffic);
  const std::size_t bytes = encode_tops<DropZeroTops>(areas.first, core::chunk_bytes, zero_tops, areas.second);
  if (bytes >= core::chunk_bytes) return core::raw_chunk;
  const KeepChoice repeated_tops = choose_repeated(areas.second, bytes);
  const std::size_t total = encode_tops<DropRepeatedTops>(areas.second, bytes, repeated_tops, areas.first);
  if (total >= core::chunk_bytes) return core::raw_chunk;
  std::memcpy(out, areas.first, total);
  return total;
}

/// The payload of the second drop stage to that of the first; returns its bytes, or 0 if it contradicts the format.
std::size_t decode_repeated(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out) {
  TopsPayload payload;
  if (!read_tops(in, in_bytes, payload)) return 0;
  const std::size_t words_end = payload.words * word_bytes;
  if (payload.keep == stages::keep_nothing) {
    std::memset(out, 0, words_end);
  } else if (payload.keep == stages::keep_everything) {
    std::memcpy(out, in, words_end);
  } else {
    restore_words<DropRepeatedTops>(in, payload, [&](std::size_t i, __m512i words) { _mm512_storeu_si512(out + i * word_bytes, words); });
  }
  std::memcpy(out + words_end, payload.tail, payload.bytes - words_end);
  return payload.bytes;
}

bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
            core::MemoryTraffic* traffic) {
  if (payload_bytes > largest_tops_bytes) return false;
  const Areas areas(scratch);
  std::memcpy(areas.first, payload, payload_bytes);
  const std::size_t bytes = decode_repeated(areas.first, payload_bytes, areas.second);
  TopsPayload tops;
  if (bytes == 0 || !read_tops(areas.second, bytes, tops) || tops.bytes != core::chunk_bytes) return false;

  __m512i carry = _mm512_setzero_si512();
  const auto restore = [&](std::size_t i, __m512i words) {
    _mm512_storeu_si512(chunk + i * word_bytes, Lanes64::prefix_sums(Lanes64::unfold(words), carry));
    carry_on(traffic, 1);
  };
  if (tops.keep == stages::keep_nothing) {
    std::memset(chunk, 0, core::chunk_bytes);
  } else if (tops.keep == stages::keep_everything) {
    for (std::size_t i = 0; i < tops.words; i += words_per_vector) restore(i, _mm512_loadu_si512(areas.second + i * word_bytes));
  } else {
    restore_words<DropZeroTops>(areas.second, tops, restore);
  }
  return true;
}

}  // namespace
}  // namespace floe::cpu::avx512

namespace floe::cpu {

std::size_t Kernels<Isa::avx512>::encode_ratio64(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                                                 core::MemoryTraffic* traffic) noexcept {
  return avx512::encode(chunk, out, scratch, traffic);
}
bool Kernels<Isa::avx512>::decode_ratio64(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
                                          std::uint8_t* scratch, core::MemoryTraffic* traffic) noexcept {
  return avx512::decode(payload, payload_bytes, chunk, scratch, traffic);
}

}  // namespace floe::cpu
FLOE_AVX512_END
#endif
