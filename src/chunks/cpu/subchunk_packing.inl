// Packing and unpacking of sub-chunks: what AVX2 and NEON have in common. A translation unit includes this
// inside its namespace and its region; before that, run_packing.hpp, `vectors`, and for lanes L of it
//   pack_by_bytes<L>, pack_narrow<L>        for words of few bits
//   unpack_by_bytes<L>, unpack_by_words<L>  the inverse

/// Words that are so wide that word i of eight begins in word i of the packed bytes: each of these has bits
/// of two words.
template <class L>
void pack_by_words(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  using Vector = typename L::Vector;
  constexpr unsigned run_words = 8, per_run = run_words / L::words_per_vector;
  Vector right[per_run], left[per_run];
  for (unsigned i = 0; i < per_run; ++i) {
    right[i] = L::multiples(L::word_bits - width, i * L::words_per_vector);
    left[i] = L::sub(L::set(width), right[i]);
  }
  for (unsigned k = 0; k < vectors; k += per_run, out += width) {
    for (unsigned i = 0; i < per_run; ++i) {
      const std::uint8_t* from = words + sizeof(Vector) * (k + i);
      const Vector first = L::shift_right(L::load(from), right[i]),
                   second = L::shift_left(L::load(from + L::word_bits / 8), left[i]);
      L::store(out + sizeof(Vector) * i, L::bit_or(first, second));
    }
  }
}

/// Writes a sub-chunk with `width` bits per word. May write up to 64 bytes past the end.
template <class L>
void pack(const std::uint8_t* words, unsigned width, std::uint8_t* out) {
  const unsigned lane_bits = L::words_per_lane * width;
  if (lane_bits > largest_byte_packed_bits) return pack_by_words<L>(words, width, out);
  if (lane_bits >= smallest_byte_packed_bits) return pack_by_bytes<L>(words, width, out);
  if (width > 0) pack_narrow<L>(words, width, out);
}

/// Reads a sub-chunk. May read 8 bytes before it and 64 bytes after it.
template <class L>
void unpack(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  if (width > largest_byte_unpacked_width<typename L::Word>) return unpack_by_words<L>(in, width, words);
  if (width > 0) return unpack_by_bytes<L>(in, width, words);
  for (auto& vector : words) vector = L::zero();
}
