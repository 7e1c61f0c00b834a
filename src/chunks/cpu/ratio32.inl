// A full chunk of 32-bit words through the pipeline Delta, ZigZag, BitTranspose, DropZeroBytes and back: what
// all instruction sets have in common. A translation unit includes this inside its namespace and its region;
// before that, <algorithm>, <cstring>, core/chunk.hpp, backend/cpu/chunk_levels.hpp and
//   words_to_planes(chunk, to, overlap)            residuals, folded, as bit planes; planes are aligned to 64
//   keep_bytes(from, kept_bytes, bitmap, overlap)  drops zero bytes; the bitmap may overshoot by 64 bytes
//   expand_to_words(kept, end, bitmap, scratch, chunk, overlap)    the inverse of both; reads nothing from
//   `end` on; false if the bitmap
//                                                  has another number of bytes
// and levels.inl with what that needs.

constexpr std::size_t length_field_bytes = 2;
constexpr std::size_t largest_levels_bytes =
    level_bytes[0] + level_bytes[1] + level_bytes[2] + level_bytes[3];

std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                   core::MemoryOverlap* overlap) {
  std::uint8_t* const bit_planes = scratch;
  words_to_planes(chunk, bit_planes, overlap);
  Levels levels;
  KeptBytes bytes(out, scratch + core::chunk_bytes);
  keep_bytes(bit_planes, bytes, levels[0], overlap);
  const std::size_t kept = bytes.count();
  if (kept + length_field_bytes >= core::chunk_bytes) return core::raw_chunk;

  std::uint8_t level_memory[largest_levels_bytes + 64];
  std::uint8_t* end = level_memory;
  if (kept > 0) end = emit_levels(levels, 0, end);
  const auto emitted = static_cast<std::size_t>(end - level_memory);
  const std::size_t total = kept + emitted + length_field_bytes;
  if (total >= core::chunk_bytes) return core::raw_chunk;
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  bytes.finish();
  std::memcpy(out + kept, level_memory, emitted);
  std::memcpy(out + kept + emitted, &length, length_field_bytes);
  return total;
}

bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
            std::uint8_t* scratch, core::MemoryOverlap* overlap) {
  if (payload_bytes < length_field_bytes) return false;
  std::size_t rest = payload_bytes - length_field_bytes;
  std::uint16_t length;
  std::memcpy(&length, payload + rest, length_field_bytes);
  if (length != core::chunk_bytes) return false;
  if (rest == 0) {
    std::memset(chunk, 0, core::chunk_bytes);
    return true;
  }

  // The end of the payload, with room around it for loads that reach too far. It holds all levels.
  std::uint8_t end_copy[64 + largest_levels_bytes + 64];
  const std::size_t copied = std::min(rest, largest_levels_bytes);
  std::memcpy(end_copy + 64, payload + rest - copied, copied);
  std::size_t unread = copied;  // bytes of the copy before the levels read so far
  Levels levels;
  if (!restore_levels(end_copy + 64, unread, 0, levels)) return false;
  rest -= copied - unread;
  return expand_to_words({payload, rest}, payload + payload_bytes, levels[0], scratch, chunk, overlap);
}
