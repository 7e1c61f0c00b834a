// Affine: floats that are integers times a step plus an offset, each rounded. Readings of converters, angles
// in radians, counts less their mean, standardized rows. What the rounding leaves is a child of errors in
// units of the last place; what is on no line is plain or an exception.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "encodings/affine/blocks.hpp"
#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// The lines of a block, repeated for as many words as are looked at together, and one row more.
class LinePattern {
 public:
  static constexpr std::size_t words = 1024;
  void set(const AffineBlock& block) {
    channels_ = block.lines.size();
    steps_.resize(words + channels_);
    offsets_.resize(words + channels_);
    for (std::size_t i = 0; i < channels_; ++i) {
      steps_[i] = block.lines[i].step;
      offsets_[i] = block.lines[i].offset;
    }
    for (std::vector<double>* const numbers : {&steps_, &offsets_}) {
      for (std::size_t filled = channels_; filled < numbers->size(); filled *= 2)
        std::copy_n(numbers->begin(), std::min(filled, numbers->size() - filled),
                    numbers->begin() + static_cast<std::ptrdiff_t>(filled));
    }
  }
  /// Of `words` words, the first of which is word `position` of the block.
  [[nodiscard]] const double* steps(std::uint64_t position) const {
    return steps_.data() + position % channels_;
  }
  [[nodiscard]] const double* offsets(std::uint64_t position) const {
    return offsets_.data() + position % channels_;
  }

 private:
  std::size_t channels_ = 1;
  std::vector<double> steps_, offsets_;
};

template <class F>
using WordOf = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;

/// Makes integers I and errors of the words of blocks.
template <class F, class I>
class LineEncoder {
 public:
  LineEncoder(const ColumnView& in, std::uint32_t channels, std::uint64_t on_lines, Scratch& scratch)
      : values_(static_cast<const F*>(in.values)),
        channels_(channels),
        integers(AffineRules::child_type(in.type, sizeof(I), 0), on_lines, scratch),
        errors(DType::i8, on_lines, scratch),
        plain(in.type, in.count - on_lines, scratch) {}

  void add(const AffineBlock& block, std::uint64_t words) {
    if (block.form == AffineForm::plain) {
      std::memcpy(plain.words<WordOf<F>>().data() + plain_, values_ + at_, words * sizeof(F));
      plain_ += static_cast<std::size_t>(words);
      at_ += words;
      return;
    }
    pattern_.set(block);
    last_.assign(channels_, 0);
    for (std::uint64_t first = 0; first < words; first += LinePattern::words)
      add_piece(block.form, first,
                static_cast<std::size_t>(std::min<std::uint64_t>(LinePattern::words, words - first)));
  }

 private:
  void add_piece(AffineForm form, std::uint64_t position, std::size_t count) {
    auto* const to = reinterpret_cast<I*>(integers.data()) + on_lines_;
    auto* const error = reinterpret_cast<std::int8_t*>(errors.words<std::uint8_t>().data()) + on_lines_;
    const std::size_t failures =
        kernels().affine<F, I>().to_integers(form, values_ + at_, count, pattern_.steps(position),
                                             pattern_.offsets(position), to, error, failed_.data());
    const std::size_t phase = static_cast<std::size_t>(position % channels_);
    const auto channel = [&](std::size_t i) { return (phase + i) % channels_; };
    for (std::size_t i = 0; failures > 0 && i < count; ++i) {
      if (failed_[i] == 0) {
        last_[channel(i)] = to[i];
        continue;
      }
      to[i] = last_[channel(i)];  // so that the integers stay smooth
      error[i] = 0;
      exceptions.push_back(at_ + i);
    }
    for (std::size_t i = count - std::min<std::size_t>(count, channels_); i < count; ++i)
      last_[channel(i)] = to[i];
    at_ += count;
    on_lines_ += count;
  }

  const F* values_;
  std::uint32_t channels_;
  std::uint64_t at_ = 0;
  std::size_t on_lines_ = 0, plain_ = 0;
  LinePattern pattern_;
  std::vector<I> last_;
  std::array<std::uint8_t, LinePattern::words> failed_;

 public:
  Stream integers, errors, plain;
  std::vector<std::uint64_t> exceptions;
};

/// Calls `work` with each block and its number of words.
template <class Work>
void for_each_block(std::span<const AffineBlock> blocks, std::uint32_t channels, std::uint64_t count,
                    Work&& work) {
  for (const AffineBlock& block : blocks) {
    const std::uint64_t words = std::min(count, block.rows * channels);
    work(block, words);
    count -= words;
  }
}

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  const std::uint32_t channels = parameters[0];
  const std::vector<AffineBlock> blocks = find_blocks(in, channels);
  std::uint64_t on_lines = 0;
  for_each_block(blocks, channels, in.count, [&](const AffineBlock& block, std::uint64_t words) {
    on_lines += block.form == AffineForm::plain ? 0 : words;
  });
  if (on_lines == 0) return false;
  const auto encode_as = [&]<class F, class I>(F, I) {
    LineEncoder<F, I> encoder(in, channels, on_lines, out.scratch);
    for_each_block(blocks, channels, in.count,
                   [&](const AffineBlock& block, std::uint64_t words) { encoder.add(block, words); });
    put_blocks(blocks, out.header);
    out.header.put_varint(encoder.exceptions.size());
    out.children.push_back(std::move(encoder.integers));
    out.children.push_back(std::move(encoder.errors));
    out.children.push_back(std::move(encoder.plain));
    put_exceptions(in, encoder.exceptions, out);
  };
  if (in.type == DType::f32)
    encode_as(float{}, std::int32_t{});
  else if (parameters[1] == 4)
    encode_as(double{}, std::int32_t{});
  else
    encode_as(double{}, std::int64_t{});
  return true;
}

template <class F, class I>
class AffineSource final : public Source {
 public:
  explicit AffineSource(const AffineBlockReader& blocks) : blocks_(blocks) {}
  bool open(Opening& opening, std::uint64_t plain, std::uint64_t exceptions) {
    return (integers_ = opening.open_child(opening.count - plain)) != nullptr &&
           (errors_ = opening.open_child(opening.count - plain)) != nullptr &&
           (plain_ = opening.open_child(plain)) != nullptr && patcher_.open(opening, exceptions);
  }

  bool read(void* words, std::size_t count) override {
    F* out = static_cast<F*>(words);
    while (count > 0) {
      begin_block();
      const std::size_t part =
          static_cast<std::size_t>(std::min<std::uint64_t>({count, LinePattern::words, left_in_block_}));
      if (!read_part(out, part) || !patcher_.patch(reinterpret_cast<WordOf<F>*>(out), part)) return false;
      pass(part);
      out += part;
      count -= part;
    }
    return true;
  }

  bool skip(std::uint64_t count) override {
    while (count > 0) {
      begin_block();
      const std::uint64_t part = std::min(count, left_in_block_);
      const bool is_skipped = block().form == AffineForm::plain
                                  ? plain_->skip(part)
                                  : integers_->skip(part) && errors_->skip(part);
      if (!is_skipped || !patcher_.skip(part)) return false;
      pass(part);
      count -= part;
    }
    return true;
  }

 private:
  [[nodiscard]] const AffineBlock& block() const { return blocks_.block(); }

  /// All blocks were read before, and are good.
  void begin_block() {
    if (left_in_block_ > 0) return;
    blocks_.next();
    position_ = 0;
    left_in_block_ = blocks_.words();
    if (block().form != AffineForm::plain) pattern_.set(block());
  }
  void pass(std::uint64_t words) {
    position_ += words;
    left_in_block_ -= words;
  }

  bool read_part(F* out, std::size_t count) {
    if (block().form == AffineForm::plain) return plain_->read(out, count);
    if (!integers_->read(integer_buffer_.data(), count) || !errors_->read(error_buffer_.data(), count))
      return false;
    return kernels().affine<F, I>().to_values(block().form, integer_buffer_.data(), error_buffer_.data(),
                                              count, pattern_.steps(position_), pattern_.offsets(position_),
                                              out);
  }

  AffineBlockReader blocks_;
  std::uint64_t position_ = 0, left_in_block_ = 0;
  LinePattern pattern_;
  std::unique_ptr<Source> integers_, errors_, plain_;
  ExceptionPatcher<WordOf<F>> patcher_;
  alignas(64) std::array<I, LinePattern::words> integer_buffer_;
  alignas(64) std::array<std::int8_t, LinePattern::words> error_buffer_;
};

std::unique_ptr<Source> open(Opening& opening) {
  const AffineBlockReader first(opening.bytes, opening.type, opening.count, opening.parameters[0]);
  AffineBlockReader blocks = first;
  std::uint64_t plain = 0;
  while (!blocks.is_at_end()) {
    if (!blocks.next()) return nullptr;
    plain += blocks.block().form == AffineForm::plain ? blocks.words() : 0;
  }
  if (blocks.words_left() > 0) return nullptr;
  opening.bytes = blocks.bytes();
  const std::uint64_t exceptions = opening.bytes.get_varint();
  if (opening.bytes.failed() || exceptions > opening.count) return nullptr;
  const auto open_as = [&]<class F, class I>(F, I) -> std::unique_ptr<Source> {
    auto source = std::make_unique<AffineSource<F, I>>(first);
    if (!source->open(opening, plain, exceptions)) return nullptr;
    return source;
  };
  if (opening.type == DType::f32) return open_as(float{}, std::int32_t{});
  return opening.parameters[1] == 4 ? open_as(double{}, std::int32_t{}) : open_as(double{}, std::int64_t{});
}

}  // namespace

Encoding affine_encoding() noexcept {
  // Threads of the CPU encode what devices decode.
  return {.time = {7000, 400}, .device_time = {100, 10}, .encode = encode, .open = open};
}

}  // namespace floe::trees
