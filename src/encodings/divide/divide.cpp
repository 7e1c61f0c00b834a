// Divide: quotients and remainders of one divisor. Timestamps that tick in steps of 100 ns but drift against
// them, and values of double precision that were once of single precision, have remainders that are nearly
// always the same. After the modes "int mult" and "float quant" of Loncaric et al., "Pcodec: Better
// compression for numerical sequences", 2025.
#include <array>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// How words of a type are divided.
enum class Kind : std::uint8_t {
  upwards,      ///< Unsigned integers.
  downwards,    ///< Signed ones: remainders are never negative.
  by_magnitude  ///< Floats: signs go with the quotients, so that -x and x have the same remainder.
};
constexpr Kind kind_of(DType type) {
  return is_float(type) ? Kind::by_magnitude : is_signed(type) ? Kind::downwards : Kind::upwards;
}

/// All bits set if the top bit is.
template <core::Word W>
constexpr W sign_mask(W word) {
  return static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
}

template <core::Word W>
struct Divided {
  W quotient, remainder;
};

/// `Divide` makes Divided<W> of unsigned words.
template <Kind kind, core::Word W, class Divide>
void split(std::span<const W> words, W divisor, const Divide& divide, W* quotients, W* remainders) {
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Of a negative integer ~x = -x - 1 is divided: the quotient, inverted again, is rounded downwards.
    const W sign = kind == Kind::upwards ? W{0} : sign_mask(words[i]);
    const W number =
        kind == Kind::by_magnitude ? static_cast<W>(words[i] & ~top) : static_cast<W>(words[i] ^ sign);
    const auto [quotient, remainder] = divide(number);
    quotients[i] = static_cast<W>(quotient ^ sign);
    remainders[i] =
        kind == Kind::downwards && sign != 0 ? static_cast<W>(divisor - 1 - remainder) : remainder;
  }
}

/// Calls `work` with the kind of a type as a constant.
template <class Work>
decltype(auto) with_kind(DType type, const Work& work) {
  switch (kind_of(type)) {
    case Kind::upwards:
      return work(std::integral_constant<Kind, Kind::upwards>());
    case Kind::downwards:
      return work(std::integral_constant<Kind, Kind::downwards>());
    default:
      return work(std::integral_constant<Kind, Kind::by_magnitude>());
  }
}

bool encode_divide(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const W divisor = static_cast<W>(std::uint64_t{parameters[0]} << parameters[1]);
    Stream quotients(DivideRules::child_type(in.type, 0, 0), in.count, out.scratch);
    Stream remainders(DivideRules::child_type(in.type, 0, 1), in.count, out.scratch);
    with_kind(in.type, [&](auto kind) {
      const auto to = [&](const auto& divide) {
        split<kind.value>(in.words<W>(), divisor, divide, quotients.words<W>().data(),
                          remainders.words<W>().data());
      };
      const auto with_remainder = [divisor](W number, W quotient) {
        return Divided<W>{quotient,
                          static_cast<W>(number - static_cast<W>(std::uint64_t{quotient} * divisor))};
      };
      if (parameters[0] == 1) {
        to([shift = parameters[1], divisor](W number) {
          return Divided<W>{static_cast<W>(number >> shift), static_cast<W>(number & (divisor - 1))};
        });
      } else if constexpr (sizeof(W) == 8) {
        to([&](W number) { return with_remainder(number, static_cast<W>(number / divisor)); });
      } else {
        // The upper half of a product with the inverse is an exact quotient of numbers of 32 bits.
        __extension__ using Wide = unsigned __int128;
        to([&, inverse = ~std::uint64_t{0} / divisor + 1](W number) {
          return with_remainder(number, static_cast<W>(Wide{number} * inverse >> 64));
        });
      }
    });
    out.children.push_back(std::move(quotients));
    out.children.push_back(std::move(remainders));
    return true;
  });
}

template <core::Word W>
class DivideSource final : public Source {
 public:
  DivideSource(std::unique_ptr<Source> quotients, std::unique_ptr<Source> remainders, DType type, W divisor)
      : quotients_(std::move(quotients)),
        remainders_(std::move(remainders)),
        type_(type),
        divisor_(divisor) {}
  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    if (!quotients_->read(out, count)) return false;
    for (std::size_t part = 0; count > 0; count -= part, out += part) {
      part = std::min(count, buffer_.size());
      if (!remainders_->read(buffer_.data(), part)) return false;
      kernels().decoding<W>().join(out, buffer_.data(), part, divisor_, is_float(type_));
    }
    return true;
  }
  bool skip(std::uint64_t count) override { return quotients_->skip(count) && remainders_->skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return quotients_->words_before_blocks(); }

 private:
  std::unique_ptr<Source> quotients_, remainders_;
  DType type_;
  W divisor_;
  alignas(64) std::array<W, piece_words> buffer_;
};

std::unique_ptr<Source> open_divide(Opening& opening) {
  auto quotients = opening.open_child(opening.count);
  if (quotients == nullptr) return nullptr;
  auto remainders = opening.open_child(opening.count);
  if (remainders == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    const W divisor = static_cast<W>(std::uint64_t{opening.parameters[0]} << opening.parameters[1]);
    return std::make_unique<DivideSource<W>>(std::move(quotients), std::move(remainders), opening.type,
                                             divisor);
  });
}

}  // namespace

Encoding divide_encoding() noexcept {
  return {.time = {800, 200}, .device_time = {10, 3}, .encode = encode_divide, .open = open_divide};
}

}  // namespace floe::trees
