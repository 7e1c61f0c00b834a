// Codec: chunks of 16 KiB through a codec of the library. A leaf for words of the codec's width; made for floats.
#include <vector>

#include "core/chunk.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "encodings/encodings.hpp"

namespace floe::series {
namespace {

/// The parameter is the codec's id.
const registry::CodecEntry* codec_of(const Parameters& parameters) {
  return registry::find_codec(static_cast<std::uint16_t>(parameters[0]));
}


bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  const registry::CodecEntry& codec = *codec_of(parameters);
  const std::span<const std::uint8_t> bytes{static_cast<const std::uint8_t*>(in.values), static_cast<std::size_t>(in.bytes())};
  std::vector<std::uint8_t> workspace(codec.cpu.workspace_bytes(core::chunk_bytes)), payload(core::chunk_bytes);
  ByteWriter& chunks = out.header;
  const std::size_t begin = chunks.size();
  for (std::size_t first = 0; first < bytes.size(); first += core::chunk_bytes) {
    const auto chunk = bytes.subspan(first, std::min(core::chunk_bytes, bytes.size() - first));
    const std::size_t size = codec.cpu.encode(chunk, payload, workspace, {.bytes = chunk.size(), .first_word = first / size_of(in.type)});
    const bool is_raw = size == core::raw_chunk;
    chunks.put_word(static_cast<std::uint16_t>(is_raw ? chunk.size() : size));
    chunks.put_bytes(is_raw ? chunk : std::span<const std::uint8_t>(payload).first(size));
  }
  chunks.put_length_at(begin);
  return true;
}

template <core::Word W>
class CodecSource final : public BlockSource<W, core::chunk_bytes / sizeof(W)> {
  using Base = BlockSource<W, core::chunk_bytes / sizeof(W)>;

 public:
  CodecSource(const registry::CodecEntry& codec, std::span<const std::uint8_t> payload, std::uint64_t count)
      : Base(count), codec_(codec), rest_(payload), workspace_(codec.cpu.workspace_bytes(core::chunk_bytes)) {}

 private:
  bool read_block(W* out, std::size_t count) override {
    const std::span<std::uint8_t> chunk{reinterpret_cast<std::uint8_t*>(out), count * sizeof(W)};
    const auto payload = rest_.get_bytes(rest_.get_word<std::uint16_t>());
    if (rest_.failed() || payload.size() > chunk.size()) return false;
    const std::uint64_t first_word = next_word_;
    next_word_ += count;
    if (payload.size() == chunk.size()) {
      std::memcpy(chunk.data(), payload.data(), chunk.size());
      return true;
    }
    return codec_.cpu.decode(payload, chunk, workspace_, {.bytes = chunk.size(), .first_word = first_word});
  }

  const registry::CodecEntry& codec_;
  ByteReader rest_;
  std::uint64_t next_word_ = 0;
  std::vector<std::uint8_t> workspace_;
};

std::unique_ptr<Source> open(Opening& opening) {
  const auto payload = opening.bytes.get_bytes(opening.bytes.get_varint());
  if (opening.bytes.failed()) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<CodecSource<W>>(*codec_of(opening.parameters), payload, opening.count);
  });
}

}  // namespace

Encoding codec_encoding() noexcept {
  return {.time = {300, 300}, .encode = encode, .open = open};
}

}  // namespace floe::series
