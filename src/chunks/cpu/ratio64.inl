// The chunks of dpratio: what all instruction sets have in common. A translation unit includes this inside
// its namespace and its region; before that, <algorithm>, <cstring>, core/chunk.hpp,
// backend/cpu/drop_tops.hpp, tops_payload.hpp and
//   Lanes64, word_bytes, words_per_vector          vectors of 64-bit words, as speed.inl has them
//   fold_chunk(chunk, folded, overlap)             folded residuals, and what the first drop stage makes of
//   them choose_repeated(in, bytes)                     the choice of the second one for the payload of the
//   first split_words<Stage>(words, count, keep, full, lows, bitmap)   full words to `full`, which moves on;
//   lower bits of the others to `lows`;
//                                                  which words are full; returns the end of `lows`; both may
//                                                  overshoot by a vector
//   restore_words<Stage>(full, payload, visit)     visit(word index, vector) for all words if keep is a
//   number of bits
// and levels.inl with what that needs.
// Each of the drop stages counts what it needs to choose while its words are made, and then runs over them
// once more.

using stages::DropRepeatedTops;
using stages::DropZeroTops;

constexpr std::size_t words_per_run = 64;  // as many words are packed at once
constexpr std::size_t run_bytes = words_per_run * word_bytes;

/// Full words, the packed lower bits of the others, the levels of the bitmap of full words. `words` has eight
/// readable bytes before it. Returns their bytes; may write tops_slack_bytes more.
template <class Stage>
std::size_t encode_kept(const std::uint8_t* words, std::size_t count, KeepChoice choice, std::uint8_t* out) {
  alignas(64) std::uint8_t lows[core::chunk_bytes + run_bytes];
  Levels levels;
  std::memset(levels[tops_bitmap_level], 0, level_bytes[tops_bitmap_level]);
  std::uint8_t* next_full = out;
  std::uint8_t* const lows_end =
      split_words<Stage>(words, count, choice.keep, next_full, lows, levels[tops_bitmap_level]);
  const auto low_count = static_cast<std::size_t>(lows_end - lows) / word_bytes;
  std::memset(lows_end, 0, run_bytes);
  for (std::size_t i = 0; i < low_count; i += words_per_run)
    pack<Lanes64>(lows + i * word_bytes, choice.keep, next_full + i / 8 * choice.keep);
  std::uint8_t* const packed_end = next_full + (low_count * choice.keep + 7) / 8;
  return static_cast<std::size_t>(emit_levels(levels, tops_bitmap_level, packed_end) - out);
}

/// Unpacks `count` words of `width` bits; may read tops_slack_bytes after them and write a run more.
void unpack_lows(const std::uint8_t* in, std::size_t count, unsigned width, std::uint8_t* to) {
  for (std::size_t i = 0; i < count; i += words_per_run) {
    Lanes64::Subchunk words;
    unpack<Lanes64>(in + i / 8 * width, width, words);
    for (const Lanes64::Vector& v : words) {
      Lanes64::store(to, v);
      to += sizeof(v);
    }
  }
}

/// The payload of `bytes` bytes, as chosen. Returns its bytes, of which there may be too many for a chunk;
/// may write tops_slack_bytes more.
template <class Stage>
std::size_t encode_tops(const std::uint8_t* in, std::size_t bytes, KeepChoice choice, std::uint8_t* out) {
  const std::size_t words_end = bytes / word_bytes * word_bytes;
  std::size_t out_bytes = 0;
  if (choice.keep == stages::keep_everything) {
    std::memcpy(out, in, words_end);
    out_bytes = words_end;
  } else if (choice.keep != stages::keep_nothing) {
    out_bytes = encode_kept<Stage>(in, bytes / word_bytes, choice, out);
  }
  std::memcpy(out + out_bytes, in + words_end, bytes - words_end);
  out_bytes += bytes - words_end;
  out[out_bytes] = static_cast<std::uint8_t>(choice.keep);
  core::store(out + out_bytes + 1, static_cast<std::uint16_t>(bytes));
  return out_bytes + tops_trailer_bytes;
}

/// Takes a payload apart, up to the lower bits, which are unpacked. 64 bytes before `in` and tops_slack_bytes
/// after it can be read. False if it contradicts the format.
bool read_tops(const std::uint8_t* in, std::size_t in_bytes, TopsPayload& payload) {
  if (in_bytes < tops_trailer_bytes) return false;
  payload.bytes = core::load<std::uint16_t>(in + in_bytes - 2);
  payload.keep = in[in_bytes - tops_trailer_bytes];
  payload.words = payload.bytes / word_bytes;
  const std::size_t tail_bytes = payload.bytes % word_bytes;
  if (payload.bytes > core::chunk_bytes || payload.keep > stages::keep_nothing ||
      in_bytes - tops_trailer_bytes < tail_bytes)
    return false;
  std::size_t rest = in_bytes - tops_trailer_bytes - tail_bytes;
  payload.tail = in + rest;
  if (payload.keep == stages::keep_nothing) return rest == 0;
  if (payload.keep == stages::keep_everything) return rest == payload.words * word_bytes;

  Levels& levels = payload.levels;
  if (!restore_levels(in, rest, tops_bitmap_level, levels)) return false;
  const std::uint8_t* const bitmap = levels[tops_bitmap_level];
  const std::size_t full_words = popcount_of(bitmap, level_bytes[tops_bitmap_level]);
  if (any_bit_from(bitmap, level_bytes[tops_bitmap_level], payload.words)) return false;
  const std::size_t low_count = payload.words - full_words;
  if (full_words * word_bytes + (low_count * payload.keep + 7) / 8 != rest) return false;
  unpack_lows(in + full_words * word_bytes, low_count, payload.keep, payload.lows);
  return true;
}

/// Two areas for words or a payload each, with 64 bytes before and slack after them.
struct Areas {
  explicit Areas(std::uint8_t* scratch)
      : first(scratch + 64), second(scratch + fused_scratch_bytes / 2 + 64) {
    std::memset(scratch, 0, 64);
    std::memset(second - 64, 0, 64);
  }
  std::uint8_t *first, *second;
};
static_assert(fused_scratch_bytes / 2 % 64 == 0 &&
              fused_scratch_bytes / 2 >= 64 + largest_tops_bytes + tops_slack_bytes);

std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                   core::MemoryOverlap* overlap) {
  const Areas areas(scratch);
  const KeepChoice zero_tops = fold_chunk(chunk, areas.first, overlap);
  const std::size_t bytes =
      encode_tops<DropZeroTops>(areas.first, core::chunk_bytes, zero_tops, areas.second);
  if (bytes >= core::chunk_bytes) return core::raw_chunk;
  const KeepChoice repeated_tops = choose_repeated(areas.second, bytes);
  const std::size_t total = encode_tops<DropRepeatedTops>(areas.second, bytes, repeated_tops, areas.first);
  if (total >= core::chunk_bytes) return core::raw_chunk;
  std::memcpy(out, areas.first, total);
  return total;
}

/// The payload of the second drop stage to that of the first; returns its bytes, or 0 if it contradicts the
/// format.
std::size_t decode_repeated(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out) {
  TopsPayload payload;
  if (!read_tops(in, in_bytes, payload)) return 0;
  const std::size_t words_end = payload.words * word_bytes;
  if (payload.keep == stages::keep_nothing) {
    std::memset(out, 0, words_end);
  } else if (payload.keep == stages::keep_everything) {
    std::memcpy(out, in, words_end);
  } else {
    restore_words<DropRepeatedTops>(in, payload, [&](std::size_t i, Lanes64::Vector words) {
      Lanes64::store(out + i * word_bytes, words);
    });
  }
  std::memcpy(out + words_end, payload.tail, payload.bytes - words_end);
  return payload.bytes;
}

bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
            std::uint8_t* scratch, core::MemoryOverlap* overlap) {
  if (payload_bytes > largest_tops_bytes) return false;
  const Areas areas(scratch);
  std::memcpy(areas.first, payload, payload_bytes);
  const std::size_t bytes = decode_repeated(areas.first, payload_bytes, areas.second);
  TopsPayload tops;
  if (bytes == 0 || !read_tops(areas.second, bytes, tops) || tops.bytes != core::chunk_bytes) return false;

  Lanes64::Vector carry = Lanes64::zero();
  const auto restore = [&](std::size_t i, Lanes64::Vector words) {
    Lanes64::store(chunk + i * word_bytes, Lanes64::prefix_sums(Lanes64::unfold(words), carry));
    if (i * word_bytes % core::MemoryOverlap::line_bytes == 0) carry_on(overlap, 1);
  };
  if (tops.keep == stages::keep_nothing) {
    std::memset(chunk, 0, core::chunk_bytes);
  } else if (tops.keep == stages::keep_everything) {
    for (std::size_t i = 0; i < tops.words; i += words_per_vector)
      restore(i, Lanes64::load(areas.second + i * word_bytes));
  } else {
    restore_words<DropZeroTops>(areas.second, tops, restore);
  }
  return true;
}
