// A full chunk of 32-bit words through the pipeline Delta, ZigZag, BitTranspose, DropZeroBytes and back: what all instruction sets have in
// common. A translation unit includes this inside its namespace and its region; before that, <algorithm>, <cstring>, core/chunk.hpp,
// backend/cpu/chunk_levels.hpp and
//   words_to_planes(chunk, to, traffic)            residuals, folded, as bit planes; planes are aligned to 64
//   planes_to_words(from, chunk, traffic)          the inverse
//   keep_bytes(from, out, bitmap, traffic)         drops zero bytes, returns how many are left; outputs may overshoot by 64 bytes
//   expand_bytes(kept, end, bitmap, to, traffic)   the inverse; reads nothing from `end` on
//   emit_level(level, bytes, next, out)            writes the bytes that differ from the one before, and which these are to `next`;
//                                                  returns the end of the former
//   restore_level(emitted, next, bytes, level)     the inverse; may read one byte before `emitted` and 64 after

constexpr std::size_t length_field_bytes = 2;
constexpr std::size_t largest_levels_bytes = level_bytes[0] + level_bytes[1] + level_bytes[2] + level_bytes[3];

std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, core::MemoryTraffic* traffic) {
  std::uint8_t* const bit_planes = scratch;
  std::uint8_t* const payload = scratch + core::chunk_bytes;  // stores overshoot, which the output has no room for
  words_to_planes(chunk, bit_planes, traffic);
  Levels levels;
  const std::size_t kept = keep_bytes(bit_planes, payload, levels[0], traffic);
  if (kept + length_field_bytes >= core::chunk_bytes) return core::raw_chunk;

  std::uint8_t level_memory[largest_levels_bytes + 64];
  std::uint8_t* end = level_memory;
  if (kept > 0) {
    for (unsigned level = 0; level < 3; ++level) end = emit_level(levels[level], level_bytes[level], levels[level + 1], end);
    std::memcpy(end, levels[3], level_bytes[3]);
    end += level_bytes[3];
  }
  const auto emitted = static_cast<std::size_t>(end - level_memory);
  const std::size_t total = kept + emitted + length_field_bytes;
  if (total >= core::chunk_bytes) return core::raw_chunk;
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  std::memcpy(out, payload, kept);
  std::memcpy(out + kept, level_memory, emitted);
  std::memcpy(out + kept + emitted, &length, length_field_bytes);
  return total;
}

bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
            core::MemoryTraffic* traffic) {
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
  if (unread < level_bytes[3]) return false;
  unread -= level_bytes[3];
  std::memcpy(levels[3], end_copy + 64 + unread, level_bytes[3]);
  for (unsigned level = 3; level-- > 0;) {
    const std::size_t emitted = popcount_of(levels[level + 1], level_bytes[level + 1]);
    if (emitted > unread) return false;
    unread -= emitted;
    restore_level(end_copy + 64 + unread, levels[level + 1], level_bytes[level], levels[level]);
  }
  rest -= copied - unread;
  if (popcount_of(levels[0], level_bytes[0]) != rest) return false;

  expand_bytes(payload, payload + payload_bytes, levels[0], scratch, traffic);
  planes_to_words(scratch, chunk, traffic);
  return true;
}
