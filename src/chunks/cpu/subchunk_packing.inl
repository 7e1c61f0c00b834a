// Packing and unpacking of sub-chunks: what AVX2 and NEON have in common. A translation unit includes this
// inside its namespace and its region; before that, run_packing.hpp, `vectors`, and for lanes L of it
//   pack_by_bytes<L>, pack_narrow<L>        for words of few bits
//   unpack_by_bytes<L>, unpack_by_words<L>  the inverse
// Words of 8 and 16 bits are unpacked as words of 32 bits that hold neighbours side by side, and packed so if
// their lanes do not fit bytes:
//   join32(v, width), split(v, width)       a vector of words of `width` bits to one of Lanes<32>, and back

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
  if (lane_bits >= smallest_byte_packed_bits && lane_bits <= largest_byte_packed_bits)
    return pack_by_bytes<L>(words, width, out);
  if constexpr (L::word_bits < 32) {
    constexpr std::size_t vector_bytes = sizeof(typename L::Vector);
    alignas(64) std::uint8_t joined[subchunk_bytes + vector_bytes];
    Lanes<32>::store(joined + subchunk_bytes, Lanes<32>::zero());  // what follows the last word is read
    for (std::size_t at = 0; at < subchunk_bytes; at += vector_bytes)
      Lanes<32>::store(joined + at, L::join32(L::load(words + at), width));
    pack<Lanes<32>>(joined, words_per_unpacked<L> * width, out);
  } else {
    if (lane_bits > largest_byte_packed_bits) return pack_by_words<L>(words, width, out);
    if (width > 0) pack_narrow<L>(words, width, out);
  }
}

/// Reads a sub-chunk. May read 8 bytes before it and 64 bytes after it.
template <class L>
void unpack(const std::uint8_t* in, unsigned width, typename L::Subchunk& words) {
  if (width == 0) {
    for (auto& vector : words) vector = L::zero();
  } else if (words_per_unpacked<L> * width <= largest_byte_unpacked_width<UnpackedWord<L>>) {
    unpack_by_bytes<L>(in, width, words);
  } else if constexpr (L::word_bits < 32) {
    Lanes<32>::Subchunk joined;
    unpack_by_words<Lanes<32>>(in, words_per_unpacked<L> * width, joined);
    for (unsigned k = 0; k < vectors; ++k) words[k] = L::split(joined[k], width);
  } else {
    unpack_by_words<L>(in, width, words);
  }
}
