// Codec: a chunked leaf below other nodes, or in a part of a segment. A stream that is nothing but such a
// leaf is coded by src/chunks.
#include <algorithm>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "chunks/leaf_encoder.hpp"
#include "core/memory_budget.hpp"
#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

static_assert(static_cast<std::uint8_t>(EncodingId::codec) == chunks::encoding_id);

chunks::Leaf leaf_of(const Parameters& parameters) {
  return {registry::find_codec(static_cast<std::uint16_t>(parameters[0])), parameters[1]};
}

bool encode_codec(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  core::Workers this_thread(1, nullptr);
  chunks::LeafEncoder encoder(leaf_of(parameters), false, this_thread);
  const auto stream = encoder.encode(
      {static_cast<const std::uint8_t*>(in.values), static_cast<std::size_t>(in.bytes())}, 0, {});
  out.header.put_byte(stream[chunks::kind_at]);
  out.header.align(chunks::alignment);
  out.header.put_bytes(stream.subspan(chunks::front_bytes));
  return true;
}

/// Decodes a run of chunks at a time.
class CodecSource final : public Source {
 public:
  CodecSource(const chunks::CheckedLeaf& leaf, std::span<const std::uint8_t> bytes)
      : leaf_(leaf), bytes_(bytes) {}

  bool read(void* words, std::size_t count) override {
    auto out = std::span(static_cast<std::uint8_t*>(words), count * leaf_.stream.leaf.codec->word_bits / 8);
    while (!out.empty()) {
      if (next_ == end_ && !fill()) return false;
      const std::size_t part = std::min<std::size_t>(out.size(), end_ - next_);
      std::copy_n(decoded_.begin() + static_cast<std::ptrdiff_t>(next_), part, out.begin());
      next_ += part;
      out = out.subspan(part);
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    std::uint64_t bytes = count * leaf_.stream.leaf.codec->word_bits / 8;
    const std::uint64_t decoded = std::min<std::uint64_t>(bytes, end_ - next_);
    next_ += static_cast<std::size_t>(decoded);
    bytes -= decoded;
    if (bytes == 0) return true;
    if (leaf_.kind != chunks::kind_history) {
      first_byte_ += bytes - bytes % core::chunk_bytes;
      bytes %= core::chunk_bytes;
      if (bytes == 0) return true;
    }
    if (!fill()) return false;
    next_ += static_cast<std::size_t>(bytes);
    return true;
  }

 private:
  bool fill() {
    const std::uint64_t left = leaf_.stream.content_bytes - first_byte_;
    const bool at_once = leaf_.kind == chunks::kind_history;  // words may be equal to any before them
    if (at_once) core::MemoryBudget::take(left);
    decoded_.resize(
        static_cast<std::size_t>(at_once ? left : std::min<std::uint64_t>(left, core::chunk_bytes)));
    const auto range = chunks::payloads_of(leaf_, chunks::chunks_of(leaf_, first_byte_, decoded_.size()));
    if (!decoder_.decode(leaf_, bytes_.subspan(range.first, range.end - range.first), first_byte_, decoded_)
             .ok())
      return false;
    first_byte_ += decoded_.size();
    next_ = 0;
    end_ = decoded_.size();
    return true;
  }

  chunks::CheckedLeaf leaf_;
  std::span<const std::uint8_t> bytes_;
  core::Workers this_thread_{1, nullptr};
  chunks::LeafDecoder decoder_{this_thread_};
  std::vector<std::uint8_t> decoded_;
  std::size_t next_ = 0, end_ = 0;
  std::uint64_t first_byte_ = 0;
};

std::unique_ptr<Source> open_codec(Opening& opening) {
  ByteReader& bytes = opening.bytes;
  const std::uint8_t kind = bytes.get_byte();
  if (!bytes.align(chunks::alignment)) return nullptr;
  core::MemoryBudget::take(2 * core::chunk_bytes);  // a chunk, and what its decoder works in
  const auto leaf = chunks::nested_leaf(leaf_of(opening.parameters), opening.count * size_of(opening.type),
                                        kind, bytes.rest());
  if (!leaf) return nullptr;
  return std::make_unique<CodecSource>(*leaf, bytes.get_bytes(leaf->stream.stored_bytes));
}

}  // namespace

Encoding codec_encoding() noexcept {
  return {.time = {300, 350}, .encode = encode_codec, .open = open_codec};
}

}  // namespace floe::trees
