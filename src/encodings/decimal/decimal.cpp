// Decimal: floats with few digits after the point become integers. Every value is decoded again when it is
// encoded; whatever does not come back bit by bit (-0.0, NaN, infinities, more digits) is an exception.
#include <array>
#include <vector>

#include "core/power_of_ten.hpp"
#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t piece = 1024;

/// Parameters: digits after the point; bytes of the integers, 4 or 8.

/// Calls `work` with a float and an integer of the types that the words have.
template <class Work>
auto with_types(DType type, const Parameters& parameters, Work&& work) {
  if (type == DType::f32) return work(float{}, std::int32_t{});
  return parameters[1] == 4 ? work(double{}, std::int32_t{}) : work(double{}, std::int64_t{});
}

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_types(in.type, parameters, [&]<class F, class I>(F, I) {
    using FloatWord = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
    using IntegerWord = std::make_unsigned_t<I>;
    const DecimalKernels<F, I>& kernel = kernels().decimals<F, I>();
    const F* const values = static_cast<const F*>(in.values);
    Stream integers(signed_type(sizeof(I)), in.count, out.scratch);
    I* const to = reinterpret_cast<I*>(integers.words<IntegerWord>().data());
    std::vector<std::uint64_t> exceptions;
    std::array<std::uint8_t, piece> failed;
    I last_good = 0;
    for (std::uint64_t first = 0; first < in.count; first += piece) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece, in.count - first));
      if (kernel.to_integers(values + first, count, core::power_of_ten(parameters[0]), to + first,
                             failed.data()) > 0) {
        for (std::size_t i = 0; i < count; ++i) {
          if (failed[i] == 0) {
            last_good = to[first + i];
          } else {
            to[first + i] = last_good;  // so that the integers stay small and smooth
            exceptions.push_back(first + i);
          }
        }
      }
      last_good = to[first + count - 1];
    }
    out.header.put_varint(exceptions.size());
    out.children.push_back(std::move(integers));
    put_exceptions<FloatWord>(in, exceptions, out);
    return true;
  });
}

template <class F, class I>
class DecimalSource final : public Source {
 public:
  explicit DecimalSource(double power) : power_(power) {}
  bool open(Opening& opening, std::uint64_t exceptions) {
    return (integers_ = opening.open_child(opening.count)) != nullptr && patcher_.open(opening, exceptions);
  }
  bool read(void* words, std::size_t count) override {
    F* out = static_cast<F*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece_words);
      if (!integers_->read(buffer_.data(), part) ||
          !kernels().decimals<F, I>().to_values(buffer_.data(), part, power_, out))
        return false;
      if (!patcher_.patch(reinterpret_cast<Word*>(out), part)) return false;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override { return integers_->skip(count) && patcher_.skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return integers_->words_before_blocks(); }

 private:
  using Word = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  double power_;
  std::unique_ptr<Source> integers_;
  ExceptionPatcher<Word> patcher_;
  alignas(64) std::array<I, piece_words> buffer_;
};

std::unique_ptr<Source> open(Opening& opening) {
  const std::uint64_t exceptions = opening.bytes.get_varint();
  if (opening.bytes.failed() || exceptions > opening.count) return nullptr;
  return with_types(opening.type, opening.parameters, [&]<class F, class I>(F, I) -> std::unique_ptr<Source> {
    auto source = std::make_unique<DecimalSource<F, I>>(core::power_of_ten(opening.parameters[0]));
    if (!source->open(opening, exceptions)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding decimal_encoding() noexcept {
  return {.time = {1000, 250}, .device_time = {2, 1}, .encode = encode, .open = open};
}

}  // namespace floe::trees
