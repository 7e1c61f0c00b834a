// Arrays for tests of accelerators, and ways through the library with one.
#pragma once

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/splitmix.hpp"
#include "floe/floe.hpp"

namespace floe::test {

using Elements = std::vector<std::byte>;

/// Smooth with noise, so that chunks are coded and raw.
inline Elements make_elements(std::uint64_t bytes, std::uint64_t seed) {
  Elements elements(bytes);
  for (std::uint64_t i = 0; i + 8 <= bytes; i += 8) {
    const std::uint64_t noise = core::splitmix(seed + i);
    const double value =
        i / 8 % 40000 < 30000 ? std::sin(static_cast<double>(i + seed) * 1e-5) : static_cast<double>(noise);
    std::memcpy(elements.data() + i, &value, 8);
  }
  return elements;
}

struct AcceleratorCase {
  DType dtype = DType::f64;
  Extent extent;
  Options options;
  Elements elements;

  [[nodiscard]] Options with(Accelerator& accelerator) const {
    Options changed = options;
    changed.accelerator = &accelerator;
    return changed;
  }
};

inline AcceleratorCase accelerator_case(std::uint64_t elements, std::uint64_t segment_bytes,
                                        const char* tree = "dpspeed") {
  AcceleratorCase c;
  c.extent = Extent::linear(elements);
  c.options.tree = tree;
  c.options.segment_bytes = segment_bytes;
  c.options.threads = 1;
  c.elements = make_elements(elements * 8, elements);
  return c;
}

inline Elements compressed(const AcceleratorCase& c, const Options& options) {
  Elements frame(max_compressed_size(c.dtype, c.extent, options).value());
  frame.resize(compress_into(frame, c.elements, c.dtype, c.extent, options).value());
  return frame;
}

inline DecodeOptions decode_with(Accelerator& accelerator, std::uint64_t memory_limit_bytes = 1 << 30) {
  DecodeOptions options;
  options.threads = 1;
  options.memory_limit_bytes = memory_limit_bytes;
  options.accelerator = &accelerator;
  return options;
}

inline Sink append_to(Elements& to) {
  return [&to](std::span<const std::byte> bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
    return Status{};
  };
}

/// Gives bytes to take(piece) in pieces of random lengths, up to the first failure.
template <class Take>
Status in_pieces(std::span<const std::byte> bytes, std::uint64_t seed, std::size_t max_bytes,
                 const Take& take) {
  while (!bytes.empty()) {
    seed = core::splitmix(seed + core::splitmix_step);
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), 1 + seed % max_bytes));
    if (const Status status = take(piece); !status.ok()) return status;
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

inline Status decompress_into(std::span<std::byte> out, std::span<const std::byte> frame,
                              const DecodeOptions& options) {
  const auto reader = Reader::open(frame);
  return reader ? reader->decompress(out, options) : reader.status();
}

/// What a StreamReader gives of a frame, and how it ends.
inline Status restore_in_pieces(std::span<const std::byte> frame, Elements& out,
                                const DecodeOptions& options) {
  StreamReader reader(append_to(out), options);
  const Status status =
      in_pieces(frame, frame.size(), 100'000, [&](auto piece) { return reader.write(piece); });
  return status.ok() ? reader.finish() : status;
}

}  // namespace floe::test
