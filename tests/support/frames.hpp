// Arrays, their frames, and every way to read one: what tests of the library share.
#pragma once

#include <gtest/gtest.h>

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

inline constexpr std::array all_dtypes = {DType::f64, DType::f32, DType::f16,    DType::bf16, DType::i8,
                                          DType::i16, DType::i32, DType::i64,    DType::u8,   DType::u16,
                                          DType::u32, DType::u64, DType::boolean};

/// A way to compress arrays of a type.
struct ArrayCase {
  DType dtype = DType::u8;
  std::string tree = {};  ///< Or the name of a codec; empty: by the goal.
  Goal goal = Goal::balance;
  Profile profile = Profile::cpu;

  [[nodiscard]] std::size_t word_bytes() const { return size_of(dtype); }
  [[nodiscard]] unsigned word_bits() const { return static_cast<unsigned>(8 * word_bytes()); }
  [[nodiscard]] Options options() const {
    Options options;
    options.tree = tree;
    options.goal = goal;
    options.profile = profile;
    options.threads = 1;
    return options;
  }
  [[nodiscard]] std::string name() const {
    constexpr const char* goals[] = {"speed", "balance", "ratio", "max"};
    const std::string how = tree.empty() ? goals[static_cast<int>(goal)] : tree;
    return how + (profile == Profile::gpu ? " for GPUs" : "") + " of " + std::string(name_of(dtype));
  }
  /// `bytes` of the content of that number in content_names().
  [[nodiscard]] Bytes sample(std::size_t content, std::size_t bytes, std::uint64_t seed) const {
    return make_bytes(word_bits(), content, bytes, seed);
  }
};
inline void PrintTo(const ArrayCase& c, std::ostream* out) { *out << c.name(); }

/// Every codec with every type that it takes.
inline std::vector<ArrayCase> codec_cases() {
  std::vector<ArrayCase> cases;
  for (const CodecInfo& codec : codecs()) {
    for (const DType dtype : all_dtypes) {
      if (codec.word_bits == 8 * size_of(dtype)) cases.push_back({dtype, std::string(codec.name)});
    }
  }
  return cases;
}

/// Every codec with one of its types: a type is no more than a number in the header.
inline std::vector<ArrayCase> codecs_once() {
  std::vector<ArrayCase> cases;
  for (const CodecInfo& codec : codecs()) {
    const auto* const dtype = std::find_if(all_dtypes.begin(), all_dtypes.end(),
                                           [&](DType type) { return codec.word_bits == 8 * size_of(type); });
    cases.push_back({*dtype, std::string(codec.name)});
  }
  return cases;
}

/// Trees with every encoding in them.
inline std::vector<ArrayCase> tree_cases() {
  return {{DType::i32, "raw"},
          {DType::u16, "constant"},
          {DType::u8, "bitpack"},
          {DType::boolean, "entropy"},
          {DType::i64, "delta,bitpack"},
          {DType::i32, "rle,bitpack,delta(2,2),entropy"},
          {DType::u64, "int_mult,entropy"},
          {DType::f64, "decimal(2,4),delta,entropy,bitpack,raw"},
          {DType::f32, "sortable,delta,entropy"},
          {DType::bf16, "sortable,split,bitpack,bitpack,entropy"},
          {DType::i16, "sparse,entropy,bitpack"},
          {DType::i8, "stride_split(2),bitpack,entropy"},
          {DType::f16, "dict,raw,bitpack,raw"},
          {DType::f64, "divide,delta,entropy,raw"},
          {DType::f64, "unique,sortable,delta,bitpack,bitpack"},
          {DType::f32, "grid,delta,linear(5),entropy,raw,bitpack,raw"},
          {DType::f64, "affine,delta,entropy,entropy,raw,bitpack,raw"},
          {DType::i32, "linear(6,50),entropy"},
          {DType::f32, "split(3),bitpack,spratio,spspeed"}};
}

/// Every type by every goal, and for GPUs.
inline std::vector<ArrayCase> goal_cases() {
  std::vector<ArrayCase> cases;
  for (const DType dtype : all_dtypes) {
    for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio, Goal::max})
      cases.push_back({dtype, {}, goal});
    cases.push_back({dtype, {}, Goal::balance, Profile::gpu});
  }
  return cases;
}

/// Some of each.
inline std::vector<ArrayCase> mixed_cases() {
  std::vector<ArrayCase> cases = codecs_once();
  for (ArrayCase& c : tree_cases()) cases.push_back(std::move(c));
  cases.push_back({DType::f32});
  cases.push_back({DType::i16, {}, Goal::speed});
  cases.push_back({DType::bf16, {}, Goal::max});
  cases.push_back({DType::f64, {}, Goal::balance, Profile::gpu});
  return cases;
}

/// The same; where sanitizers watch, every fifth: for what does not depend on the tree.
inline std::vector<ArrayCase> sampled_cases() {
  std::vector<ArrayCase> cases = mixed_cases();
  std::size_t number = 0;
  const std::size_t step = counted ? 3 : sanitized ? 5 : 1, kept = step == 5 ? 2 : 0;
  std::erase_if(cases, [&](const ArrayCase&) { return number++ % step != kept; });
  return cases;
}

/// The frame of an array; empty, with a failure of the test, if it cannot be had.
inline Bytes frame_of(const Bytes& content, DType dtype, const Extent& extent, const Options& options) {
  const auto frame = compress(view_of(content), dtype, extent, options);
  EXPECT_TRUE(frame) << frame.status().message();
  Bytes bytes;
  if (frame) append(bytes, *frame);
  return bytes;
}
inline Bytes frame_of(const Bytes& content, DType dtype, const Options& options) {
  return frame_of(content, dtype, Extent::linear(content.size() / size_of(dtype)), options);
}

/// Sinks for bytes that nobody reads, of C++ and of C.
inline Status ignore(std::span<const std::byte>) { return {}; }
inline int ignore_bytes(void*, const void*, std::size_t) { return 0; }

inline Sink sink_to(Bytes& bytes) {
  return [&bytes](std::span<const std::byte> part) {
    append(bytes, part);
    return Status{};
  };
}

/// What sinks without room say.
inline const Status full{ErrorCode::io_error, 7, "no space left"};

/// A sink that fails once it got that many bytes.
inline Sink sink_with_room_for(std::size_t bytes, Bytes* received = nullptr) {
  return [bytes, received, total = std::size_t{0}](std::span<const std::byte> part) mutable {
    total += part.size();
    if (total > bytes) return full;
    if (received != nullptr) append(*received, part);
    return Status{};
  };
}
inline Sink no_limit(Bytes* received = nullptr) { return sink_with_room_for(~std::size_t{0}, received); }

/// What one way of reading makes of a frame. `content` is complete if and only if `status` is ok.
struct Decoded {
  Status status;
  Bytes content;
};

inline constexpr DecodeOptions one_thread{.threads = 1, .memory_limit_bytes = std::uint64_t{1} << 30};

inline Decoded restore(const Result<Reader>& reader, const DecodeOptions& options) {
  if (!reader) return {reader.status(), {}};
  Decoded decoded;
  decoded.status = reader->restore(sink_to(decoded.content), options);
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

/// Arrays at once, tables segment by segment.
inline Decoded decode(const Result<Reader>& reader, const DecodeOptions& options) {
  if (!reader || reader->info().content == floe::Content::table) return restore(reader, options);
  if (reader->info().array_bytes() > options.memory_limit_bytes)
    return {{ErrorCode::out_of_memory, 0, "too large for this test"}, {}};
  Decoded decoded;
  decoded.content.resize(reader->info().array_bytes());
  decoded.status = reader->decompress(room_of(decoded.content), options);
  return decoded;
}
inline Decoded decode_memory(std::span<const std::uint8_t> frame, const DecodeOptions& options = one_thread) {
  return decode(Reader::open(view_of(frame)), options);
}
inline Decoded decode_file(std::span<const std::uint8_t> frame, const DecodeOptions& options = one_thread) {
  return decode(Reader::open(reader_of(frame), frame.size(), options.memory_limit_bytes), options);
}
/// Segment by segment, arrays too.
inline Decoded decode_restored(std::span<const std::uint8_t> frame,
                               const DecodeOptions& options = one_thread) {
  return restore(Reader::open(reader_of(frame), frame.size(), options.memory_limit_bytes), options);
}

/// `next_piece` says how many bytes to write next; at least 1.
template <class NextPiece>
Decoded decode_stream(std::span<const std::uint8_t> frame, const NextPiece& next_piece,
                      const DecodeOptions& options = one_thread) {
  Decoded decoded;
  StreamReader stream(sink_to(decoded.content), options);
  while (!frame.empty()) {
    const auto piece = frame.first(std::min<std::size_t>(frame.size(), next_piece()));
    decoded.status = stream.write(view_of(piece));
    if (!decoded.status.ok()) return decoded;
    frame = frame.subspan(piece.size());
  }
  decoded.status = stream.finish();
  return decoded;
}
inline Decoded decode_stream(std::span<const std::uint8_t> frame, const DecodeOptions& options = one_thread) {
  return decode_stream(
      frame, [&] { return frame.size(); }, options);
}

}  // namespace floe::test
