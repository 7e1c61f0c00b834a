// Grid: floats become multiples of one power of two, and the bits of their mantissas below it follow as they
// are. Differences of multiples do not jump where floats change their exponent or sign, as those of floats in
// their order do. What the grid cannot say (magnitudes that are too large or too small, -0.0, NaN,
// infinities) is an exception.
#include "encodings/grid/grid.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Calls `work` with a word of the size of these floats.
template <class Work>
decltype(auto) with_float_word(DType type, const Work& work) {
  const std::size_t size = size_of(type);
  return size == 2 ? work(std::uint16_t{}) : size == 4 ? work(std::uint32_t{}) : work(std::uint64_t{});
}

/// How many words have each exponent, but for infinities and NaNs. Neighbours often have the same one, and
/// are counted apart, because one addition would wait for the one before; those of either sign, too. Eight
/// bytes are read at once, before anything is added that could be them for all that a compiler knows.
template <core::Word W>
std::vector<std::uint64_t> count_exponents(std::span<const W> words, const FloatLayout& layout) {
  constexpr std::size_t lanes = 4, words_at_once = sizeof(std::uint64_t) / sizeof(W);
  const std::size_t exponents = layout.top_exponent() + std::size_t{1}, of_both_signs = 2 * exponents;
  // But for words of 16 bits, shifts by what the compiler knows.
  const unsigned precision = sizeof(W) == 8   ? layout_of(DType::f64).precision
                             : sizeof(W) == 4 ? layout_of(DType::f32).precision
                                              : layout.precision,
                 mantissa = precision - 1;
  std::vector<std::uint32_t> counted(lanes * of_both_signs);
  std::uint32_t* const lane = counted.data();
  std::size_t i = 0;
  for (; i + lanes <= words.size(); i += lanes) {
    for (std::size_t k = 0; k < lanes; k += words_at_once) {
      const auto joined =
          core::load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(words.data() + i + k));
      for (unsigned j = 0; j < words_at_once; ++j)
        ++lane[(k + j) * of_both_signs + (static_cast<W>(joined >> core::word_bits<W> * j) >> mantissa)];
    }
  }
  for (; i < words.size(); ++i) ++lane[words[i] >> mantissa];
  std::vector<std::uint64_t> counts(exponents - 1);
  for (std::size_t k = 0; k < 2 * lanes; ++k) {
    for (std::size_t e = 0; e < counts.size(); ++e) counts[e] += counted[k * exponents + e];
  }
  return counts;
}

/// The exponent of the grid; 0 if there is none.
template <core::Word W>
unsigned best_exponent(std::span<const W> words, const FloatLayout& layout) {
  const std::vector<std::uint64_t> counts = count_exponents(words, layout);
  return best_grid_exponent<W>([&](unsigned e) { return counts[e]; }, 1, static_cast<unsigned>(counts.size()),
                               words.size(), layout);
}

constexpr std::size_t grid_piece = 1024;

/// Writes the bits below the grid, and notes exceptions.
template <core::Word W>
class GridEncoder {
 public:
  GridEncoder(const FloatLayout& layout, unsigned exponent, std::uint8_t* low)
      : layout_(layout), exponent_(exponent), bits_(low) {}

  /// Up to grid_piece words from the word `first` on.
  void encode(const W* words, std::size_t first, std::size_t count, W* multiples) {
    words += first;
    multiples += first;
    if (!to_multiples(words, count, multiples)) note_failed(words, first, multiples, count);
    put_low(multiples, count);
  }
  [[nodiscard]] std::uint64_t low_bytes() const { return core::divide_up(end_, 8); }
  [[nodiscard]] const std::vector<std::uint64_t>& exceptions() const { return exceptions_; }

 private:
  bool to_multiples(const W* words, std::size_t count, W* multiples) {
    if constexpr (sizeof(W) == 2) {
      return kernels().grid_of_short.to_multiples(words, count, layout_.precision, exponent_, multiples,
                                                  low_.data(), widths_.data());
    } else {
      return kernels().grid<W>().to_multiples(words, count, exponent_, multiples, low_.data(),
                                              widths_.data());
    }
  }

  /// Exceptions repeat the multiple before, so that they stay smooth.
  void note_failed(const W* words, std::size_t first, W* multiples, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (words[i] == 0 || multiples[i] != 0) continue;
      exceptions_.push_back(first + i);
      multiples[i] = i > 0 ? multiples[i - 1] : last_.multiple;
      widths_[i] = i > 0 ? widths_[i - 1] : static_cast<std::uint8_t>(last_.low_bits);
    }
  }

  void put_low(const W* multiples, std::size_t count) {
    if constexpr (sizeof(W) == 2) {
      end_ = kernels().grid_of_short.pack_low(low_.data(), count, widths_.data(), bits_, end_);
    } else {
      end_ = kernels().grid<W>().pack_low(low_.data(), count, widths_.data(), bits_, end_);
    }
    last_ = {multiples[count - 1], low_[count - 1], widths_[count - 1]};
  }

  const FloatLayout layout_;
  const unsigned exponent_;
  std::uint8_t* const bits_;
  std::size_t end_ = 0;  ///< Of the bits so far.
  std::vector<std::uint64_t> exceptions_;
  GridWord<W> last_{};
  std::array<W, grid_piece> low_;
  std::array<std::uint8_t, grid_piece> widths_;
};

bool encode_grid(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_float_word(in.type, [&]<class W>(W) {
    const FloatLayout layout = layout_of(in.type);
    const std::span<const W> words = in.words<W>();
    const unsigned exponent = best_exponent(words, layout);
    if (exponent == 0) return false;
    Stream multiples(signed_type(sizeof(W)), in.count, out.scratch);
    Stream low(DType::u8, in.count * sizeof(W) + sizeof(std::uint64_t), out.scratch);
    GridEncoder<W> encoder(layout, exponent, low.words<std::uint8_t>().data());
    for (std::size_t i = 0; i < words.size(); i += grid_piece)
      encoder.encode(words.data(), i, std::min(grid_piece, words.size() - i), multiples.words<W>().data());
    low.shorten(encoder.low_bytes());
    const std::vector<std::uint64_t>& exceptions = encoder.exceptions();
    out.header.put_varint(exponent);
    out.header.put_varint(low.view().count);
    out.header.put_varint(exceptions.size());
    out.children.push_back(std::move(multiples));
    out.children.push_back(std::move(low));
    put_exceptions(in, exceptions, out);
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
      const std::size_t before = multiples_->words_before_blocks();
      const std::size_t part = std::min({count, grid_piece, before > 0 ? before : grid_piece});
      if (!multiples_->read(out, part) || !join(out, part) || !patcher_.patch(out, part)) return false;
      out += part;
      count -= part;
    }
    return true;
  }
  [[nodiscard]] std::size_t words_before_blocks() const override { return multiples_->words_before_blocks(); }

 private:
  bool join(W* words, std::size_t count) {
    const std::size_t bits = to_mantissas(words, count);
    if (bits > count * layout_.precision || !fill(bits)) return false;
    if constexpr (sizeof(W) == 2) {
      used_bits_ = kernels().grid_of_short.put_low(words, count, widths_.data(), buffer_.data(), used_bits_);
    } else {
      used_bits_ = kernels().grid<W>().put_low(words, count, widths_.data(), buffer_.data(), used_bits_);
    }
    return true;
  }

  /// Makes floats of multiples, in which the bits below are missing, and finds how many those are. Returns
  /// their sum; more than there can be if a multiple is no good.
  std::size_t to_mantissas(W* words, std::size_t count) {
    if constexpr (sizeof(W) == 2) {
      return kernels().grid_of_short.to_floats(words, count, layout_.precision, exponent_, widths_.data());
    } else {
      return kernels().grid<W>().to_floats(words, count, exponent_, widths_.data());
    }
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
  std::array<std::uint8_t, grid_piece> widths_;
  alignas(64) std::array<std::uint8_t, grid_piece * sizeof(W) + 2 * sizeof(std::uint64_t)> buffer_{};
};

std::unique_ptr<Source> open_grid(Opening& opening) {
  const FloatLayout layout = layout_of(opening.type);
  const std::uint64_t exponent = opening.bytes.get_varint(), low_bytes = opening.bytes.get_varint(),
                      exceptions = opening.bytes.get_varint();
  if (opening.bytes.failed() || exponent == 0 || exponent >= layout.top_exponent() ||
      exceptions > opening.count || low_bytes > opening.count * size_of(opening.type))
    return nullptr;
  return with_float_word(opening.type, [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<GridSource<W>>(layout, static_cast<unsigned>(exponent), low_bytes);
    if (!source->open(opening, exceptions)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding grid_encoding() noexcept {
  return {.time = {3300, 1300}, .device_time = {13, 12}, .encode = encode_grid, .open = open_grid};
}

}  // namespace floe::trees
