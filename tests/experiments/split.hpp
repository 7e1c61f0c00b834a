// SplitShape: how several streams share one payload.
#pragma once

#include <utility>

#include "chunks/reference/run_pipeline.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// A stream: words of a width of its own, and their pipeline.
template <core::Word W, class... Stages>
struct Stream {
  using Word = W;
  using Pipeline = codecs::Pipeline<Stages...>;
};

/// A split stage and what happens to its streams. The last stage of a pipeline, maybe that of another split's
/// stream.
template <class Stage, class... Streams>
struct SplitInto {
  using Shape = SplitShape;

  /// Payload: the parameters; the stored bytes of all streams but the last, 2 bytes each; the streams.
  template <core::Word W>
  static MaybeBytes encode(const Bytes& in, const core::ChunkContext& context) {
    static_assert(SplitStage<Stage, W>);
    const auto parts = Stage::template split<W>(in);
    if (!parts) return std::nullopt;
    std::array<MaybeBytes, count> coded;
    std::size_t next = 0;
    ((coded[next] = encode_stream<Streams>(parts->streams[next], context), ++next), ...);

    Bytes out(parts->parameters.begin(), parts->parameters.end());
    for (std::size_t s = 0; s < count; ++s) {
      if (!coded[s] || coded[s]->size() > 0xffff) return std::nullopt;
      if (s + 1 < count) reference::append_word(out, static_cast<std::uint16_t>(coded[s]->size()));
    }
    for (const MaybeBytes& stream : coded) reference::append(out, *stream);
    return out;
  }

  template <core::Word W>
  static MaybeBytes decode(const Bytes& in, const core::ChunkContext& context) {
    typename Stage::template PartsOf<W> parts;
    const std::size_t head_bytes = parts.parameters.size() + 2 * (count - 1);
    if (in.size() < head_bytes) return std::nullopt;
    std::copy_n(in.begin(), parts.parameters.size(), parts.parameters.begin());

    std::array<MaybeBytes, count> streams;
    std::size_t position = head_bytes;
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t left = in.size() - position;
      const std::size_t size =
          s + 1 == count ? left : core::load<std::uint16_t>(in.data() + parts.parameters.size() + 2 * s);
      if (size > left) return std::nullopt;
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(position);
      streams[s] = Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
      position += size;
    }
    std::size_t next = 0;
    ((streams[next] = decode_stream<Streams>(*streams[next], context), ++next), ...);
    for (std::size_t s = 0; s < count; ++s) {
      if (!streams[s]) return std::nullopt;
      parts.streams[s] = std::move(*streams[s]);
    }
    return Stage::template merge<W>(parts);
  }

 private:
  static constexpr std::size_t count = sizeof...(Streams);

  template <class S>
  static MaybeBytes encode_stream(const Bytes& in, const core::ChunkContext& context) {
    return reference::encode_stages<typename S::Word>(typename S::Pipeline{}, in, context);
  }
  template <class S>
  static MaybeBytes decode_stream(const Bytes& in, const core::ChunkContext& context) {
    return reference::decode_stages<typename S::Word>(typename S::Pipeline{}, in, context);
  }
};

template <class Stage, core::Word W>
MaybeBytes encode(SplitShape, const Bytes& in, const core::ChunkContext& context) {
  return Stage::template encode<W>(in, context);
}

template <class Stage, core::Word W>
MaybeBytes decode(SplitShape, const Bytes& in, const core::ChunkContext& context) {
  return Stage::template decode<W>(in, context);
}

}  // namespace floe::experiments
