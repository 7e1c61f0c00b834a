// Frames for fuzz targets: arrays and tables that a fuzzer's bytes say, as frames, and what is read of
// frames.
#pragma once

#include <string>

#include "floe/floe.hpp"
#include "fuzz/support.hpp"
#include "tests/encodings/every_encoding.hpp"

namespace floe::fuzz {

inline constexpr DecodeOptions decode_options{.threads = 1, .memory_limit_bytes = 64 << 20};
inline constexpr std::uint64_t max_content_bytes = 4 << 20;

inline std::span<const std::byte> view_of(std::span<const std::uint8_t> bytes) {
  return std::as_bytes(bytes);
}
inline std::span<std::byte> room_of(std::span<std::uint8_t> bytes) { return std::as_writable_bytes(bytes); }

/// Collects up to max_content_bytes, then ends the call.
inline Sink sink_to(Bytes& bytes) {
  return [&bytes](std::span<const std::byte> part) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(part.data());
    bytes.insert(bytes.end(), first, first + part.size());
    return bytes.size() <= max_content_bytes ? Status{} : Status{ErrorCode::io_error, 0, "enough"};
  };
}

/// Reads a frame as if it were a file. Whoever reads outside it breaks a promise.
inline ReadAt reader_of(const Bytes& frame) {
  return [&frame](std::uint64_t offset, std::span<std::byte> bytes) {
    require(offset <= frame.size() && bytes.size() <= frame.size() - offset);
    if (!bytes.empty()) std::memcpy(bytes.data(), frame.data() + offset, bytes.size());
    return Status{};
  };
}

/// An element type, and how to compress: by the goal, a codec or a tree.
struct Choice {
  DType dtype = DType::u8;
  std::string tree = {};
  Options options = {};
};

/// Trees that a fuzzer's bytes choose among.
inline const std::vector<std::string>& chosen_trees() {
  static const std::vector<std::string> trees = [] {
    std::vector<std::string> all = {"raw",
                                    "delta,bitpack",
                                    "rle,bitpack,delta(2,2),entropy",
                                    "int_mult,entropy",
                                    "sparse,entropy,bitpack",
                                    "stride_split(2),bitpack,entropy",
                                    "split(3),bitpack,spratio,spspeed",
                                    "dict,raw,bitpack,raw",
                                    "sortable,delta,entropy",
                                    "decimal(2,4),delta,entropy,bitpack,raw",
                                    "divide,delta,entropy,raw",
                                    "unique,sortable,delta,bitpack,bitpack",
                                    "delta(1,300),delta(2,100),delta,entropy",
                                    "grid,delta,linear(3),entropy,raw,bitpack,raw",
                                    "affine(2),delta(1,2),bitpack,entropy,raw,bitpack,raw",
                                    "linear(8),bitpack",
                                    "linear(6,50),entropy",
                                    "match,entropy,entropy,entropy,entropy",
                                    "match(0,5),delta,bitpack,bitpack,bitpack,raw",
                                    "multi_entropy(1)",
                                    "sortable,delta,multi_entropy(3)",
                                    "narrow(2,1),sortable,delta,entropy,bitpack,raw",
                                    "narrow(7,2),entropy,bitpack,raw",
                                    "delta,context(50,2),entropy"};
    for (std::string& tree : test::wide_trees()) all.push_back(std::move(tree));
    all.emplace_back("stride_split(70),delta,entropy");
    return all;
  }();
  return trees;
}

inline Choice take_choice(Input& input) {
  Choice choice;
  choice.dtype = static_cast<DType>(1 + input.take<std::uint8_t>() % 13);
  const auto kind = input.take<std::uint8_t>();
  const CodecInfo& codec = codecs()[input.take<std::uint8_t>() % codecs().size()];
  if (kind % 3 == 0) choice.tree = codec.name;
  if (kind % 3 == 1) choice.tree = chosen_trees()[kind / 3 % chosen_trees().size()];
  if (choice.tree == "gfc") choice.tree += "(" + std::to_string(2 + kind / 3 % 31) + ")";
  if (!check_tree(choice.tree, choice.dtype).ok()) choice.tree.clear();
  const auto bits = input.take<std::uint8_t>();
  choice.options.goal = static_cast<Goal>(bits % 4);
  choice.options.checksum = (bits & 4) != 0;
  choice.options.threads = 1 + (bits >> 3 & 1);
  choice.options.segment_bytes = std::uint64_t{16384} << (bits >> 4 & 3);
  choice.options.profile = static_cast<Profile>(bits >> 6 & 1);
  return choice;
}

/// The frame of bytes of CSV text or records that come in two pieces.
inline Bytes table_frame(std::span<const std::uint8_t> content, const TableOptions& table,
                         const Options& options) {
  Bytes frame;
  auto writer = Writer::create(sink_to(frame), table, options);
  require(static_cast<bool>(writer));
  const auto bytes = view_of(content);
  require(writer->write(bytes.first(bytes.size() / 3)).ok() &&
          writer->write(bytes.subspan(bytes.size() / 3)).ok() && writer->finish().ok());
  return frame;
}

}  // namespace floe::fuzz
