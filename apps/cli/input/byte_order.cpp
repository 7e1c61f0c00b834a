#include "input/byte_order.hpp"

#include <cstdint>
#include <cstring>

namespace floe::cli {
namespace {

std::uint16_t reversed(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t reversed(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t reversed(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Word>
void reverse_words(std::span<std::byte> words) {
  for (std::size_t i = 0; i < words.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, words.data() + i, sizeof word);
    word = reversed(word);
    std::memcpy(words.data() + i, &word, sizeof word);
  }
}

}  // namespace

std::span<const std::byte> ByteOrderFilter::reverse(std::span<const std::byte> bytes) {
  if (word_bytes_ == 1) return bytes;
  words_.swap(begun_);
  words_.insert(words_.end(), bytes.begin(), bytes.end());
  const std::size_t complete = words_.size() / word_bytes_ * word_bytes_;
  begun_.assign(words_.begin() + static_cast<std::ptrdiff_t>(complete), words_.end());
  words_.resize(complete);
  if (word_bytes_ == 2) reverse_words<std::uint16_t>(words_);
  if (word_bytes_ == 4) reverse_words<std::uint32_t>(words_);
  if (word_bytes_ == 8) reverse_words<std::uint64_t>(words_);
  return words_;
}

}  // namespace floe::cli
