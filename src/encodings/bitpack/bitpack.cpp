// AFL: aligned fixed-length bit packing. Per 1024 words a base, a bit width, and exceptions that need more
// bits; the words of a full vector lie interleaved, so that SIMD lanes unpack them side by side. A leaf for
// integers.
#include <array>
#include <bit>

#include "core/bit_stream.hpp"
#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

using core::BitReader;
using core::BitWriter;
using core::bytes_of_bits;
namespace {

constexpr unsigned position_bits = 10;
constexpr std::uint8_t has_exceptions = 0x80;
constexpr std::uint64_t exceptions_header_bits = 24;  // at most: their number and width

/// How a vector is packed.
struct Packing {
  unsigned width = 0;            // of the packed words
  unsigned full_width = 0;       // of the largest word
  std::uint64_t exceptions = 0;  // words of more bits than `width`
  [[nodiscard]] unsigned upper_bits() const { return full_width - width; }
};

using Lengths = std::array<std::uint8_t, vector_words>;

std::uint64_t packed_bits(std::size_t count, unsigned width) { return std::uint64_t{count} * width; }

/// The width with the fewest bits, exceptions included. Fewer bits mean more exceptions, so the search goes
/// down from the full width, and ends where so many exceptions would cost more than the best so far with any
/// width: few lengths are counted. `lengths` becomes those of the words.
template <core::Word W>
Packing choose_packing(std::span<const W> words, W base, W range, Lengths& lengths) {
  const std::size_t count = words.size();
  Packing best{core::bit_length(range), core::bit_length(range), 0};
  if (range == 0) return best;
  kernels().of<W>().find_lengths(words.data(), count, base, lengths.data());
  std::uint64_t best_bits = packed_bits(count, best.width), exceptions = 0;
  for (unsigned width = best.full_width; width-- > 0;) {
    exceptions += kernels().count_bytes(lengths.data(), count, static_cast<std::uint8_t>(width + 1));
    if (exceptions_header_bits + exceptions * (position_bits + best.full_width) >= best_bits) break;
    const std::uint64_t exception_bits =
        exceptions_header_bits + exceptions * (position_bits + best.full_width - width);
    if (packed_bits(count, width) + exception_bits < best_bits) {
      best_bits = packed_bits(count, width) + exception_bits;
      best.width = width;
      best.exceptions = exceptions;
    }
  }
  return best;
}

/// Calls work(position) for each word of more bits. Most words have none: eight are looked at together, whose
/// lengths are far below 128.
template <class Work>
void for_each_exception(const Lengths& lengths, std::size_t count, unsigned width, const Work& work) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = ones << 7;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto some = core::load<std::uint64_t>(lengths.data() + i);
    for (std::uint64_t longer = (some + (127 - width) * ones) & tops; longer != 0; longer &= longer - 1)
      work(i + static_cast<unsigned>(std::countr_zero(longer)) / 8);
  }
  for (; i < count; ++i) {
    if (lengths[i] > width) work(i);
  }
}

template <core::Word W>
void write_exceptions(std::span<const W> words, W base, Packing packing, const Lengths& lengths,
                      ByteWriter& out) {
  out.put_byte(static_cast<std::uint8_t>(packing.upper_bits()));
  BitWriter bits(out);
  for_each_exception(lengths, words.size(), packing.width, [&](std::size_t position) {
    bits.put(position, position_bits);
    bits.put(static_cast<W>(static_cast<W>(words[position] - base) >> packing.width), packing.upper_bits());
  });
  bits.finish();
}

/// Chooses how a vector is packed, and writes what comes before the packed words. `base` becomes the smallest
/// word.
template <core::Word W>
Packing write_vector_header(std::span<const W> words, W flip, W& base, Lengths& lengths, ByteWriter& out) {
  const WordKernels<W>& kernel = kernels().of<W>();
  const W last_base = base;
  W max = 0;
  kernel.range(words.data(), words.size(), flip, base, max);
  const Packing packing = choose_packing(words, base, static_cast<W>(max - base), lengths);
  out.put_byte(static_cast<std::uint8_t>(packing.width | (packing.upper_bits() > 0 ? has_exceptions : 0)));
  out.put_signed(static_cast<W>(base - last_base));
  return packing;
}

template <core::Word W>
void write_vector(std::span<const W> words, W flip, W& base, ByteWriter& out) {
  Lengths lengths;
  const Packing packing = write_vector_header(words, flip, base, lengths, out);
  if (words.size() == vector_words) {
    kernels().of<W>().pack(words.data(), base, packing.width, out.extend(vector_words / 8 * packing.width));
  } else {
    BitWriter bits(out);
    for (const W word : words)
      bits.put(static_cast<W>(word - base) & core::low_mask<W>(packing.width), packing.width);
    bits.finish();
  }
  if (packing.upper_bits() == 0) return;
  out.put_varint(packing.exceptions);
  write_exceptions(words, base, packing, lengths, out);
}

template <core::Word W, class Work>
void for_each_vector(std::span<const W> words, const Work& work) {
  for (std::size_t first = 0; first < words.size(); first += vector_words)
    work(words.subspan(first, std::min(vector_words, words.size() - first)));
}

bool encode_bitpack(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::size_t payload = out.header.size();
    W base = 0;
    for_each_vector(in.words<W>(), [&](std::span<const W> vector) {
      write_vector(vector, sign_flip<W>(in.type), base, out.header);
    });
    out.header.put_length_at(payload);
    return true;
  });
}

template <core::Word W>
class BitpackSource final : public BlockSource<W, vector_words> {
 public:
  BitpackSource(std::span<const std::uint8_t> payload, std::uint64_t count)
      : BlockSource<W, vector_words>(count), rest_(payload) {}

 private:
  bool read_blocks(W* out, std::size_t count) override {
    for (std::size_t part = 0; count > 0; out += part, count -= part) {
      part = std::min(count, vector_words);
      if (!read_vector(out, part)) return false;
    }
    return true;
  }

  bool skip_blocks(std::uint64_t count) override {
    for (std::size_t part = 0; count > 0; count -= part) {
      part = static_cast<std::size_t>(std::min<std::uint64_t>(count, vector_words));
      if (!read_vector_parts(part)) return false;
    }
    return true;
  }

  /// Where the parts of the next vector are; moves behind it.
  bool read_vector_parts(std::size_t count) {
    const std::uint8_t control = rest_.get_byte();
    width_ = control & 0x7F;
    base_ = static_cast<W>(base_ + rest_.get_signed<W>());
    if (rest_.failed() || width_ > core::word_bits<W>) return false;
    packed_ = rest_.get_bytes(bytes_of_bits(packed_bits(count, width_)));
    exceptions_ = 0;
    if ((control & has_exceptions) == 0) return !rest_.failed();
    const std::uint64_t exceptions = rest_.get_varint();
    upper_bits_ = rest_.get_byte();
    if (rest_.failed() || exceptions > count || width_ + upper_bits_ > core::word_bits<W>) return false;
    exceptions_ = static_cast<std::size_t>(exceptions);
    stored_exceptions_ = rest_.get_bytes(bytes_of_bits(exceptions * (position_bits + upper_bits_)));
    return !rest_.failed();
  }

  bool read_vector(W* out, std::size_t count) {
    if (!read_vector_parts(count)) return false;
    if (count == vector_words) {
      kernels().of<W>().unpack(packed_.data(), base_, width_, out);
    } else {
      core::for_each_number(packed_, count, width_, [&](std::size_t i, std::uint64_t number) {
        out[i] = static_cast<W>(base_ + number);
      });
    }
    return exceptions_ == 0 || patch(out, count);
  }

  /// Adds their upper bits to the exceptions.
  bool patch(W* out, std::size_t count) {
    bool is_sound = true;
    const unsigned shift = std::min(width_, core::word_bits<W> - 1);  // with the full width no bit is left
    const auto add = [&](std::uint64_t position, std::uint64_t upper) {
      if (position >= count)
        is_sound = false;
      else
        out[position] = static_cast<W>(out[position] + static_cast<W>(static_cast<W>(upper) << shift));
    };
    if (position_bits + upper_bits_ <= 64) {
      core::for_each_number(stored_exceptions_, exceptions_, position_bits + upper_bits_,
                            [&](std::size_t, std::uint64_t number) {
                              add(number & core::low_mask<std::uint64_t>(position_bits),
                                  number >> position_bits);
                            });
    } else {
      BitReader bits(stored_exceptions_);
      for (std::size_t i = 0; i < exceptions_; ++i) {
        const std::uint64_t position = bits.get(position_bits);
        add(position, bits.get(upper_bits_));
      }
    }
    return is_sound;
  }

  ByteReader rest_;
  // Of the vector that is read:
  W base_ = 0;
  unsigned width_ = 0, upper_bits_ = 0;
  std::size_t exceptions_ = 0;
  std::span<const std::uint8_t> packed_, stored_exceptions_;
};

std::unique_ptr<Source> open_bitpack(Opening& opening) {
  const auto payload = opening.bytes.get_bytes(opening.bytes.get_varint());
  if (opening.bytes.failed()) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<BitpackSource<W>>(payload, opening.count);
  });
}

}  // namespace

std::size_t bitpack_bytes(const ColumnView& words) {
  ByteWriter headers;
  std::uint64_t packed = 0;
  with_word(size_of(words.type), [&]<class W>(W) {
    W base = 0;
    for_each_vector(words.words<W>(), [&](std::span<const W> vector) {
      Lengths lengths;
      const Packing packing = write_vector_header(vector, sign_flip<W>(words.type), base, lengths, headers);
      packed += bytes_of_bits(packed_bits(vector.size(), packing.width));
      if (packing.upper_bits() == 0) return;
      headers.put_varint(packing.exceptions);
      packed += 1 + bytes_of_bits(packing.exceptions * (position_bits + packing.upper_bits()));
    });
  });
  const std::size_t payload = headers.size() + static_cast<std::size_t>(packed);
  ByteWriter length;
  length.put_varint(payload);
  return length.size() + payload;
}

Encoding bitpack_encoding() noexcept {
  return {.time = {500, 150}, .device_time = {5, 4}, .encode = encode_bitpack, .open = open_bitpack};
}

}  // namespace floe::trees
