#include "pipeline/compact/text/text_coder.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/compact/text/text_model.hpp"

namespace floe::pipeline {
namespace {

/// Of two bytes, on average: with more, letters are found sooner by the bits that they are made of.
constexpr std::uint64_t max_bits_of_two = 13;

/// Numbers of 32 bits, first and last of those that are left; what both begin with is written.
struct Interval {
  std::uint32_t first = 0, last = 0xFFFFFFFF;

  /// The last number with which the next bit is 1.
  [[nodiscard]] std::uint32_t last_of_ones(std::uint32_t probability) const noexcept {
    return first + static_cast<std::uint32_t>(std::uint64_t{last - first} * probability >> 16);
  }
  void choose(unsigned bit, std::uint32_t last_of_ones) noexcept {
    if (bit != 0)
      last = last_of_ones;
    else
      first = last_of_ones + 1;
  }
  [[nodiscard]] bool has_common_byte() const noexcept { return (first ^ last) >> 24 == 0; }
  void drop_byte() noexcept {
    first <<= 8;
    last = last << 8 | 255;
  }
};

/// How long a code becomes, by its beginnings: bytes take less and less, as they did up to here.
class Forecast {
 public:
  Forecast(std::uint64_t text_bytes, std::uint64_t max_bytes)
      : text_bytes_(text_bytes), max_bytes_(max_bytes), first_look_(std::max(min_look, text_bytes / 32)) {}

  /// So many bytes are coded.
  [[nodiscard]] bool is_hopeless(std::uint64_t position, std::uint64_t code_bytes) {
    if (position != next_) return false;
    next_ *= 2;
    const std::uint64_t before = std::exchange(gained_, code_bytes - code_bytes_);
    code_bytes_ = code_bytes;
    if (position < first_look_) return false;
    const std::uint64_t expected = code_bytes + of_rest(position, std::max<std::uint64_t>(before, 1));
    return expected - expected / 8 > max_bytes_;
  }

 private:
  /// Each time that the text doubles, code grows by so many times as many bytes as the last time.
  [[nodiscard]] std::uint64_t of_rest(std::uint64_t position, std::uint64_t before) const {
    std::uint64_t gain = gained_, bytes = 0;
    for (; position < text_bytes_; position *= 2) {
      gain = std::min(2 * gain, gain * gained_ / before);
      bytes += gain * std::min(position, text_bytes_ - position) / position;
    }
    return bytes;
  }

  static constexpr std::uint64_t min_look = std::uint64_t{1} << 14;
  std::uint64_t text_bytes_, max_bytes_, first_look_;
  std::uint64_t next_ = min_look / 4;
  std::uint64_t code_bytes_ = 0, gained_ = 0;  ///< At the last look, and since the one before.
};

}  // namespace

TextKind kind_of_text(std::span<const std::uint8_t> text, std::uint8_t separator) {
  const TextTree tree(separator, TextKind::numbers);
  std::uint64_t bits = 0;
  for (const std::uint8_t byte : text) bits += tree.path(byte).length;
  return 2 * bits > max_bits_of_two * text.size() ? TextKind::letters : TextKind::numbers;
}

std::vector<std::uint8_t> encode_text(std::span<const std::uint8_t> text, std::uint8_t separator,
                                      TextKind kind, std::uint64_t max_bytes, bool ends_early) {
  TextModel model(text.size(), separator, kind);
  Interval interval;
  Forecast forecast(text.size(), max_bytes);
  std::vector<std::uint8_t> code;
  std::uint64_t position = 0;
  for (const std::uint8_t byte : text) {
    const TextTree::Path& path = model.tree().path(byte);
    for (std::uint32_t depth = 0; depth < path.length; ++depth) {
      const unsigned bit = path.bit(depth);
      interval.choose(bit, interval.last_of_ones(model.probability()));
      for (; interval.has_common_byte(); interval.drop_byte())
        code.push_back(static_cast<std::uint8_t>(interval.last >> 24));
      model.update(bit);
    }
    if (code.size() > max_bytes) return {};
    if (ends_early && forecast.is_hopeless(++position, code.size())) return {};
  }
  // The shortest end: with zeros behind it, it lies in the interval.
  if (interval.first != 0) code.push_back(static_cast<std::uint8_t>((interval.first >> 24) + 1));
  while (!code.empty() && code.back() == 0) code.pop_back();
  return code;
}

std::vector<std::uint8_t> decode_text(std::span<const std::uint8_t> code, std::uint64_t byte_count,
                                      std::uint8_t separator, TextKind kind) {
  TextModel model(byte_count, separator, kind);
  Interval interval;
  std::uint32_t number = 0;
  const auto read_byte = [&] {
    number = number << 8 | (code.empty() ? 0U : code.front());
    if (!code.empty()) code = code.subspan(1);
  };
  for (int i = 0; i < 4; ++i) read_byte();
  while (model.bytes().size() < byte_count) {
    const std::uint32_t last_of_ones = interval.last_of_ones(model.probability());
    const unsigned bit = number <= last_of_ones ? 1 : 0;
    interval.choose(bit, last_of_ones);
    for (; interval.has_common_byte(); interval.drop_byte()) read_byte();
    model.update(bit);
  }
  return model.bytes();
}

}  // namespace floe::pipeline
