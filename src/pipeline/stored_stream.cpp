#include "pipeline/stored_stream.hpp"

#include <algorithm>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// A codec's stream that is so long is decoded by several threads.
constexpr std::uint64_t long_stream_bytes = std::uint64_t{4} << 20;

chunks::LeafStream leaf_stream(const StoredStream& stream, const chunks::Leaf& leaf, bool checksums) {
  return {leaf,
          checksums,
          stream.entry.words_bytes(),
          stream.entry.stored_bytes,
          stream.entry.digest,
          stream.frame_offset};
}

Status decode_leaf(const StoredStream& stream, const chunks::Leaf& leaf, bool checksums,
                   core::Workers& workers) {
  const chunks::LeafStream of = leaf_stream(stream, leaf, checksums);
  const auto checked = chunks::check_leaf(
      of, stream.bytes.first(std::min<std::uint64_t>(of.head_bytes(stream.bytes), stream.bytes.size())));
  if (!checked) return checked.status();
  const std::span out(static_cast<std::uint8_t*>(stream.words),
                      static_cast<std::size_t>(stream.entry.words_bytes()));
  return chunks::LeafDecoder(workers).decode(*checked, stream.bytes.subspan(checked->payloads_offset), 0,
                                             out);
}

Status decode_tree(const StoredStream& stream) {
  Status status = trees::decode_stream(stream.bytes.first(stream.entry.stored_bytes), stream.entry.type,
                                       stream.entry.count, stream.words);
  if (!status.ok()) status.byte_offset += stream.frame_offset;
  return status;
}

}  // namespace

Status check_stream(const StoredStream& stream, bool checksums) {
  const auto padding = stream.bytes.subspan(stream.entry.stored_bytes);
  const bool is_zero =
      std::all_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte == 0; });
  if (is_zero && chunks::digest_of_bytes(stream.bytes.first(stream.entry.stored_bytes), checksums) ==
                     stream.entry.digest)
    return {};
  return {ErrorCode::corrupt_frame, stream.frame_offset,
          is_zero ? "a stream does not match its digest" : "padding is not zero"};
}

Status decode_streams(std::span<StoredStream> streams, bool checksums, core::Workers& workers,
                      StreamDecoder* beside) {
  // What is intact, and no codec, may go to a device; the CPU takes codecs meanwhile, the long ones one after
  // the other.
  std::vector<std::optional<chunks::Leaf>> leaves;
  std::vector<std::uint32_t> short_ones;
  for (std::uint32_t i = 0; i < streams.size(); ++i) {
    const StoredStream& stream = streams[i];
    leaves.push_back(stream.entry.count == 0
                         ? std::nullopt
                         : chunks::leaf_of_front(stream.bytes, size_of(stream.entry.type)));
    if (leaves[i] && stream.entry.words_bytes() >= long_stream_bytes) {
      streams[i].status = decode_leaf(stream, *leaves[i], checksums, workers);
    } else {
      short_ones.push_back(i);
    }
  }
  std::vector<EncodedStream> given;
  std::vector<std::uint32_t> given_index;
  if (beside != nullptr) {
    core::for_each_task(workers, static_cast<std::uint32_t>(short_ones.size()), [&](std::uint32_t task) {
      const std::uint32_t i = short_ones[task];
      if (!leaves[i]) streams[i].status = check_stream(streams[i], checksums);
    });
    for (const std::uint32_t i : short_ones) {
      if (leaves[i] || !streams[i].status.ok() || streams[i].entry.count == 0) continue;
      given.push_back({std::as_bytes(streams[i].bytes.first(streams[i].entry.stored_bytes)),
                       streams[i].entry.type, streams[i].entry.count, streams[i].words, false});
      given_index.push_back(i);
    }
    std::size_t begun = 0, under_way = 0;
    while (begun < given.size() || under_way > 0) {
      const std::size_t first = begun;
      std::uint64_t bytes = 0;
      for (; begun < given.size() && bytes < beside->batch_bytes(); ++begun)
        bytes += given[begun].count * size_of(given[begun].type);
      Status status;
      if (first < begun) {
        status = beside->begin(std::span(given).subspan(first, begun - first));
        if (status.ok()) ++under_way;
      }
      if (status.ok() && (under_way == beside->batches_at_once() || begun == given.size())) {
        status = beside->finish();
        --under_way;
      }
      if (!status.ok()) {
        for (; under_way > 0; --under_way) (void)beside->finish();
        return status;
      }
    }
  }
  std::vector<bool> is_done(streams.size());
  for (std::size_t k = 0; k < given.size(); ++k) is_done[given_index[k]] = given[k].is_decoded;
  core::for_each_task(workers, static_cast<std::uint32_t>(short_ones.size()), [&](std::uint32_t task) {
    StoredStream& stream = streams[short_ones[task]];
    if (is_done[short_ones[task]]) return;
    const auto& leaf = leaves[short_ones[task]];
    if (leaf) {
      core::Workers this_thread(1, nullptr);
      stream.status = decode_leaf(stream, *leaf, checksums, this_thread);
      return;
    }
    if (beside == nullptr) stream.status = check_stream(stream, checksums);
    if (stream.status.ok() && stream.entry.count > 0) stream.status = decode_tree(stream);
  });
  return {};
}

}  // namespace floe::pipeline
