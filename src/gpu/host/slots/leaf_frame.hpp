// The frame of one segment that devices make and read when a stream is a codec.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/type.hpp"
#include "floe/floe.hpp"

namespace floe::gpu {

/// Whether a tree is a codec.
bool is_codec(std::string_view tree);

/// What stands around the stream.
struct LeafFrame {
  std::vector<std::uint8_t> before;  ///< The frame's header, and that of the segment.
  std::vector<std::uint8_t> behind;  ///< The footer.
};
/// Around a stream of `stored_bytes` bytes, as the stream says of itself. Throws std::bad_alloc.
LeafFrame frame_around(const StreamToDecode& stream);

/// Bytes before and behind the stream in any such frame.
std::uint64_t bytes_before_leaf();
std::uint64_t bytes_behind_leaf();

/// Bytes of the largest frame with a stream of these words. Throws std::bad_alloc.
std::uint64_t leaf_frame_bound(const StreamToEncode& stream);

/// The type of the elements in such a frame: codecs go by the width of words alone.
inline DType leaf_type(DType type) { return unsigned_type(size_of(type)); }
/// What makes a device write such frames, of streams of up to `max_words` words, with their tree.
Options leaf_options(const StreamToEncode& stream, std::uint64_t max_words);

}  // namespace floe::gpu
