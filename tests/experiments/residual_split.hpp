// How are residuals cut into streams of bytes for an entropy coder? By planes, or into bit lengths and the
// bits below.
#pragma once

#include "core/bits.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// Stream b holds byte b of every word, the least significant byte first; the last stream also the bytes
/// after the last word.
struct BytePlanes {
  template <core::Word W>
  using PartsOf = Parts<0, sizeof(W)>;

  template <core::Word W>
  static std::optional<PartsOf<W>> split(const Bytes& in) {
    PartsOf<W> parts;
    const std::size_t whole = in.size() - in.size() % sizeof(W);
    for (std::size_t i = 0; i < whole; ++i) parts.streams[i % sizeof(W)].push_back(in[i]);
    reference::append(parts.streams.back(), reference::tail_of<W>(in));
    return parts;
  }

  template <core::Word W>
  static MaybeBytes merge(const PartsOf<W>& parts) {
    const std::size_t words = parts.streams.front().size();
    for (const Bytes& plane : parts.streams) {
      const bool is_last = &plane == &parts.streams.back();
      if (plane.size() < words || plane.size() - words > (is_last ? sizeof(W) - 1 : 0)) return std::nullopt;
    }
    Bytes out;
    for (std::size_t i = 0; i < words; ++i) {
      for (const Bytes& plane : parts.streams) out.push_back(plane[i]);
    }
    out.insert(out.end(), parts.streams.back().begin() + static_cast<std::ptrdiff_t>(words),
               parts.streams.back().end());
    return out;
  }
};

/// Stream 0 holds the bit length of every word; stream 1 the bits below the highest set bit, packed, and the
/// bytes after the last word.
struct BitLengths {
  template <core::Word W>
  using PartsOf = Parts<0, 2>;

  template <core::Word W>
  static std::optional<Parts<0, 2>> split(const Bytes& in) {
    Parts<0, 2> parts;
    reference::BitWriter lows;
    for (const W word : reference::to_words<W>(in)) {
      const unsigned length = core::bit_length(word);
      parts.streams[0].push_back(static_cast<std::uint8_t>(length));
      if (length > 1) lows.put(word & core::low_mask<W>(length - 1), length - 1);
    }
    parts.streams[1] = lows.bytes();
    reference::append(parts.streams[1], reference::tail_of<W>(in));
    return parts;
  }

  template <core::Word W>
  static MaybeBytes merge(const Parts<0, 2>& parts) {
    const auto& [lengths, rest] = parts.streams;
    reference::BitReader lows(rest);
    std::vector<W> words;
    for (const unsigned length : lengths) {
      if (length > core::word_bits<W>) return std::nullopt;
      words.push_back(
          length == 0 ? W{0} : static_cast<W>(W{1} << (length - 1) | static_cast<W>(lows.get(length - 1))));
    }
    const std::size_t used = lows.bytes_used();
    if (lows.failed() || rest.size() - used >= sizeof(W)) return std::nullopt;
    return reference::to_bytes(words, Bytes(rest.begin() + static_cast<std::ptrdiff_t>(used), rest.end()));
  }
};

}  // namespace floe::experiments
