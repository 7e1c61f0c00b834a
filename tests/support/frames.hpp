// Arrays, their frames, and every way to decode one: what tests of the library share.
#pragma once

#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"
#include "tests/support/data.hpp"
#include "tests/support/sanitized.hpp"

namespace floe {

// Found by GoogleTest: failures show what went wrong instead of bytes.
inline void PrintTo(const Status& status, std::ostream* out) { *out << status.message(); }
inline void PrintTo(ErrorCode code, std::ostream* out) { *out << name_of(code); }
inline void PrintTo(DType dtype, std::ostream* out) { *out << name_of(dtype); }

}  // namespace floe

namespace floe::test {

inline std::span<const std::byte> view_of(std::span<const std::uint8_t> bytes) {
  return std::as_bytes(bytes);
}
inline std::span<std::byte> room_of(std::span<std::uint8_t> bytes) { return std::as_writable_bytes(bytes); }

/// Not inlined: GCC 12 then warns of overflows that cannot happen.
[[gnu::noinline]] inline void append(Bytes& to, std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  to.insert(to.end(), begin, begin + bytes.size());
}

inline constexpr std::array all_dtypes = {DType::f64, DType::f32, DType::f16, DType::bf16,
                                          DType::i8,  DType::i16, DType::i32, DType::i64,
                                          DType::u8,  DType::u16, DType::u32, DType::u64};

/// A codec and a type that it takes.
struct CodecCase {
  CodecInfo codec;
  DType dtype = DType::u8;

  [[nodiscard]] std::size_t word_bytes() const { return size_of(dtype); }
  [[nodiscard]] Options options() const {
    Options options;
    options.codec = codec.name;
    options.threads = 1;
    return options;
  }
  [[nodiscard]] std::string name() const {
    return std::string(codec.name) + "_" + std::string(name_of(dtype));
  }
};
inline void PrintTo(const CodecCase& c, std::ostream* out) { *out << c.name(); }

/// Every codec with every type that it takes.
inline std::vector<CodecCase> codec_cases() {
  std::vector<CodecCase> cases;
  for (const CodecInfo& codec : codecs()) {
    for (const DType dtype : all_dtypes) {
      if (codec.word_bits == 8 * size_of(dtype)) cases.push_back({codec, dtype});
    }
  }
  return cases;
}

/// Every codec with one of its types: a type is no more than a number in the header.
inline std::vector<CodecCase> codecs_once() {
  std::vector<CodecCase> cases;
  for (const CodecCase& c : codec_cases()) {
    if (cases.empty() || cases.back().codec.id != c.codec.id) cases.push_back(c);
  }
  return cases;
}

/// The frame of a list of elements; empty, with a failure of the test, if it cannot be had.
inline Bytes frame_of(const Bytes& content, DType dtype, const Extent& extent, const Options& options) {
  const auto frame = compress(view_of(content), dtype, extent, options);
  Bytes bytes;
  if (frame) append(bytes, *frame);
  return bytes;
}
inline Bytes frame_of(const Bytes& content, DType dtype, const Options& options) {
  return frame_of(content, dtype, Extent::linear(content.size() / size_of(dtype)), options);
}

/// What one way of decoding makes of a frame. `content` is complete if and only if `status` is ok.
struct Decoded {
  Status status;
  Bytes content;
};

inline Decoded decode_view(std::span<const std::uint8_t> frame,
                           const DecodeOptions& options = {1, std::uint64_t{1} << 30}) {
  const auto view = FrameView::parse(view_of(frame));
  if (!view) return {view.status(), {}};
  if (view->info().array_bytes() > options.memory_limit_bytes)
    return {{ErrorCode::out_of_memory, 0, "too large for this test"}, {}};
  Decoded decoded;
  decoded.content.resize(view->info().array_bytes());
  decoded.status = view->decompress(room_of(decoded.content), options);
  return decoded;
}

/// Reads a frame in memory as if it were a file; fails outside it.
inline ReadAt reader_of(std::span<const std::uint8_t> frame) {
  return [frame](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    if (offset > frame.size() || bytes.size() > frame.size() - offset)
      return {ErrorCode::io_error, 0, "read outside the frame"};
    if (!bytes.empty()) std::memcpy(bytes.data(), frame.data() + offset, bytes.size());
    return {};
  };
}

inline Decoded decode_reader(std::span<const std::uint8_t> frame,
                             const DecodeOptions& options = {1, std::uint64_t{1} << 30}) {
  auto reader = FrameReader::open(reader_of(frame), frame.size());
  if (!reader) return {reader.status(), {}};
  if (reader->info().array_bytes() > options.memory_limit_bytes)
    return {{ErrorCode::out_of_memory, 0, "too large for this test"}, {}};
  Decoded decoded;
  decoded.content.resize(reader->info().array_bytes());
  decoded.status =
      reader->decompress_slice(room_of(decoded.content), {0, reader->info().element_count}, options);
  return decoded;
}

/// `next_piece` says how many bytes to write next; at least 1.
template <class NextPiece>
Decoded decode_stream(std::span<const std::uint8_t> frame, const NextPiece& next_piece,
                      const DecodeOptions& options = {1, std::uint64_t{1} << 30}) {
  Decoded decoded;
  Decompressor stream(
      [&](std::span<const std::byte> bytes) {
        append(decoded.content, bytes);
        return Status{};
      },
      options);
  while (!frame.empty()) {
    const auto piece = frame.first(std::min<std::size_t>(frame.size(), next_piece()));
    decoded.status = stream.write(view_of(piece));
    if (!decoded.status.ok()) return decoded;
    frame = frame.subspan(piece.size());
  }
  decoded.status = stream.finish();
  return decoded;
}
inline Decoded decode_stream(std::span<const std::uint8_t> frame) {
  return decode_stream(frame, [&] { return frame.size(); });
}

}  // namespace floe::test
