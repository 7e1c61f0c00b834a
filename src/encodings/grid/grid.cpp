// Grid: floats become multiples of one power of two, and the bits of their mantissas below it follow as they
// are. Differences of multiples do not jump where floats change their exponent or sign, as those of floats in
// their order do. What the grid cannot say (magnitudes that are too large or too small, -0.0, NaN,
// infinities) is an exception.
#include "encodings/grid/grid.hpp"

#include <array>
#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"

namespace floe::trees {
namespace {

/// The exponent that makes least of exceptions and of bits below the grid, of which about half could be
/// predicted. 0 if there is none.
template <core::Word W>
unsigned best_exponent(std::span<const W> words, const FloatLayout& layout) {
  constexpr std::uint64_t exception_bits = core::word_bits<W> + 8;
  std::vector<std::uint64_t> counts(layout.top_exponent());
  for (const W word : words) {
    const unsigned exponent = layout.exponent_of(word);
    if (exponent < counts.size()) ++counts[exponent];
  }
  std::uint64_t above = 0, best_cost = ~std::uint64_t{0};
  for (std::size_t e = 1; e < counts.size(); ++e) above += counts[e];
  unsigned best = 0;
  for (unsigned e = 1; e < counts.size(); ++e) {
    above -= counts[e];
    const unsigned below = e > layout.precision ? e - layout.precision : 0;
    if (counts[e] == 0) continue;
    std::uint64_t too_small = 0;
    for (unsigned i = 1; i <= below; ++i) too_small += counts[i];
    const std::uint64_t cost = (above + too_small) * exception_bits + (words.size() * e) / 2;
    if (cost < best_cost) {
      best_cost = cost;
      best = e;
    }
  }
  return best;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const FloatLayout layout = layout_of(in.type);
    const std::span<const W> words = in.words<W>();
    const unsigned exponent = best_exponent(words, layout);
    if (exponent == 0) return false;
    Stream multiples(signed_type(sizeof(W)), in.count, out.scratch);
    W* const to = multiples.words<W>().data();
    Stream low(DType::u8, in.count * sizeof(W) + sizeof(std::uint64_t), out.scratch);
    LowBitsWriter bits(low.words<std::uint8_t>().data());
    std::vector<std::uint64_t> exceptions;
    GridWord<W> last{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (const auto on_grid = layout.on_grid(words[i], exponent)) {
        last = *on_grid;
        bits.put(last.low, last.low_bits);
      } else {
        exceptions.push_back(i);
        bits.put(0, last.low_bits);  // the multiple before again, so that they stay smooth
      }
      to[i] = last.multiple;
    }
    low.shorten(bits.finish());
    out.header.put_varint(exponent);
    out.header.put_varint(low.view().count);
    out.header.put_varint(exceptions.size());
    out.children.push_back(std::move(multiples));
    out.children.push_back(std::move(low));
    put_exceptions<W>(in, exceptions, out);
    return true;
  });
}

template <core::Word W>
class GridSource final : public Source {
 public:
  GridSource(const FloatLayout& layout, unsigned exponent, std::uint64_t low_bytes)
      : layout_(layout), exponent_(exponent), low_left_(low_bytes) {}
  bool open(Opening& opening, std::uint64_t exceptions) {
    return (multiples_ = opening.open_child(opening.count)) != nullptr &&
           (low_ = opening.open_child(low_left_)) != nullptr && patcher_.open(opening, exceptions);
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      if (!multiples_->read(out, part) || !join(out, part) || !patcher_.patch(out, part)) return false;
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = 1024;

  bool join(W* words, std::size_t count) {
    const std::size_t bits = to_mantissas(words, count);
    if (bits > count * layout_.precision || !fill(bits)) return false;
    std::size_t at = used_bits_;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t low;
      std::memcpy(&low, buffer_.data() + at / 8, sizeof low);
      const unsigned width = widths_[i];
      words[i] |= static_cast<W>(low >> (at % 8) & ((std::uint64_t{1} << width) - 1));
      at += width;
    }
    used_bits_ = at;
    return true;
  }

  /// Makes floats of multiples, in which the bits below are missing, and finds how many those are. Returns
  /// their sum; more than there can be if a multiple is no good.
  std::size_t to_mantissas(W* words, std::size_t count) {
    std::uint64_t sum = 0, bad = 0;
    if constexpr (sizeof(W) >= 4) {
      // Numbers convert exactly; what is missing of their mantissas shows in their exponents.
      using Float = std::conditional_t<sizeof(W) == 8, double, float>;
      using Signed = std::make_signed_t<W>;
      const unsigned mantissa = layout_.precision - 1, top = layout_.top_exponent();
      const W most = static_cast<W>(top / 2 + mantissa),
              moved = static_cast<W>(static_cast<W>(exponent_ - most) << mantissa);
      for (std::size_t i = 0; i < count; ++i) {
        const W word = std::bit_cast<W>(static_cast<Float>(static_cast<Signed>(words[i])));
        const W used = static_cast<W>(W{0} - static_cast<W>(word != 0)),
                width = static_cast<W>((most - (word >> mantissa & top)) & used);
        words[i] = static_cast<W>((word + moved) & used);
        widths_[i] = static_cast<std::uint8_t>(width);
        sum += width & 63;
        bad |= static_cast<std::uint64_t>(width > mantissa) | static_cast<std::uint64_t>(width >= exponent_);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        const unsigned width = layout_.low_bits_of(words[i]);
        bad |= layout_.is_valid(words[i], exponent_, width) ? 0 : 1;
        words[i] = layout_.off_grid(words[i], exponent_, W{0}, width);
        widths_[i] = static_cast<std::uint8_t>(width);
        sum += width;
      }
    }
    return bad != 0 ? ~std::size_t{0} : static_cast<std::size_t>(sum);
  }

  /// Makes room for so many bits behind what is used.
  bool fill(std::size_t bits) {
    const std::size_t kept = filled_ - used_bits_ / 8;
    std::memmove(buffer_.data(), buffer_.data() + used_bits_ / 8, kept);
    used_bits_ %= 8;
    filled_ = kept;
    const std::size_t wanted = (used_bits_ + bits + 7) / 8;
    if (wanted <= filled_) return true;
    const std::size_t missing = wanted - filled_;
    if (missing > low_left_) return false;
    low_left_ -= missing;
    if (!low_->read(buffer_.data() + filled_, missing)) return false;
    filled_ = wanted;
    return true;
  }

  const FloatLayout layout_;
  const unsigned exponent_;
  std::uint64_t low_left_;  // bytes that were not read
  std::unique_ptr<Source> multiples_, low_;
  ExceptionPatcher<W> patcher_;
  std::size_t used_bits_ = 0, filled_ = 0;
  std::array<std::uint8_t, piece> widths_;
  alignas(64) std::array<std::uint8_t, piece * sizeof(W) + 2 * sizeof(std::uint64_t)> buffer_{};
};

std::unique_ptr<Source> open(Opening& opening) {
  const FloatLayout layout = layout_of(opening.type);
  const std::uint64_t exponent = opening.bytes.get_varint(), low_bytes = opening.bytes.get_varint(),
                      exceptions = opening.bytes.get_varint();
  if (opening.bytes.failed() || exponent == 0 || exponent >= layout.top_exponent() ||
      exceptions > opening.count || low_bytes > opening.count * size_of(opening.type))
    return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<GridSource<W>>(layout, static_cast<unsigned>(exponent), low_bytes);
    if (!source->open(opening, exceptions)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding grid_encoding() noexcept {
  return {.time = {8000, 4000}, .device_time = {4, 4}, .encode = encode, .open = open};
}

}  // namespace floe::trees
