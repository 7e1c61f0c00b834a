// What the CPU makes of the streams that an accelerator gets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "chunks/leaf_encoder.hpp"
#include "floe/floe.hpp"
#include "tree/plan.hpp"
#include "tree/stream_parts.hpp"

namespace floe::test {

inline std::vector<std::uint8_t> encode_by_cpu(const StreamToEncode& stream) {
  const trees::Plan plan = trees::plan_from_text(stream.tree, stream.type).value();
  const trees::ColumnView words{stream.type, stream.words, stream.count};
  if (plan.nodes[0].encoding != trees::EncodingId::codec) {
    trees::Scratch scratch;
    trees::PartWriter writer(1);
    writer.put(stream.count, trees::encode_tree(words, plan, scratch));
    return writer.release();
  }
  const auto [codec, dimensionality] = plan.nodes[0].parameters;
  const chunks::Leaf leaf{registry::find_codec(static_cast<std::uint16_t>(codec)), dimensionality};
  core::Workers this_thread(1, nullptr);
  chunks::LeafEncoder encoder(leaf, stream.checksum, this_thread);
  const auto bytes = encoder.encode(
      {static_cast<const std::uint8_t*>(stream.words), static_cast<std::size_t>(words.bytes())}, 0, {});
  return {bytes.begin(), bytes.end()};
}

/// Whether it could be decoded. Words need not be aligned.
inline bool decode_by_cpu(const StreamToDecode& stream) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(stream.bytes.data()), stream.bytes.size());
  const std::span words(static_cast<std::uint8_t*>(stream.words),
                        static_cast<std::size_t>(stream.count * size_of(stream.type)));
  if (const auto leaf = chunks::leaf_of_front(bytes, size_of(stream.type))) {
    const chunks::LeafStream of{*leaf, stream.has_checksums, words.size(), bytes.size(), stream.digest};
    const auto checked = chunks::check_leaf(of, bytes);
    core::Workers this_thread(1, nullptr);
    return checked && chunks::LeafDecoder(this_thread)
                          .decode(*checked, bytes.subspan(checked->payloads_offset), 0, words)
                          .ok();
  }
  std::vector<std::uint64_t> aligned(words.size() / 8 + 1);
  if (!trees::decode_stream(bytes, stream.type, stream.count, aligned.data()).ok()) return false;
  std::memcpy(words.data(), aligned.data(), words.size());
  return true;
}

}  // namespace floe::test
