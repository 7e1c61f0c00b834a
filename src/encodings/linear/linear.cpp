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

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::size_t count = parameters[0];
    const std::span<const W> words = in.words<W>();
    const auto weights = find_weights(words, count);
    if (!weights) return false;
    for (std::size_t j = 0; j < count; ++j) out.header.put_signed(static_cast<std::uint32_t>((*weights)[j]));
    Stream errors(signed_type(sizeof(W)), words.size(), out.scratch);
    W* const to = errors.words<W>().data();
    std::array<W, 2 * max_weights> first{};
    std::copy_n(words.data(), std::min(words.size(), max_weights), first.begin() + max_weights);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const W* const end = i < max_weights ? first.data() + max_weights + i : words.data() + i;
      to[i] = static_cast<W>(words[i] - predict(end, *weights, count));
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
      W* const at = words_.data() + max_weights;
      if (!errors_->read(at, part)) return false;
      for (std::size_t i = 0; i < part; ++i)
        at[i] = static_cast<W>(at[i] + predict(at + i, weights_, count_));
      std::memcpy(out, at, part * sizeof(W));
      std::memmove(words_.data(), words_.data() + part, max_weights * sizeof(W));
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = 1024;
  const Weights weights_;
  const std::size_t count_;
  std::unique_ptr<Source> errors_;
  alignas(64) std::array<W, max_weights + piece> words_{};  // behind those before them
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
  return {.time = {9000, 7000}, .device_time = {8, 8}, .encode = encode, .open = open};
}

}  // namespace floe::trees
