// A full chunk through the pipeline Delta, ZigZag, BitPack and back: what all instruction sets have in common. A translation unit includes
// this inside its namespace and its region; before that, <algorithm>, <cstring>, core/bits.hpp and core/chunk.hpp.
//
// Residuals are folded two sub-chunks ahead of the one that is packed, because packing has to wait for the OR of all words of its
// sub-chunk. A longer lead would read the chunk in one go, and memory would idle while the rest is computed.
//
// L says how words of 32 or 64 bits lie in vectors:
//   Vector, Subchunk                 some words; the vectors of a sub-chunk
//   word_bits, width_field           bits of a word, and of a width in the header
//   load, store, zero, bit_or, max   of vectors, at any alignment
//   or_of, max_of                    over the words of a vector; or_of may leave parts of a word to be ORed in every word_bits bits
//   residuals(words, before)         the words at `words`, each less the one before; `before` is the vector before, and then this one; or,
//                                    if residuals_read_word_before, the word before is read
//   fold, unfold                     BitPack's formulas
//   Unfolding                        if there is a quicker one than PlainUnfolding below
//   prefix_sums(v, carry)            inclusive; `carry` is the last word before in every place, and then the last word of this vector
// Besides L there must be subchunks and subchunk_bytes, both per full chunk, and
//   pack<L>(words, width, out)       a sub-chunk, aligned to 64; may write 64 bytes past the packed words
//   unpack<L>(in, width, subchunk)   may read 8 bytes before the packed words and 64 after them
//   carry_on(traffic, lines)         core::MemoryTraffic::advance, if there is traffic

template <class L>
constexpr std::size_t header_bytes = 4 + 2 + subchunks* L::width_field / 8;

/// Bytes of a sub-chunk's words per bit of their width.
template <class L>
constexpr std::size_t bytes_per_bit = subchunk_bytes / L::word_bits;

/// Folds the residuals of sub-chunk `s` into `folded` and returns the OR of them; `before` as L::residuals has it.
template <class L>
std::uint64_t fold_residuals(const std::uint8_t* chunk, unsigned s, std::uint8_t* folded, typename L::Vector& before) {
  using Vector = typename L::Vector;
  const std::uint8_t* words = chunk + s * subchunk_bytes;
  alignas(64) std::uint8_t first_subchunk[64 + subchunk_bytes];  // with the zero before it
  if (L::residuals_read_word_before && s == 0) {
    std::memset(first_subchunk, 0, 64);
    words = static_cast<std::uint8_t*>(std::memcpy(first_subchunk + 64, chunk, subchunk_bytes));
  }
  Vector all = L::zero();
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
    const Vector y = L::fold(L::residuals(words + i, before));
    L::store(folded + i, y);
    all = L::bit_or(all, y);
  }
  return L::or_of(all);
}

/// The ORs of word_bits bits each in one word.
template <class L>
constexpr std::uint64_t word_of_ors(std::uint64_t ors) {
  return L::word_bits == 32 ? (ors | ors >> 32) & 0xFFFFFFFF : ors;
}

template <class L>
constexpr bool has_top_bit(std::uint64_t word) {
  return word >> (L::word_bits - 1) != 0;
}

/// Folds a sub-chunk that has a word with the top bit set once more if that makes its largest word smaller; `all` is the OR of its words
/// and becomes that of the new ones. Returns whether it did.
template <class L>
bool fold_again(std::uint8_t* subchunk, std::uint64_t& all) {
  using Vector = typename L::Vector;
  Vector ors = L::zero();
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) ors = L::bit_or(ors, L::fold(L::load(subchunk + i)));
  const std::uint64_t all_again = word_of_ors<L>(L::or_of(ors));
  if (has_top_bit<L>(all_again)) {  // otherwise the new words are smaller in any case
    Vector largest = L::zero(), largest_again = largest;
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const Vector words = L::load(subchunk + i);
      largest = L::max(largest, words);
      largest_again = L::max(largest_again, L::fold(words));
    }
    if (L::max_of(largest_again) >= L::max_of(largest)) return false;
  }
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) L::store(subchunk + i, L::fold(L::load(subchunk + i)));
  all = all_again;
  return true;
}

/// Flags, length and widths.
template <class L>
void write_header(std::uint8_t* out, std::uint32_t folded, const std::uint8_t* widths) {
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  std::memcpy(out, &folded, 4);
  std::memcpy(out + 4, &length, 2);
  for (unsigned group = 0; group < subchunks; group += 8) {  // eight widths fill width_field bytes
    std::uint64_t fields = 0;
    for (unsigned i = 0; i < 8; ++i) fields |= std::uint64_t{widths[group + i]} << (i * L::width_field);
    std::memcpy(out + 6 + group / 8 * L::width_field, &fields, L::width_field);
  }
}

template <class L>
std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch, core::MemoryTraffic* traffic) {
  constexpr unsigned lead = 2, ring = 4;  // sub-chunks in `scratch`; a power of two above the lead
  std::uint64_t ors[ring];
  typename L::Vector before = L::zero();
  const auto folded = [&](unsigned s) { return scratch + s % ring * subchunk_bytes; };
  for (unsigned s = 0; s < lead; ++s) ors[s] = fold_residuals<L>(chunk, s, folded(s), before);

  std::uint8_t* to = out;
  std::size_t total = header_bytes<L>;
  std::uint8_t widths[subchunks];
  std::uint32_t folded_again = 0;
  for (unsigned s = 0; s < subchunks; ++s) {
    const unsigned ahead = s + lead;
    if (ahead < subchunks) ors[ahead % ring] = fold_residuals<L>(chunk, ahead, folded(ahead), before);
    std::uint64_t all = word_of_ors<L>(ors[s % ring]);
    if (has_top_bit<L>(all)) [[unlikely]] {
      folded_again |= static_cast<std::uint32_t>(fold_again<L>(folded(s), all)) << s;
    }
    widths[s] = static_cast<std::uint8_t>(core::bit_length(all));
    const std::size_t bytes = widths[s] * bytes_per_bit<L>;
    if (total + bytes + 64 > core::chunk_bytes) [[unlikely]] {  // stores overshoot by up to 64 bytes, which must not leave the output
      if (total + bytes >= core::chunk_bytes) return core::raw_chunk;
      if (to == out) to = static_cast<std::uint8_t*>(std::memcpy(scratch + ring * subchunk_bytes, out, total));
    }
    pack<L>(folded(s), widths[s], to + total);
    carry_on(traffic, subchunk_bytes / 64);
    total += bytes;
  }
  write_header<L>(to, folded_again, widths);
  if (to != out) std::memcpy(out, to, total);
  return total;
}

/// Flags and widths of a payload; false if they contradict its length.
template <class L>
bool read_header(const std::uint8_t* payload, std::size_t payload_bytes, std::uint32_t& folded, std::uint8_t* widths) {
  if (payload_bytes < header_bytes<L>) return false;
  std::uint16_t length;
  std::memcpy(&folded, payload, 4);
  std::memcpy(&length, payload + 4, 2);
  if (length != core::chunk_bytes) return false;
  std::size_t total = header_bytes<L>;
  for (unsigned group = 0; group < subchunks; group += 8) {
    std::uint64_t fields = 0;
    std::memcpy(&fields, payload + 6 + group / 8 * L::width_field, L::width_field);
    for (unsigned i = 0; i < 8; ++i) widths[group + i] = fields >> (i * L::width_field) & ((1u << L::width_field) - 1);
  }
  for (unsigned s = 0; s < subchunks; ++s) {
    if (widths[s] > L::word_bits) return false;
    total += widths[s] * bytes_per_bit<L>;
  }
  return total == payload_bytes;
}

/// What makes residuals of the words of a sub-chunk that were folded once, or twice.
template <class L>
struct PlainUnfolding {
  bool twice;
  typename L::Vector operator()(typename L::Vector y) const { return L::unfold(twice ? L::unfold(y) : y); }
};
template <class L>
auto unfolding_of(bool twice) {
  if constexpr (requires { typename L::Unfolding; }) {
    return typename L::Unfolding(twice);
  } else {
    return PlainUnfolding<L>{twice};
  }
}

template <class L>
bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk, core::MemoryTraffic* traffic) {
  using Vector = typename L::Vector;
  std::uint32_t folded_again;
  std::uint8_t widths[subchunks];
  if (!read_header<L>(payload, payload_bytes, folded_again, widths)) return false;

  // Loads overshoot. The sub-chunks near the end are read from a copy that has room around it.
  alignas(64) std::uint8_t end_copy[64 + subchunk_bytes + 2 * 64];
  const std::uint8_t* in = payload + header_bytes<L>;
  const std::uint8_t* end = payload + payload_bytes;
  Vector carry = L::zero();
  for (unsigned s = 0; s < subchunks; ++s) {
    const std::size_t bytes = widths[s] * bytes_per_bit<L>;
    const auto rest = static_cast<std::size_t>(end - in);
    if (rest < bytes + 64) {
      std::memset(end_copy, 0, sizeof end_copy);
      std::memcpy(end_copy + 64, in, rest);
      in = end_copy + 64;
      end = end_copy + sizeof end_copy;
    }
    typename L::Subchunk words;
    unpack<L>(in, widths[s], words);
    const auto unfolding = unfolding_of<L>((folded_again >> s & 1) != 0);
    for (std::size_t k = 0; k < std::size(words); ++k) {
      L::store(chunk + s * subchunk_bytes + k * sizeof(Vector), L::prefix_sums(unfolding(words[k]), carry));
    }
    carry_on(traffic, subchunk_bytes / 64);
    in += bytes;
  }
  return true;
}
