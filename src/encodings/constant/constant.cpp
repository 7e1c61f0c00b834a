// Constant: one word that all are equal to. A leaf for everything.
#include <algorithm>

#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

bool encode_constant(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    if (!std::all_of(words.begin(), words.end(), [&](W word) { return word == words[0]; })) return false;
    out.header.put_word(words[0]);
    return true;
  });
}

template <core::Word W>
class ConstantSource final : public Source {
 public:
  explicit ConstantSource(W word) : word_(word) {}
  bool read(void* words, std::size_t count) override {
    std::fill_n(static_cast<W*>(words), count, word_);
    return true;
  }
  bool skip(std::uint64_t) override { return true; }

 private:
  W word_;
};

std::unique_ptr<Source> open_constant(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    const W word = opening.bytes.get_word<W>();
    if (opening.bytes.failed()) return nullptr;
    return std::make_unique<ConstantSource<W>>(word);
  });
}

}  // namespace

Encoding constant_encoding() noexcept {
  return {.time = {50, 30}, .device_time = {2, 2}, .encode = encode_constant, .open = open_constant};
}

}  // namespace floe::trees
