#include "gpu/host/slots/leaf_frame.hpp"

#include <algorithm>

#include "chunks/leaf.hpp"
#include "container/parts.hpp"
#include "core/digest.hpp"

namespace floe::gpu {
namespace {

container::Header header_of(DType type, std::uint64_t count, bool checksums) {
  container::Header header;
  header.dtype = leaf_type(type);
  header.checksums = checksums;
  header.max_segment_length = std::max<std::uint64_t>(count, 1);
  return header;
}

}  // namespace

bool is_codec(std::string_view tree) {
  const std::string_view name = tree.substr(0, tree.find_first_of("(,"));
  return std::ranges::any_of(codecs(), [name](const CodecInfo& codec) { return codec.name == name; });
}

LeafFrame frame_around(const StreamToDecode& stream) {
  const container::Header header = header_of(stream.type, stream.count, stream.has_checksums);
  LeafFrame frame;
  frame.before = container::write_header(header);
  const std::uint32_t header_crc = container::crc_of_part(frame.before);
  container::Footer footer;
  footer.outer_size = footer.element_count = stream.count;
  core::Digest digest;
  digest.add(stream.digest);
  footer.digest = digest.value();
  footer.segments.push_back({frame.before.size(), 0});
  frame.behind = container::write_footer(footer, header_crc);
  container::SegmentHeader segment;
  segment.count = static_cast<std::uint32_t>(stream.count);
  segment.columns.push_back({{}, {}, {{header.dtype, segment.count, stream.bytes.size(), stream.digest}}});
  const auto segment_header = container::write_segment_header(segment, header_crc);
  frame.before.insert(frame.before.end(), segment_header.begin(), segment_header.end());
  return frame;
}

std::uint64_t bytes_before_leaf() {
  static const std::uint64_t header_bytes = container::write_header(header_of(DType::u8, 1, true)).size();
  return header_bytes + container::array_segment_header_bytes;
}

std::uint64_t bytes_behind_leaf() { return container::footer_bytes(1); }

std::uint64_t leaf_frame_bound(const StreamToEncode& stream) {
  return bytes_before_leaf() + chunks::stream_bound(stream.count * size_of(stream.type), stream.checksum) +
         bytes_behind_leaf();
}

Options leaf_options(const StreamToEncode& stream, std::uint64_t max_words) {
  Options options;
  options.tree = stream.tree;
  options.checksum = stream.checksum;
  options.threads = 1;
  options.segment_bytes = core::align_up(max_words * size_of(stream.type), core::chunk_bytes);
  return options;
}

}  // namespace floe::gpu
