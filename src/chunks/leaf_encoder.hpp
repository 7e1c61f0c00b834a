// Words to the stream of a chunked leaf, with several threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunks/coded_content.hpp"
#include "chunks/leaf.hpp"
#include "core/buffer.hpp"
#include "core/workers.hpp"

namespace floe::chunks {

/// Encodes the streams of one leaf, one after the other. Keeps its scratch memory from stream to stream; for
/// one thread.
class LeafEncoder {
 public:
  LeafEncoder(const Leaf& leaf, bool checksums, core::Workers& workers)
      : leaf_(leaf), checksums_(checksums), workers_(workers) {}

  /// Encodes a stream and returns its bytes, with room for `lead_bytes`, a multiple of 16, in front of them.
  /// They are in `out` if that has room for the worst case, else in memory of the encoder that the next call
  /// uses again. Throws std::bad_alloc.
  std::span<std::uint8_t> encode(std::span<const std::uint8_t> content, std::size_t lead_bytes,
                                 std::span<std::uint8_t> out);

  /// The same in pieces, for codecs without history: begin() says how long the content may become, add()
  /// takes what is a whole number of chunks but for the last piece, finish() returns the stream.
  void begin(std::uint64_t max_content_bytes, std::size_t lead_bytes, std::span<std::uint8_t> out = {});
  void add(std::span<const std::uint8_t> content);
  std::span<std::uint8_t> finish();

  /// Of the last stream.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }
  /// How much content should be given to add() at once, so that all threads have work: a multiple of the
  /// chunk.
  [[nodiscard]] std::uint64_t good_piece_bytes();

 private:
  CodedContent with_matches(std::span<const std::uint8_t> content);
  void add(const CodedContent& content);
  std::span<std::uint8_t> write_front_and_table(std::uint8_t kind);

  Leaf leaf_;
  bool checksums_;
  core::Workers& workers_;
  core::Digest digest_;
  core::Buffer history_;
  core::Buffer memory_;
  core::Buffer workspace_;

  // Of the stream that is being encoded.
  std::size_t lead_bytes_ = 0;
  std::span<std::uint8_t> stream_;     ///< Room for the worst case.
  std::uint64_t payloads_offset_ = 0;  ///< In stream_; the table ends here.
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t coded_bytes_ = 0;  ///< That the payloads stand for.
  std::vector<core::BlockEntry> entries_;
};

}  // namespace floe::chunks
