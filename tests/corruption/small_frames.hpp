// Small frames of every codec and type, with everything that a frame may have.
#pragma once

#include <string>
#include <vector>

#include "tests/support/frames.hpp"

namespace floe::test {

struct SmallFrame {
  std::string name;
  Bytes content;
  Bytes frame;
};
inline void PrintTo(const SmallFrame& frame, std::ostream* out) { *out << frame.name; }

inline SmallFrame small_frame(const CodecCase& c, std::string kind, Bytes content, const Extent& extent,
                              const Options& options) {
  SmallFrame small{c.name() + "_" + std::move(kind), std::move(content), {}};
  small.frame = frame_of(small.content, c.dtype, extent, options);
  return small;
}

/// All with checksums. Several kilobytes each at most, though some hold much more.
inline std::vector<SmallFrame> small_frames() {
  static const Bytes prefix = make_bytes(8, 3, 77, 0);
  std::vector<SmallFrame> frames;
  for (const CodecCase& c : codec_cases()) {
    const std::size_t word = c.word_bytes();
    const auto bits = static_cast<unsigned>(8 * word);
    Options options = c.options();
    if (c.codec.name == "gfc") options.dimensionality = 3;
    const Bytes mixed = make_bytes(bits, 5, 61 * word, c.codec.id);  // smooth with noise
    frames.push_back(small_frame(c, "mixed", mixed, Extent::linear(61), options));
  }
  for (const CodecCase& c : codecs_once()) {
    const std::size_t word = c.word_bytes();
    const auto bits = static_cast<unsigned>(8 * word);
    Options segments = c.options();
    segments.segment_bytes = 16384;
    segments.prefix = view_of(prefix);
    const auto zeros_then = [&](std::size_t kind, std::size_t bytes) {
      Bytes content(2 * 16384);
      append(content, view_of(make_bytes(bits, kind, bytes, 2)));
      return content;
    };
    const auto pairs = [&](const Bytes& content) { return Extent{{content.size() / word / 2, 2}, 2}; };
    const Bytes noise_last = zeros_then(8, 64), sparse_last = zeros_then(10, 704);
    frames.push_back(small_frame(c, "segments", noise_last, pairs(noise_last), segments));
    frames.push_back(small_frame(c, "chunks", sparse_last, pairs(sparse_last), c.options()));
    frames.push_back(
        small_frame(c, "raw", make_bytes(bits, 8, 40 * word, 4), Extent::linear(40), c.options()));
  }
  const CodecCase c = codecs_once().front();
  frames.push_back(small_frame(c, "empty", {}, {{0, 5}, 2}, c.options()));
  frames.push_back(small_frame(c, "scalar", make_bytes(32, 4, 4, 5), {{}, 0}, c.options()));
  return frames;
}

}  // namespace floe::test
