// Scale: the smallest word goes off, and what then divides all words. Timestamps in whole minutes become
// small numbers.
#include <algorithm>
#include <numeric>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// What divides all differences to `base`; 1 if they are all 0.
template <core::Word W>
W common_divisor(std::span<const W> words, W base) {
  constexpr std::size_t piece = 512;
  W divisor = 0;
  for (std::size_t begin = 0; begin < words.size() && divisor != 1; begin += piece) {
    const std::span<const W> some = words.subspan(begin, std::min(piece, words.size() - begin));
    // Mostly they are all multiples of what was found so far.
    if (divisor != 0 &&
        kernels().of<W>().count_multiples(some.data(), some.size(), base, divisor) == some.size())
      continue;
    for (const W word : some) {
      const W difference = static_cast<W>(word - base);
      if (divisor == 0 || difference % divisor != 0)
        divisor = static_cast<W>(std::gcd(std::uint64_t{divisor}, std::uint64_t{difference}));
      if (divisor == 1) break;
    }
  }
  return std::max<W>(divisor, 1);
}

/// x with odd * x = 1: Newton's iteration doubles the number of right bits, beginning with 3.
std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

bool encode_int_mult(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const W flip = sign_flip<W>(in.type);
    W base = 0, max = 0;
    kernels().of<W>().range(words.data(), words.size(), flip, base, max);
    const W divisor = common_divisor(words, base);
    const int shift = std::countr_zero(divisor);
    const W inverse = static_cast<W>(inverse_of(static_cast<std::uint64_t>(divisor) >> shift));
    Stream quotients(unsigned_type(sizeof(W)), words.size(), out.scratch);
    W* const to = quotients.words<W>().data();
    for (std::size_t i = 0; i < words.size(); ++i)
      to[i] =
          static_cast<W>(static_cast<W>(static_cast<W>(words[i] - base) >> shift) * std::uint64_t{inverse});
    out.header.put_signed(base);
    out.header.put_varint(divisor);
    out.children.push_back(std::move(quotients));
    return true;
  });
}

template <core::Word W>
class IntMultSource final : public Source {
 public:
  IntMultSource(std::unique_ptr<Source> quotients, W base, W divisor)
      : quotients_(std::move(quotients)), base_(base), divisor_(divisor) {}
  bool read(void* words, std::size_t count) override {
    if (!quotients_->read(words, count)) return false;
    kernels().decoding<W>().scale(static_cast<W*>(words), count, divisor_, base_);
    return true;
  }
  bool skip(std::uint64_t count) override { return quotients_->skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return quotients_->words_before_blocks(); }

 private:
  std::unique_ptr<Source> quotients_;
  W base_, divisor_;
};

std::unique_ptr<Source> open_int_mult(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    const W base = opening.bytes.get_signed<W>();
    const std::uint64_t divisor = opening.bytes.get_varint();
    if (opening.bytes.failed() || divisor == 0 || divisor != static_cast<W>(divisor)) return nullptr;
    auto quotients = opening.open_child(opening.count);
    if (quotients == nullptr) return nullptr;
    return std::make_unique<IntMultSource<W>>(std::move(quotients), base, static_cast<W>(divisor));
  });
}

}  // namespace

Encoding int_mult_encoding() noexcept {
  return {.time = {1000, 150}, .device_time = {5, 2}, .encode = encode_int_mult, .open = open_int_mult};
}

}  // namespace floe::trees
