// gfc with NEON: leading zeros give the length codes of a sub-chunk, these give table indexes, one per vector
// of words, and one shuffle drops the leading zero bytes of a vector or puts them back.
#include "chunks/cpu/neon/kernels.hpp"

#if defined(__aarch64__)

#include <arm_neon.h>

#include <array>
#include <cstring>

#include "chunks/cpu/byte_moves.hpp"
#include "chunks/cpu/overlap.hpp"
#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"

namespace floe::cpu::neon {
namespace {

using stages::lanes;
constexpr std::size_t code_bytes = lanes / 2;

template <core::Word W>
constexpr unsigned vectors = lanes * sizeof(W) / 16;
template <core::Word W>
constexpr unsigned words_per_vector = 16 / sizeof(W);

/// One number per word: those of the even words of a sub-chunk and those of the odd ones.
struct EvenOdd {
  uint8x16_t even, odd;
};

/// The lowest bytes of the words of four vectors of 32-bit words, or the highest.
uint8x16_t lowest_bytes(const uint8x16_t* v) {
  const auto halves = [&](unsigned i) { return vreinterpretq_u16_u8(v[i]); };
  return vuzp1q_u8(vreinterpretq_u8_u16(vuzp1q_u16(halves(0), halves(1))),
                   vreinterpretq_u8_u16(vuzp1q_u16(halves(2), halves(3))));
}
uint8x16_t highest_bytes(const uint8x16_t* v) {
  const auto halves = [&](unsigned i) { return vreinterpretq_u16_u8(v[i]); };
  return vuzp2q_u8(vreinterpretq_u8_u16(vuzp2q_u16(halves(0), halves(1))),
                   vreinterpretq_u8_u16(vuzp2q_u16(halves(2), halves(3))));
}

/// Bytes up to the highest one that is not zero, of each of four 32-bit words.
uint8x16_t significant_bytes(uint8x16_t words) {
  return vreinterpretq_u8_u32(
      vsubq_u32(vdupq_n_u32(4), vshrq_n_u32(vclzq_u32(vreinterpretq_u32_u8(words)), 3)));
}

/// What differs between words of 32 and 64 bits. An index is that of a vector's words in byte_moves.
template <core::Word W>
struct Words;

template <>
struct Words<std::uint32_t> {
  using Index = std::uint16_t;
  static uint8x16_t sub(uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u32(vsubq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  }
  static uint8x16_t add(uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  }
  static uint8x16_t abs(uint8x16_t a) { return vreinterpretq_u8_s32(vabsq_s32(vreinterpretq_s32_u8(a))); }

  static EvenOdd length_codes(const uint8x16_t* magnitudes) {
    uint8x16_t bytes[8];
    for (unsigned v = 0; v < 8; ++v) bytes[v] = significant_bytes(magnitudes[v]);
    const uint8x16_t lower = lowest_bytes(bytes), upper = lowest_bytes(bytes + 4);
    return {vuzp1q_u8(lower, upper), vuzp2q_u8(lower, upper)};
  }
  /// The top bytes of all words.
  static EvenOdd tops(const uint8x16_t* residuals) {
    const uint8x16_t lower = highest_bytes(residuals), upper = highest_bytes(residuals + 4);
    return {vuzp1q_u8(lower, upper), vuzp2q_u8(lower, upper)};
  }
  static uint8x16_t payload_bytes(uint8x16_t length_codes) { return vminq_u8(length_codes, vdupq_n_u8(4)); }
  static void store_indexes(EvenOdd codes, Index* to) {
    const EvenOdd lengths{payload_bytes(codes.even), payload_bytes(codes.odd)};
    const uint8x16_t pairs = vmlaq_u8(lengths.even, lengths.odd, vdupq_n_u8(5));
    const uint8x8_t first = vget_low_u8(vuzp1q_u8(pairs, pairs)),
                    second = vget_low_u8(vuzp2q_u8(pairs, pairs));
    vst1q_u16(to, vmlal_u8(vmovl_u8(first), second, vdup_n_u8(25)));
  }
};

template <>
struct Words<std::uint64_t> {
  using Index = std::uint8_t;
  static uint8x16_t sub(uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u64(vsubq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
  }
  static uint8x16_t add(uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
  }
  static uint8x16_t abs(uint8x16_t a) { return vreinterpretq_u8_s64(vabsq_s64(vreinterpretq_s64_u8(a))); }

  static EvenOdd length_codes(const uint8x16_t* magnitudes) {
    static constexpr std::uint8_t codes[16] = {0, 1, 2, 2, 3, 4, 5, 6, 7};  // two bytes are stored as three
    uint8x16_t bytes[2];                                                    // of sixteen words each
    for (unsigned part = 0; part < 2; ++part) {
      uint8x16_t of_halves[8];
      for (unsigned v = 0; v < 8; ++v) of_halves[v] = significant_bytes(magnitudes[8 * part + v]);
      const uint8x16_t first = lowest_bytes(of_halves), second = lowest_bytes(of_halves + 4);
      const uint8x16_t lower = vuzp1q_u8(first, second), upper = vuzp2q_u8(first, second);
      bytes[part] = vbslq_u8(vtstq_u8(upper, upper), vaddq_u8(upper, vdupq_n_u8(4)), lower);
    }
    const uint8x16_t table = vld1q_u8(codes);
    return {vqtbl1q_u8(table, vuzp1q_u8(bytes[0], bytes[1])),
            vqtbl1q_u8(table, vuzp2q_u8(bytes[0], bytes[1]))};
  }
  static EvenOdd tops(const uint8x16_t* residuals) {
    uint8x16_t of_words[2];
    for (unsigned part = 0; part < 2; ++part) {
      const uint8x16_t* const r = residuals + 8 * part;
      of_words[part] = vuzp2q_u8(highest_bytes(r), highest_bytes(r + 4));
    }
    return {vuzp1q_u8(of_words[0], of_words[1]), vuzp2q_u8(of_words[0], of_words[1])};
  }
  static uint8x16_t payload_bytes(uint8x16_t length_codes) {
    return vaddq_u8(length_codes, vshrq_n_u8(vcgtq_u8(length_codes, vdupq_n_u8(1)), 7));
  }
  static void store_indexes(EvenOdd codes, Index* to) { vst1q_u8(to, vsliq_n_u8(codes.even, codes.odd, 3)); }
};

/// The predictions of a sub-chunk, made from the one before: by a shuffle where a vector holds whole tuples,
/// else word by word.
template <core::Word W>
class Predictor {
 public:
  explicit Predictor(unsigned dimensionality) : is_same_for_all_(words_per_vector<W> % dimensionality == 0) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      source_[lane] = static_cast<std::uint8_t>(stages::LaneDelta::source_lane(lane, dimensionality));
    for (unsigned byte = 0; byte < 16; ++byte)
      shuffle_[byte] = static_cast<std::uint8_t>(source_[byte / sizeof(W)] * sizeof(W) + byte % sizeof(W) -
                                                 16 * (vectors<W> - 1));
  }
  [[nodiscard]] uint8x16_t predict(unsigned vector) const {
    return vld1q_u8(predictions_ + (is_same_for_all_ ? 0 : 16 * vector));
  }
  void set_before(const std::uint8_t* words) {
    if (is_same_for_all_) {
      vst1q_u8(predictions_, vqtbl1q_u8(vld1q_u8(words + 16 * (vectors<W> - 1)), vld1q_u8(shuffle_.data())));
      return;
    }
    for (unsigned lane = 0; lane < lanes; ++lane)
      core::store(predictions_ + lane * sizeof(W), core::load<W>(words + source_[lane] * sizeof(W)));
  }

 private:
  std::array<std::uint8_t, lanes> source_;
  std::array<std::uint8_t, 16> shuffle_;  ///< Bytes of the last vector; only if it holds all sources.
  alignas(16) std::uint8_t predictions_[16 * vectors<W>] = {};  // zeros before the first sub-chunk
  bool is_same_for_all_;
};

/// Writes one sub-chunk and returns its bytes; may overshoot by 16 bytes.
template <core::Word W>
std::size_t encode_subchunk(const std::uint8_t* words, Predictor<W>& predictor, std::uint8_t* out) {
  using V = Words<W>;
  uint8x16_t residuals[vectors<W>], magnitudes[vectors<W>];
  for (unsigned v = 0; v < vectors<W>; ++v) {
    residuals[v] = V::sub(vld1q_u8(words + 16 * v), predictor.predict(v));
    magnitudes[v] = V::abs(residuals[v]);
  }
  predictor.set_before(words);
  const EvenOdd lengths = V::length_codes(magnitudes), tops = V::tops(residuals);
  const uint8x16_t sign = vdupq_n_u8(8);
  const uint8x16_t even = vorrq_u8(lengths.even, vandq_u8(vshrq_n_u8(tops.even, 4), sign));
  const uint8x16_t odd = vorrq_u8(lengths.odd, vandq_u8(vshrq_n_u8(tops.odd, 4), sign));
  vst1q_u8(out, vsliq_n_u8(even, odd, 4));
  typename V::Index index[vectors<W>];
  V::store_indexes(lengths, index);
  std::uint8_t* position = out + code_bytes;
  for (unsigned v = 0; v < vectors<W>; ++v) {
    vst1q_u8(position, vqtbl1q_u8(magnitudes[v], vld1q_u8(byte_moves<W>.drop[index[v]].from.data())));
    position += byte_moves<W>.stored_bytes[index[v]];
  }
  return static_cast<std::size_t>(position - out);
}

/// Restores one sub-chunk, moves `words` behind it, and returns the end of what it read; nothing if that
/// would be behind `end`.
template <core::Word W>
const std::uint8_t* decode_subchunk(const std::uint8_t* in, const std::uint8_t* end, Predictor<W>& predictor,
                                    std::uint8_t*& words) {
  using V = Words<W>;
  const auto rest = static_cast<std::size_t>(end - in);
  if (rest < code_bytes) return nullptr;
  const uint8x16_t stored = vld1q_u8(in), length_bits = vdupq_n_u8(7);
  const EvenOdd lengths{vandq_u8(stored, length_bits), vandq_u8(vshrq_n_u8(stored, 4), length_bits)};
  const std::size_t payload_bytes =
      vaddlvq_u8(vaddq_u8(V::payload_bytes(lengths.even), V::payload_bytes(lengths.odd)));
  if (rest < code_bytes + payload_bytes) return nullptr;

  std::uint8_t copy[lanes * sizeof(W) + 16];  // for loads of 16 bytes that would reach behind the end
  const std::uint8_t* position = in + code_bytes;
  if (rest < code_bytes + payload_bytes + 16) [[unlikely]] {
    std::memcpy(copy, position, payload_bytes);
    position = copy;
  }
  typename V::Index index[vectors<W>];
  V::store_indexes(lengths, index);
  const uint8x16_t even_signs = vtstq_u8(stored, vdupq_n_u8(8)),
                   odd_signs = vtstq_u8(stored, vdupq_n_u8(0x80));
  const uint8x16_t signs[2] = {vzip1q_u8(even_signs, odd_signs),
                               vzip2q_u8(even_signs, odd_signs)};  // all bits, in the order of words
  static constexpr std::array<std::uint8_t, 16> word_of_byte = [] {
    std::array<std::uint8_t, 16> words_of_bytes{};
    for (unsigned byte = 0; byte < 16; ++byte)
      words_of_bytes[byte] = static_cast<std::uint8_t>(byte / sizeof(W));
    return words_of_bytes;
  }();
  const uint8x16_t first_words = vld1q_u8(word_of_byte.data());
  for (unsigned v = 0; v < vectors<W>; ++v) {
    const uint8x16_t magnitude =
        vqtbl1q_u8(vld1q_u8(position), vld1q_u8(byte_moves<W>.restore[index[v]].from.data()));
    position += byte_moves<W>.stored_bytes[index[v]];
    const unsigned first_word = v * words_per_vector<W>;
    const uint8x16_t negative =
        vqtbl1q_u8(signs[first_word / 16], vaddq_u8(first_words, vdupq_n_u8(first_word % 16)));
    const uint8x16_t residual = V::sub(veorq_u8(magnitude, negative), negative);
    vst1q_u8(words + 16 * v, V::add(residual, predictor.predict(v)));
  }
  predictor.set_before(words);
  words += lanes * sizeof(W);
  return in + code_bytes + payload_bytes;
}

#include "chunks/cpu/gfc.inl"

}  // namespace
}  // namespace floe::cpu::neon

namespace floe::cpu {
FLOE_DEFINE_KERNEL(neon, GfcPipeline, std::uint32_t,
                   encode<std::uint32_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode_to<std::uint32_t>(chunk, payload, payload_bytes, context.parameters.dimensionality,
                                            context.overlap))
FLOE_DEFINE_KERNEL(neon, GfcPipeline, std::uint64_t,
                   encode<std::uint64_t>(chunk, out, context.parameters.dimensionality, context.overlap),
                   decode_to<std::uint64_t>(chunk, payload, payload_bytes, context.parameters.dimensionality,
                                            context.overlap))
}  // namespace floe::cpu
#endif
