#include "tests/oracle/oracle.hpp"

#include <algorithm>
#include <utility>

#include "chunks/registry/codec_includes.hpp"  // generated: the header of every codec
#include "core/chunk_checksum.hpp"
#include "tests/oracle/run_pipeline.hpp"

namespace floe::oracle {
namespace {

Bytes bytes_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

template <chunk_codecs::Codec C>
struct Coder {
  static std::size_t workspace_bytes(std::size_t) { return 0; }
  static std::uint32_t finish_checksum(core::RunningChecksum& checksum) noexcept {
    return core::chunk_checksum(checksum.row(0), checksum.padded_bytes());
  }
  static std::size_t encode(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                            std::span<std::uint8_t>, const core::ChunkContext& context) {
    return put(encode_chunk<C>(bytes_of(chunk), context), out);
  }
  static bool decode(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                     std::span<std::uint8_t>, const core::ChunkContext& context) {
    const MaybeBytes bytes = decode_chunk<C>(bytes_of(payload), context);
    if (bytes) std::copy(bytes->begin(), bytes->end(), chunk.begin());
    return bytes.has_value();
  }

 private:
  static std::size_t put(const MaybeBytes& payload, std::span<std::uint8_t> out) {
    if (!payload || payload->size() > out.size()) return registry::raw_chunk;
    std::copy(payload->begin(), payload->end(), out.begin());
    return payload->size();
  }
};

template <chunk_codecs::Codec C>
registry::ChunkCoder coder() {
  return {Coder<C>::workspace_bytes, Coder<C>::encode, Coder<C>::decode, Coder<C>::finish_checksum, false};
}

}  // namespace

registry::ChunkCoder coder_of(const registry::CodecEntry& codec) {
  switch (codec.id) {
#define FLOE_CODEC(codec_type, page) \
  case chunk_codecs::codec_type::id: \
    return coder<chunk_codecs::codec_type>();
#include "chunks/codecs/codecs.def"
#undef FLOE_CODEC
    default:
      return {};
  }
}

}  // namespace floe::oracle
