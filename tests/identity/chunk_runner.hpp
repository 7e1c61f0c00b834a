// Runs one chunk through the functions of a codec or those of the oracle, in buffers of exactly the agreed
// sizes that start out with garbage.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "chunks/registry/codec_entry.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/support/data.hpp"

namespace floe::test {

using MaybeBytes = std::optional<Bytes>;

inline Bytes garbage(std::size_t size) {
  Random random(size);
  Bytes bytes(size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, size - at));
  }
  return bytes;
}

/// Remembers the workspace, which is large compared with most chunks: what one chunk leaves there must not
/// matter to the next.
class ChunkRunner {
 public:
  explicit ChunkRunner(const registry::ChunkCoder& coder) : coder_(coder) {}

  /// The payload, or nothing for a raw chunk.
  MaybeBytes encode(const Bytes& chunk, core::ChunkContext context) {
    context.bytes = chunk.size();
    Bytes out = garbage(chunk.size());
    const std::size_t payload_bytes = coder_.encode(chunk, out, workspace(chunk.size()), context);
    if (payload_bytes == registry::raw_chunk) return std::nullopt;
    out.resize(payload_bytes);
    return out;
  }

  /// The chunk, or nothing if the payload is refused.
  MaybeBytes decode(const Bytes& payload, std::size_t chunk_bytes, core::ChunkContext context) {
    context.bytes = chunk_bytes;
    Bytes chunk = garbage(chunk_bytes);
    if (!coder_.decode(payload, chunk, workspace(chunk_bytes), context)) return std::nullopt;
    return chunk;
  }

 private:
  std::span<std::uint8_t> workspace(std::size_t chunk_bytes) {
    const std::size_t needed = coder_.workspace_bytes(chunk_bytes);
    if (workspace_.size() != needed) workspace_ = garbage(needed);
    return workspace_;
  }

  registry::ChunkCoder coder_;
  Bytes workspace_;
};

/// The name of a codec as a part of a test's name.
inline std::string test_name(const registry::CodecEntry& codec) {
  return std::string(codec.name) + "_" + std::to_string(codec.word_bits);
}

}  // namespace floe::test
