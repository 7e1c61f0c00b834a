// The match history of the CPU over whole contents: words to values and distances, and back.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "chunks/cpu/match_history.hpp"
#include "core/bits.hpp"

namespace floe::test {

using Indices = std::function<void(std::uint32_t index)>;
inline void run_backwards(std::uint32_t count, const Indices& work) {
  while (count > 0) work(--count);
}

/// Scratch memory for some words and workers.
class HistoryScratch {
 public:
  HistoryScratch(std::size_t words, std::uint32_t workers)
      : bytes_(cpu::match_scratch_bytes(words, workers)), memory_(bytes_ / 64 + 2) {}
  std::span<std::uint8_t> get() {
    return {
        reinterpret_cast<std::uint8_t*>(core::align_up(reinterpret_cast<std::uintptr_t>(memory_.data()), 64)),
        bytes_};
  }

 private:
  std::size_t bytes_;
  std::vector<std::array<std::uint64_t, 8>> memory_;
};

inline std::vector<std::uint64_t> encode_history(std::span<const std::uint64_t> words) {
  const auto content = std::span(reinterpret_cast<const std::uint8_t*>(words.data()), 8 * words.size());
  std::vector<std::uint32_t> distances(words.size());
  cpu::find_matches(content, distances, HistoryScratch(words.size(), 1).get(), 1, run_backwards);
  std::vector<std::uint64_t> encoded(2 * words.size(), 0x1234);
  cpu::coded_words(content, distances, 0, encoded);
  return encoded;
}

inline bool decode_history(std::span<const std::uint64_t> encoded, std::vector<std::uint64_t>& words) {
  const auto half = encoded.begin() + static_cast<std::ptrdiff_t>(encoded.size() / 2);
  words.assign(encoded.begin(), half);
  return cpu::resolve_matches({reinterpret_cast<std::uint8_t*>(words.data()), 8 * words.size()}, 0,
                              encoded.subspan(words.size()));
}

}  // namespace floe::test
