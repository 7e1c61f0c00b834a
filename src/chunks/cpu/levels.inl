// The shortened levels of a bitmap to and from a payload: what all instruction sets have in common. A
// translation unit includes this inside its namespace and its region; before that, <cstring>,
// backend/cpu/chunk_levels.hpp and
//   emit_level(level, bytes, next, out)            writes the bytes that differ from the one before, and
//   which these are to `next`;
//                                                  returns the end of the former
//   restore_level(emitted, next, bytes, level)     the inverse; may read one byte before `emitted` and 64
//   after

/// Writes the levels from `first` on, which is given; makes the others. Returns the end.
inline std::uint8_t* emit_levels(Levels& levels, unsigned first, std::uint8_t* out) {
  for (unsigned level = first; level < 3; ++level)
    out = emit_level(levels[level], level_bytes[level], levels[level + 1], out);
  std::memcpy(out, levels[3], level_bytes[3]);
  return out + level_bytes[3];
}

/// The inverse, from the end: `rest` counts the bytes from `begin` to it, and then those that are left. False
/// if they do not suffice.
inline bool restore_levels(const std::uint8_t* begin, std::size_t& rest, unsigned first, Levels& levels) {
  if (rest < level_bytes[3]) return false;
  rest -= level_bytes[3];
  std::memcpy(levels[3], begin + rest, level_bytes[3]);
  for (unsigned level = 3; level-- > first;) {
    const std::size_t emitted = popcount_of(levels[level + 1], level_bytes[level + 1]);
    if (emitted > rest) return false;
    rest -= emitted;
    restore_level(begin + rest, levels[level + 1], level_bytes[level], levels[level]);
  }
  return true;
}
