// Encodings that convert every word to another type, and make exceptions of words that do not come back from
// it bit by bit.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "encodings/exceptions.hpp"

namespace floe::trees {

/// Words F become words T of the type `converted`. `convert(words, count, to, failed)` converts some; of
/// those that do not come back failed[i] is 1, of others 0, and it returns how many do not.
template <class F, class T, class Convert>
bool encode_converted(const ColumnView& in, DType converted, const Convert& convert, Encoded& out) {
  constexpr std::size_t piece = 1024;
  const F* const words = static_cast<const F*>(in.values);
  Stream stream(converted, in.count, out.scratch);
  T* const to = static_cast<T*>(stream.data());
  std::vector<std::uint64_t> exceptions;
  std::array<std::uint8_t, piece> failed;
  T last_good = 0;
  for (std::uint64_t first = 0; first < in.count; first += piece) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece, in.count - first));
    if (convert(words + first, count, to + first, failed.data()) > 0) {
      for (std::size_t i = 0; i < count; ++i) {
        if (failed[i] == 0) {
          last_good = to[first + i];
        } else {
          to[first + i] = last_good;  // so that they stay small and smooth
          exceptions.push_back(first + i);
        }
      }
    }
    last_good = to[first + count - 1];
  }
  out.header.put_varint(exceptions.size());
  out.children.push_back(std::move(stream));
  put_exceptions(in, exceptions, out);
  return true;
}

/// `restore(converted, count, words)` is the inverse; it returns false if the bytes contradict the format.
template <class F, class T, class Restore>
class ConvertedSource final : public Source {
 public:
  explicit ConvertedSource(const Restore& restore) : restore_(restore) {}
  bool open(Opening& opening, std::uint64_t exceptions) {
    return (converted_ = opening.open_child(opening.count)) != nullptr && patcher_.open(opening, exceptions);
  }
  bool read(void* words, std::size_t count) override {
    F* out = static_cast<F*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece_words);
      if (!converted_->read(buffer_.data(), part) || !restore_(buffer_.data(), part, out)) return false;
      if (!patcher_.patch(reinterpret_cast<Word*>(out), part)) return false;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override { return converted_->skip(count) && patcher_.skip(count); }
  [[nodiscard]] std::size_t words_before_blocks() const override { return converted_->words_before_blocks(); }

 private:
  using Word = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  Restore restore_;
  std::unique_ptr<Source> converted_;
  ExceptionPatcher<Word> patcher_;
  alignas(64) std::array<T, piece_words> buffer_;
};

/// Reads the header and opens the children. Null if the bytes contradict the format.
template <class F, class T, class Restore>
std::unique_ptr<Source> open_converted(Opening& opening, const Restore& restore) {
  const std::uint64_t exceptions = opening.bytes.get_varint();
  if (opening.bytes.failed() || exceptions > opening.count) return nullptr;
  auto source = std::make_unique<ConvertedSource<F, T, Restore>>(restore);
  if (!source->open(opening, exceptions)) return nullptr;
  return source;
}

}  // namespace floe::trees
