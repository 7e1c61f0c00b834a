// floe: reading the values of an encoded column where they are needed, without decoding the column to memory.
//
// open_cursors_async makes a Cursor of each segment. It is passed to kernels of the user by value, or lies in
// device memory, and any thread asks it for any word. It points into the encoded segment and into an index,
// which must both stay where they are. A cursor compiles for the CPU, too. docs/gpu.md has an example. Link
// floe::cuda.
#pragma once

#include <cstdint>
#include <cstring>

#include "floe/types.hpp"

using cudaStream_t = struct CUstream_st*;

#if defined(__CUDACC__)
#define FLOE_CURSOR_FUNCTION __host__ __device__ __forceinline__
#else
#define FLOE_CURSOR_FUNCTION inline
#endif

namespace floe::cuda {

/// Where a vector of 1024 packed words lies.
struct PackedVector {
  std::uint64_t base = 0;  ///< What its numbers are added to.
  /// Lowest 48 bits: offset of the packed bits in the payload; then the bit width; bit 63: exceptions follow.
  std::uint64_t packing = 0;
};

/// What happens to words on their way from the leaf of a tree to its root. One after the other.
struct CursorStep {
  enum class Kind : std::uint8_t { none, int_mult, decimal, dict, sortable, exceptions };
  Kind kind = Kind::none;
  std::uint8_t bytes = 0;                              ///< Of the words that come out.
  std::uint8_t bytes_in = 0;                           ///< Of those that go in.
  std::uint64_t base = 0;                              ///< int_mult: added.
  std::uint64_t factor = 1;                            ///< int_mult: multiplied before that.
  double power = 1;                                    ///< decimal: divided by.
  const void* entries = nullptr;                       ///< dict.
  std::uint64_t entry_count = 0;                       ///< dict; codes beyond are exceptions.
  std::uint64_t exception_count = 0;                   ///< Words that come from elsewhere.
  const std::uint64_t* exception_positions = nullptr;  ///< Ascending.
  const void* exception_words = nullptr;
};

/// An encoded segment, opened.
struct Cursor {
  enum class Leaf : std::uint8_t { none, constant, raw, packed };
  static constexpr unsigned max_steps = 4;
  /// From so many words to so many the sum of differences is kept.
  static constexpr unsigned checkpoint_words = 32;

  std::uint64_t count = 0;        ///< Words of the segment; 0 if it could not be opened.
  std::uint32_t error = 0;        ///< floe::ErrorCode: ok; unsupported_codec, the tree has no random access;
                                  ///< corrupt_frame; output_too_small, the index.
  std::uint64_t index_bytes = 0;  ///< That the index needs.
  Leaf leaf = Leaf::none;
  std::uint8_t leaf_bytes = 0;  ///< Of the leaf's words.
  std::uint8_t step_count = 0;
  bool sums_up = false;        ///< The leaf's words are differences.
  std::uint64_t constant = 0;  ///< A constant leaf.
  std::uint64_t leaf_base = 0,
                leaf_factor = 1;  ///< Leaf words are multiplied and added to, before they are summed up.
  const std::uint8_t* payload = nullptr;
  const PackedVector* vectors = nullptr;
  const void* checkpoints = nullptr;  ///< Every checkpoint_words-th sum.
  CursorStep steps[max_steps];

  /// The bits of word i, i < count. Takes a handful of loads; behind differences, up to 31 words more.
  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t word(std::uint64_t i) const {
    std::uint64_t word = sums_up ? sum_at(i) : leaf_word(i);
    for (unsigned s = 0; s < step_count; ++s) word = pass(steps[s], word, i);
    return word;
  }
  /// The same as a number of the column's type: T is i8 ... u64, float, double, or std::uint8_t for booleans.
  template <class T>
  [[nodiscard]] FLOE_CURSOR_FUNCTION T value(std::uint64_t i) const {
    const std::uint64_t bits = word(i);
    T value;
    memcpy(&value, &bits, sizeof value);  // the lowest bytes
    return value;
  }

 private:
  static constexpr unsigned vector_words = 1024;

  static FLOE_CURSOR_FUNCTION std::uint64_t low_bits(std::uint64_t word, unsigned bits) {
    return bits >= 64 ? word : word & ((std::uint64_t{1} << bits) - 1);
  }
  /// `bytes` bytes from any address. A device loads whole aligned words around them, which are never on
  /// another page.
  static FLOE_CURSOR_FUNCTION std::uint64_t load(const void* from, unsigned bytes) {
#if defined(__CUDA_ARCH__)
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
    const auto shift = static_cast<unsigned>(8 * (address % 4));
    const std::uint32_t first = words[0];
    const std::uint32_t second = shift + 8 * bytes > 32 ? words[1] : 0;
    const std::uint32_t third = shift + 8 * bytes > 64 ? words[2] : 0;
    const std::uint64_t low = __funnelshift_r(first, second, shift),
                        high = __funnelshift_r(second, third, shift);
    return low_bits(high << 32 | low, 8 * bytes);
#else
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
#endif
  }
  /// `bits` bits from bit `first` of a bit stream on, up to 64.
  static FLOE_CURSOR_FUNCTION std::uint64_t load_bits(const std::uint8_t* stream, std::uint64_t first,
                                                      unsigned bits) {
    if (bits == 0) return 0;
    const std::uint8_t* const from = stream + first / 8;
    const auto shift = static_cast<unsigned>(first % 8);
    const unsigned bytes = (shift + bits + 7) / 8;
    std::uint64_t word = load(from, bytes < 8 ? bytes : 8) >> shift;
    if (bytes > 8) word |= static_cast<std::uint64_t>(from[8]) << (64 - shift);
    return low_bits(word, bits);
  }

  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t leaf_count() const { return sums_up ? count - 1 : count; }

  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t leaf_word(std::uint64_t i) const {
    const std::uint64_t word = leaf == Leaf::constant ? constant
                               : leaf == Leaf::raw    ? load(payload + i * leaf_bytes, leaf_bytes)
                                                      : packed_word(i);
    return low_bits(word * leaf_factor + leaf_base, 8 * leaf_bytes);
  }

  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t packed_word(std::uint64_t i) const {
    const PackedVector vector = vectors[i / vector_words];
    const std::uint64_t first = i / vector_words * vector_words, left = leaf_count() - first;
    const auto length = static_cast<unsigned>(left < vector_words ? left : vector_words);
    const auto field = static_cast<unsigned>(i - first),
               width = static_cast<unsigned>(vector.packing >> 48 & 0x7F);
    const std::uint8_t* const packed = payload + low_bits(vector.packing, 48);
    std::uint64_t word = length == vector_words ? interleaved_field(packed, field, width)
                                                : load_bits(packed, std::uint64_t{field} * width, width);
    if (vector.packing >> 63 != 0)
      word += upper_bits(packed + (length * width + 7) / 8, field) << (width & 63);
    return low_bits(vector.base + word, 8 * leaf_bytes);
  }

  /// docs/format/encodings/bitpack.md: rows of 1024 bits, lanes of words.
  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t interleaved_field(const std::uint8_t* packed,
                                                                     unsigned field, unsigned width) const {
    if (width == 0) return 0;
    const unsigned bits = 8u * leaf_bytes, lanes = vector_words / bits;
    const unsigned begin = field / lanes * width, shift = begin % bits;
    const std::uint8_t* const from = packed + begin / bits * 128 + field % lanes * leaf_bytes;
    std::uint64_t word = load(from, leaf_bytes) >> shift;
    if (shift + width > bits) word |= load(from + 128, leaf_bytes) << (bits - shift);
    return low_bits(word, width);
  }

  /// The upper bits of a field, if it is an exception.
  static FLOE_CURSOR_FUNCTION std::uint64_t upper_bits(const std::uint8_t* exceptions, unsigned field) {
    unsigned count = exceptions[0] & 0x7F;
    if (exceptions[0] >= 0x80) {
      count |= static_cast<unsigned>(exceptions[1]) << 7;
      ++exceptions;
    }
    const unsigned upper = exceptions[1], each = 10 + upper;
    const std::uint8_t* const stream = exceptions + 2;
    unsigned low = 0, high = count;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (load_bits(stream, std::uint64_t{middle} * each, 10) < field) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == count || load_bits(stream, std::uint64_t{low} * each, 10) != field) return 0;
    return load_bits(stream, std::uint64_t{low} * each + 10, upper);
  }

  [[nodiscard]] FLOE_CURSOR_FUNCTION std::uint64_t sum_at(std::uint64_t i) const {
    const std::uint64_t first = i / checkpoint_words * checkpoint_words;
    std::uint64_t sum =
        load(static_cast<const std::uint8_t*>(checkpoints) + i / checkpoint_words * leaf_bytes, leaf_bytes);
    for (std::uint64_t k = first; k < i; ++k) sum += leaf_word(k);
    return low_bits(sum, 8 * leaf_bytes);
  }

  /// Index of an exception; exception_count if word i is none.
  static FLOE_CURSOR_FUNCTION std::uint64_t find_exception(const CursorStep& step, std::uint64_t i) {
    std::uint64_t low = 0, high = step.exception_count;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (step.exception_positions[middle] < i) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < step.exception_count && step.exception_positions[low] == i ? low : step.exception_count;
  }

  static FLOE_CURSOR_FUNCTION std::uint64_t pass(const CursorStep& step, std::uint64_t word,
                                                 std::uint64_t i) {
    if (step.exception_count > 0) {
      const std::uint64_t found = find_exception(step, i);
      if (found < step.exception_count)
        return load(static_cast<const std::uint8_t*>(step.exception_words) + found * step.bytes, step.bytes);
    }
    switch (step.kind) {
      case CursorStep::Kind::int_mult:
        return low_bits(word * step.factor + step.base, 8 * step.bytes);
      case CursorStep::Kind::decimal:
        return decimal_word(step, word);
      case CursorStep::Kind::dict:
        return word < step.entry_count
                   ? load(static_cast<const std::uint8_t*>(step.entries) + word * step.bytes, step.bytes)
                   : 0;
      case CursorStep::Kind::sortable: {
        const unsigned top = 8u * step.bytes - 1;
        return word >> top == 0 ? word : word ^ (low_bits(~std::uint64_t{0}, top));
      }
      default:
        return word;
    }
  }
  static FLOE_CURSOR_FUNCTION std::uint64_t decimal_word(const CursorStep& step, std::uint64_t word) {
    const auto integer = step.bytes_in == 4 ? static_cast<double>(static_cast<std::int32_t>(word))
                                            : static_cast<double>(static_cast<std::int64_t>(word));
    const double quotient = integer / step.power;
    std::uint64_t bits = 0;
    if (step.bytes == 4) {
      const auto narrow = static_cast<float>(quotient);
      memcpy(&bits, &narrow, sizeof narrow);
    } else {
      memcpy(&bits, &quotient, sizeof quotient);
    }
    return bits;
  }
};

#pragma GCC visibility push(default)

/// An encoded segment of a column, in device memory: a stream of a frame (docs/format/trees.md).
struct EncodedSegment {
  const void* bytes = nullptr;
  std::uint64_t byte_count = 0;
  std::uint64_t word_count = 0;
};

/// A size of index that is enough for segments of `word_count` words unless they have dictionaries or many
/// exceptions: where it is not, the cursor says how much is needed.
constexpr std::uint64_t usual_index_bytes(std::uint64_t word_count) noexcept { return word_count / 2 + 4096; }

/// Enqueues the opening of `segment_count` segments of one type. `segments` and `cursors` lie in device
/// memory; the index of segment i are the `index_bytes` bytes, a multiple of 16, from index + i * index_bytes
/// on. Cursors point into both the segment and its index. What went wrong with a segment is in its cursor's
/// `error`: output_too_small, with `index_bytes` what is needed; unsupported_codec for trees without random
/// access (those with rle, split, stride_split, divide, unique, grid, linear, affine, entropy, context,
/// codec, delta of other than neighbours, dict with exceptions, or several parts) and for segments of 2^32
/// words or bytes; corrupt_frame. Takes any bytes, but does not check what reading the whole segment would
/// show. One block works on a segment, for about a millisecond per 2^20 words. The device is the current one;
/// pointers and stream must belong to it. Thread-safe. Errors: invalid_argument, device_error.
Status open_cursors_async(const EncodedSegment* segments, std::uint64_t segment_count, DType type,
                          Cursor* cursors, void* index, std::uint64_t index_bytes, cudaStream_t stream);

#pragma GCC visibility pop

}  // namespace floe::cuda

#undef FLOE_CURSOR_FUNCTION
