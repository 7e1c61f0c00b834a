// Split: words go to one of two children, and a stencil says where each went. What narrows the words is
// decided by the encoder; a decoder needs the stencil only.
#include <algorithm>
#include <array>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/offset_lengths.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Which words go to the second child. The first parameter.
enum Kind : std::uint32_t {
  upper = 0,    ///< Those above a threshold, chosen so that both children are narrow.
  outside = 1,  ///< Those in the lowest and the highest tenth of the range.
  sign = 2,     ///< Those with the top bit.
  value = 3,    ///< Those equal to the first word.
};

/// The words of an integer type in order: offsets from the smallest one, as unsigned numbers, so that nothing
/// overflows.
template <core::Word W>
struct Range {
  W base = 0, width = 0;
  Range(const ColumnView& in) {
    const W flip = sign_flip<W>(in.type);
    W max = 0;
    kernels().of<W>().range(in.words<W>().data(), static_cast<std::size_t>(in.count), flip, base, max);
    width = static_cast<W>(max - base);
  }
};

/// The number of bits of an offset up to which words go to the first child: the one for which both children
/// need the fewest bits.
template <core::Word W>
unsigned choose_bits(std::span<const W> words, const Range<W>& range) {
  constexpr unsigned bits = core::word_bits<W>;
  const std::size_t step = core::divide_up(words.size(), SplitRules::max_counted_words);
  const OffsetLengths<W> offsets = count_offset_lengths(words, range.base, step);
  const std::uint64_t counted = core::divide_up(words.size(), step);
  unsigned best = bits;
  std::uint64_t best_bits = counted * core::bit_length(range.width), above = 0;
  W min_above = static_cast<W>(~W{0});
  for (unsigned length = bits; length > 0; --length) {
    above += offsets.counts[length];
    min_above = std::min(min_above, offsets.min[length]);
    if (above == 0) continue;
    const std::uint64_t cost = (counted - above) * (length - 1) +
                               above * core::bit_length(static_cast<W>(range.width - min_above)) +
                               counted / 8;
    if (cost < best_bits) {
      best_bits = cost;
      best = length - 1;
    }
  }
  return best;
}

/// Words whose difference to `base` is more than `limit` go to the second child.
template <core::Word W>
void divide(const ColumnView& in, W base, W limit, Encoded& out) {
  const std::span<const W> words = in.words<W>();
  Stream stencil(DType::boolean, words.size(), out.scratch), first(in.type, words.size(), out.scratch),
      second(in.type, words.size(), out.scratch);
  static_assert(Block::slack_bytes >= merge_slack_bytes);
  const std::size_t second_count =
      kernels().of<W>().divide(words.data(), words.size(), base, limit, stencil.words<std::uint8_t>().data(),
                               first.words<W>().data(), second.words<W>().data());
  first.shorten(words.size() - second_count);
  second.shorten(second_count);
  out.header.put_varint(second_count);
  out.children.push_back(std::move(stencil));
  out.children.push_back(std::move(first));
  out.children.push_back(std::move(second));
}

bool encode_split(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    switch (parameters[0]) {
      case upper: {
        const Range<W> range(in);
        divide<W>(in, range.base, core::low_mask<W>(choose_bits(words, range)), out);
        break;
      }
      case outside: {
        const Range<W> range(in);
        const W tenth = static_cast<W>(range.width / 10), inner = static_cast<W>(range.width - 2 * tenth);
        divide<W>(in, static_cast<W>(range.base + tenth), inner, out);
        break;
      }
      case sign:
        divide<W>(in, W{0}, core::low_mask<W>(core::word_bits<W> - 1), out);
        break;
      default:  // only the difference to the word behind it is all ones
        divide<W>(in, static_cast<W>(words[0] + 1), static_cast<W>(~W{0} - 1), out);
    }
    return true;
  });
}

template <core::Word W>
class SplitSource final : public Source {
 public:
  // Not by default, which would clear the buffers.
  SplitSource() {}  // NOLINT(modernize-use-equals-default)
  bool open(Opening& opening, std::uint64_t second_count) {
    second_left_ = second_count;
    first_left_ = opening.count - second_count;
    return (stencil_ = opening.open_child(opening.count)) != nullptr &&
           (first_ = opening.open_child(first_left_)) != nullptr &&
           (second_ = opening.open_child(second_count)) != nullptr;
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      std::size_t seconds = 0;
      if (!read_marks(part, seconds)) return false;
      if (!first_->read(firsts_.data(), part - seconds) || !second_->read(seconds_.data(), seconds))
        return false;
      kernels().of<W>().merge(marks_.data(), firsts_.data(), seconds_.data(), part, out);
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    for (std::size_t part = 0; count > 0; count -= part) {
      part = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece));
      std::size_t seconds = 0;
      if (!read_marks(part, seconds) || !first_->skip(part - seconds) || !second_->skip(seconds))
        return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = piece_words;
  /// Reads what says where the next words are, of which `seconds` are in the second child.
  bool read_marks(std::size_t count, std::size_t& seconds) {
    if (!stencil_->read(marks_.data(), count)) return false;
    seconds = kernels().count_marks(marks_.data(), count);
    if (seconds > second_left_ || count - seconds > first_left_) return false;
    second_left_ -= seconds;
    first_left_ -= count - seconds;
    return true;
  }

  std::unique_ptr<Source> stencil_, first_, second_;
  std::uint64_t first_left_ = 0, second_left_ = 0;
  alignas(64) std::array<std::uint8_t, piece> marks_;
  alignas(64) std::array<W, piece + merge_slack_bytes / sizeof(W)> firsts_;
  alignas(64) std::array<W, piece + merge_slack_bytes / sizeof(W)> seconds_;
};

std::unique_ptr<Source> open_split(Opening& opening) {
  const std::uint64_t second_count = opening.bytes.get_varint();
  if (opening.bytes.failed() || second_count > opening.count) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<SplitSource<W>>();
    if (!source->open(opening, second_count)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding split_encoding() noexcept {
  return {.time = {1200, 250}, .device_time = {16, 4}, .encode = encode_split, .open = open_split};
}

}  // namespace floe::trees
