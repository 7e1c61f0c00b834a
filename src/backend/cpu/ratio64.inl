// The chunks of dpratio: what all instruction sets have in common. A translation unit includes this inside its namespace and its region;
// before that, <algorithm>, <cstring>, core/chunk.hpp, backend/cpu/drop_tops.hpp, tops_payload.hpp and
//   Lanes64, word_bytes, words_per_vector          vectors of 64-bit words, as speed.inl has them
//   fold_chunk(chunk, folded, traffic)             folded residuals, and what the first drop stage makes of them
//   choose_repeated(in, bytes)                     the choice of the second one for the payload of the first
//   encode_kept<Stage>(words, count, choice, out)  full words, packed lower bits of the others, levels of the bitmap of full words; returns
//                                                  their bytes; may write tops_slack_bytes more
//   unpack_lows(in, count, width, to)              may read tops_slack_bytes too much
//   restore_words<Stage>(full, payload, visit)     visit(word index, vector) for all words if keep is a number of bits
//   emit_level, restore_level                      as ratio32.inl has them
// Each of the drop stages counts what it needs to choose while its words are made, and then runs over them once more.

using stages::DropRepeatedTops;
using stages::DropZeroTops;

/// The payload of `bytes` bytes, as chosen. Returns its bytes, of which there may be too many for a chunk; may write tops_slack_bytes more.
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

/// Takes a payload apart, up to the lower bits, which are unpacked. 64 bytes before `in` and tops_slack_bytes after it can be read. False
/// if it contradicts the format.
bool read_tops(const std::uint8_t* in, std::size_t in_bytes, TopsPayload& payload) {
  if (in_bytes < tops_trailer_bytes) return false;
  payload.bytes = core::load<std::uint16_t>(in + in_bytes - 2);
  payload.keep = in[in_bytes - tops_trailer_bytes];
  payload.words = payload.bytes / word_bytes;
  const std::size_t tail_bytes = payload.bytes % word_bytes;
  if (payload.bytes > core::chunk_bytes || payload.keep > stages::keep_nothing || in_bytes - tops_trailer_bytes < tail_bytes) return false;
  std::size_t rest = in_bytes - tops_trailer_bytes - tail_bytes;
  payload.tail = in + rest;
  if (payload.keep == stages::keep_nothing) return rest == 0;
  if (payload.keep == stages::keep_everything) return rest == payload.words * word_bytes;

  Levels& levels = payload.levels;
  if (rest < level_bytes[3]) return false;
  rest -= level_bytes[3];
  std::memcpy(levels[3], in + rest, level_bytes[3]);
  for (unsigned level = 3; level-- > tops_bitmap_level;) {
    const std::size_t emitted = popcount_of(levels[level + 1], level_bytes[level + 1]);
    if (emitted > rest) return false;
    rest -= emitted;
    restore_level(in + rest, levels[level + 1], level_bytes[level], levels[level]);
  }
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
  explicit Areas(std::uint8_t* scratch) : first(scratch + 64), second(scratch + fused_scratch_bytes / 2 + 64) {
    std::memset(scratch, 0, 64);
    std::memset(second - 64, 0, 64);
  }
  std::uint8_t *first, *second;
};
static_assert(fused_scratch_bytes / 2 % 64 == 0 && fused_scratch_bytes / 2 >= 64 + largest_tops_bytes + tops_slack_bytes);

std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, core::MemoryTraffic* traffic) {
  const Areas areas(scratch);
  const KeepChoice zero_tops = fold_chunk(chunk, areas.first, traffic);
  const std::size_t bytes = encode_tops<DropZeroTops>(areas.first, core::chunk_bytes, zero_tops, areas.second);
  if (bytes >= core::chunk_bytes) return core::raw_chunk;
  const KeepChoice repeated_tops = choose_repeated(areas.second, bytes);
  const std::size_t total = encode_tops<DropRepeatedTops>(areas.second, bytes, repeated_tops, areas.first);
  if (total >= core::chunk_bytes) return core::raw_chunk;
  std::memcpy(out, areas.first, total);
  return total;
}

/// The payload of the second drop stage to that of the first; returns its bytes, or 0 if it contradicts the format.
std::size_t decode_repeated(const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out) {
  TopsPayload payload;
  if (!read_tops(in, in_bytes, payload)) return 0;
  const std::size_t words_end = payload.words * word_bytes;
  if (payload.keep == stages::keep_nothing) {
    std::memset(out, 0, words_end);
  } else if (payload.keep == stages::keep_everything) {
    std::memcpy(out, in, words_end);
  } else {
    restore_words<DropRepeatedTops>(in, payload,
                                    [&](std::size_t i, Lanes64::Vector words) { Lanes64::store(out + i * word_bytes, words); });
  }
  std::memcpy(out + words_end, payload.tail, payload.bytes - words_end);
  return payload.bytes;
}

bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, std::uint8_t* scratch,
            core::MemoryTraffic* traffic) {
  if (payload_bytes > largest_tops_bytes) return false;
  const Areas areas(scratch);
  std::memcpy(areas.first, payload, payload_bytes);
  const std::size_t bytes = decode_repeated(areas.first, payload_bytes, areas.second);
  TopsPayload tops;
  if (bytes == 0 || !read_tops(areas.second, bytes, tops) || tops.bytes != core::chunk_bytes) return false;

  Lanes64::Vector carry = Lanes64::zero();
  const auto restore = [&](std::size_t i, Lanes64::Vector words) {
    Lanes64::store(chunk + i * word_bytes, Lanes64::prefix_sums(Lanes64::unfold(words), carry));
    if (i * word_bytes % core::MemoryTraffic::line_bytes == 0) carry_on(traffic, 1);
  };
  if (tops.keep == stages::keep_nothing) {
    std::memset(chunk, 0, core::chunk_bytes);
  } else if (tops.keep == stages::keep_everything) {
    for (std::size_t i = 0; i < tops.words; i += words_per_vector) restore(i, Lanes64::load(areas.second + i * word_bytes));
  } else {
    restore_words<DropZeroTops>(areas.second, tops, restore);
  }
  return true;
}
