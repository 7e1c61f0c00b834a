// Linear: each word less what a weighted sum of the words before it predicts. The weights stand in the
// header; words before the first one are 0.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "encodings/encodings.hpp"
#include "encodings/linear/weights.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t piece = 1024;

/// Of a piece of words, behind those of the words before it.
class Factors {
 public:
  std::int64_t* begin() { return all_.data() + max_weights; }
  /// To the next piece, of which the last one had so many words.
  void pass(std::size_t count) {
    std::memmove(all_.data(), all_.data() + count, max_weights * sizeof(std::int64_t));
  }

 private:
  alignas(64) std::array<std::int64_t, max_weights + piece> all_{};
};

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::size_t count = parameters[0];
    const std::span<const W> words = in.words<W>();
    const auto weights = find_weights(words, count);
    if (!weights) return false;
    for (std::size_t j = 0; j < count; ++j) out.header.put_signed(static_cast<std::uint32_t>((*weights)[j]));
    Stream errors(signed_type(sizeof(W)), words.size(), out.scratch);
    W* const to = errors.words<W>().data();
    Factors factors;
    for (std::size_t first = 0; first < words.size(); first += piece) {
      const std::size_t part = std::min(piece, words.size() - first);
      for (std::size_t i = 0; i < part; ++i) factors.begin()[i] = factor_of(words[first + i]);
      with_constant_count(count, [&](auto constant) {
        for (std::size_t i = 0; i < part; ++i)
          to[first + i] =
              static_cast<W>(words[first + i] - predict<W>(factors.begin() + i, weights->data(), constant));
      });
      factors.pass(part);
    }
    out.children.push_back(std::move(errors));
    return true;
  });
}

template <core::Word W>
class LinearSource final : public Source {
 public:
  LinearSource(const Weights& weights, std::size_t count, std::unique_ptr<Source> errors)
      : weights_(weights), count_(count), errors_(std::move(errors)) {}

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      if (!errors_->read(out, part)) return false;
      std::int64_t* const factors = factors_.begin();
      with_constant_count(count_, [&](auto constant) {
        for (std::size_t i = 0; i < part; ++i) {
          out[i] = static_cast<W>(out[i] + predict<W>(factors + i, weights_.data(), constant));
          factors[i] = factor_of(out[i]);
        }
      });
      factors_.pass(part);
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  const Weights weights_;
  const std::size_t count_;
  std::unique_ptr<Source> errors_;
  Factors factors_;
};

std::unique_ptr<Source> open(Opening& opening) {
  const std::size_t count = opening.parameters[0];
  Weights weights{};
  for (std::size_t j = 0; j < count; ++j)
    weights[j] = static_cast<std::int32_t>(opening.bytes.get_signed<std::uint32_t>());
  if (opening.bytes.failed()) return nullptr;
  auto errors = opening.open_child(opening.count);
  if (errors == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<LinearSource<W>>(weights, count, std::move(errors));
  });
}

}  // namespace

Encoding linear_encoding() noexcept {
  return {.time = {9000, 2800}, .device_time = {8, 8}, .encode = encode, .open = open};
}

}  // namespace floe::trees
