// The sections of a payload of entropy: one thread reads their headers, a warp their frequencies, and a block
// makes the table that states are looked up in.
#pragma once

#include "encodings/entropy/section_layout.hpp"
#include "gpu/decode/open_tree.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// Where a payload lies in a segment, and of how many words it is.
struct EntropyPayload {
  const std::uint8_t* bytes;  ///< Of the segment.
  std::uint32_t at, end, words;

  [[nodiscard]] FLOE_DEVICE std::uint32_t unit() const {
    return static_cast<std::uint32_t>(trees::entropy_unit(words));
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t section_count() const {
    return static_cast<std::uint32_t>(trees::section_count(words));
  }
  /// The first number that is not less than `at` and that units begin at.
  [[nodiscard]] FLOE_DEVICE std::uint32_t aligned(std::uint32_t offset) const {
    return (offset + unit() - 1) / unit() * unit();
  }
};

/// What is known of a section. Offsets are those in the segment.
struct EntropySection {
  trees::SectionHeader header;
  std::uint32_t begin, end, words;
  std::uint32_t table_at;
  std::uint32_t choices_at;  ///< If there are several tables.
  std::uint32_t directory_at, blocks_at;
  std::uint8_t table_bits;  ///< There are 2^table_bits tables of frequencies.
  bool is_sound;
  bool has_equal_counts;  ///< All words have the same number of extra bits.

  [[nodiscard]] FLOE_DEVICE std::uint32_t block_count() const {
    return (words - 1) / (1u << header.block_bits) + 1;
  }
};

/// A block of a section, for the warp that decodes it.
struct EntropyBlock {
  const std::uint8_t* states;
  std::uint32_t bytes;         ///< Of states, extra bits and words.
  std::uint32_t extra_words;   ///< 32-bit words of extra bits.
  std::uint32_t first, words;  ///< Of the section.
  bool is_sound;
};

/// In shared memory: a section and its codes.
struct alignas(16) EntropyTable {
  EntropySection section;
  std::uint32_t symbols[trees::entropy_symbols];           ///< Frequency << 16 | the sum of those before.
  std::uint32_t entries[1 << trees::long_frequency_bits];  ///< frequency << 20 | offset in it << 8 | symbol.
};
/// Of a table whose entries have one byte, or that is for short frequencies.
inline constexpr std::uint32_t small_entropy_table_bytes =
    static_cast<std::uint32_t>(sizeof(EntropyTable) - sizeof EntropyTable::entries) +
    (1u << trees::long_frequency_bits);
/// Of a table for frequencies of no more bits.
FLOE_HD constexpr std::uint32_t entropy_table_bytes(unsigned frequency_bits) {
  return static_cast<std::uint32_t>(sizeof(EntropyTable) - sizeof EntropyTable::entries) +
         (4u << frequency_bits);
}

/// Finds section `index` and reads its header, by one thread.
template <core::Word W>
FLOE_DEVICE void read_section(const EntropyPayload& payload, std::uint32_t index, bool may_have_tables,
                              EntropySection& section) {
  const std::uint32_t sections = payload.section_count(), size = payload.end - payload.at;
  section.is_sound = false;
  std::uint32_t begin = 0, end = size;
  if (sections > 1) {
    if (std::uint64_t{4} * sections > size) return;
    const auto end_of = [&](std::uint32_t i) {
      return load_word<std::uint32_t>(payload.bytes + payload.at + 4 * std::uint64_t{i});
    };
    const std::uint64_t begin_unit =
        index == 0 ? payload.aligned(4 * sections) / payload.unit() : end_of(index - 1);
    const std::uint64_t end_unit = end_of(index), all_units = size / payload.unit();
    if (begin_unit >= end_unit || end_unit > all_units) return;
    if (begin_unit < payload.aligned(4 * sections) / payload.unit()) return;
    begin = static_cast<std::uint32_t>(begin_unit) * payload.unit();
    if (index + 1 < sections) {
      end = static_cast<std::uint32_t>(end_unit) * payload.unit();
    } else if (end_unit * payload.unit() != size) {
      return;
    }
  }
  section.begin = payload.at + begin;
  section.end = payload.at + end;
  const std::uint64_t first_word = std::uint64_t{index} * trees::section_words;
  section.words = static_cast<std::uint32_t>(
      payload.words - first_word < trees::section_words ? payload.words - first_word : trees::section_words);
  HeaderReader reader{payload.bytes, section.begin, section.end};
  const std::uint8_t control = reader.get_byte(), raw = reader.get_byte(), block_bits = reader.get_byte();
  section.header.set(control, raw, block_bits);
  section.header.model.base = reader.get_signed(core::word_bits<W>);
  section.table_bits = section.header.has_tables ? reader.get_byte() : 0;
  section.table_at = reader.at;
  reader.skip(2);
  section.is_sound = !reader.failed && section.header.is_valid(payload.unit(), may_have_tables) &&
                     (section.table_bits > 0) == section.header.has_tables &&
                     section.table_bits <= trees::max_entropy_table_bits;
}

/// Reads a table of frequencies of a section whose header was read, from offset `table_at` of the segment on,
/// to `symbols`, by a warp. Returns to all where it ends; 0 if it is not on the page of the format.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t read_frequencies(Warp& warp, const EntropyPayload& payload, EntropySection& section,
                                           std::uint32_t table_at, std::uint32_t* symbols) {
  constexpr unsigned per_lane = trees::entropy_symbols / warp_lanes, length_bits = 4;
  if (section.end - table_at < 2) return 0;
  const trees::SectionHeader& header = section.header;
  const std::uint8_t* const at = payload.bytes + table_at;
  const std::uint32_t first = at[0], last = at[1], count = last - first + 1,
                      room = 8 * (section.end - table_at - 2);
  for (unsigned i = 0; i < per_lane; ++i) symbols[warp.lane() + i * warp_lanes] = 0;
  warp.sync();
  if (first > last || length_bits * count > room) return 0;
  const std::uint32_t own_first = per_lane * warp.lane(), own = own_first >= count ? 0
                                                                : count - own_first < per_lane
                                                                    ? count - own_first
                                                                    : per_lane;
  const auto lengths =
      static_cast<std::uint32_t>(load_bits(at + 2, length_bits * own_first, length_bits * own));
  std::uint32_t bits = 0;
  FLOE_UNROLL
  for (unsigned i = 0; i < per_lane; ++i) {
    const std::uint32_t length = lengths >> (length_bits * i) & 15;
    bits += length > 1 ? length - 1 : 0;
  }
  const std::uint32_t inclusive_bits = inclusive_scan(warp, bits),
                      all_bits = length_bits * count + warp.shuffle(inclusive_bits, warp_lanes - 1);
  if (all_bits > room) return 0;
  std::uint32_t position = length_bits * count + inclusive_bits - bits, sum = 0, frequencies[per_lane];
  bool bad = false, drops = false;
  FLOE_UNROLL
  for (unsigned i = 0; i < per_lane; ++i) {
    const std::uint32_t symbol = first + own_first + i;
    const std::uint32_t length = lengths >> (length_bits * i) & 15, lower = length > 1 ? length - 1 : 0;
    frequencies[i] =
        length == 0 ? 0 : 1u << lower | static_cast<std::uint32_t>(load_bits(at + 2, position, lower));
    position += lower;
    sum += frequencies[i];
    if (frequencies[i] == 0) continue;
    bad = bad || frequencies[i] >> header.frequency_bits != 0 ||
          !trees::is_symbol_of_words(symbol, header.model.mantissa_bits, header.model.raw_bits,
                                     core::word_bits<W>);
    drops = drops || trees::dropped_bits_of_symbol(symbol, header.model.mantissa_bits) > 0;
  }
  const std::uint32_t inclusive = inclusive_scan(warp, sum);
  if (warp.shuffle(inclusive, warp_lanes - 1) != 1u << header.frequency_bits || warp.ballot(bad) != 0)
    return 0;
  std::uint32_t before = inclusive - sum;
  FLOE_UNROLL
  for (unsigned i = 0; i < per_lane; ++i) {
    if (i < own) symbols[first + own_first + i] = frequencies[i] << 16 | before;
    before += frequencies[i];
  }
  const bool any_drops = warp.ballot(drops) != 0;
  if (warp.lane() == 0) section.has_equal_counts = !any_drops;
  warp.sync();
  return table_at + 2 + (all_bits + 7) / 8;
}

/// Finds the directory of a section, which begins behind offset `end` of the segment, by all lanes. False if
/// there is no room for it.
template <core::Word W, class Warp>
FLOE_DEVICE bool find_directory(Warp& warp, const EntropyPayload& payload, EntropySection& section,
                                std::uint32_t end) {
  const std::uint32_t directory = payload.aligned(end - section.begin);
  const std::uint32_t blocks =
      payload.aligned(directory + static_cast<std::uint32_t>(trees::directory_bytes(
                                      section.block_count(), payload.unit(), sizeof(W))));
  if (blocks > section.end - section.begin) return false;
  if (warp.lane() == 0) {
    section.directory_at = section.begin + directory;
    section.blocks_at = section.begin + blocks;
  }
  return true;
}

/// Makes the entries of a table whose symbols are known, by all threads of a block. `are_bytes`: those for
/// long frequencies are nothing but symbols.
template <bool are_bytes = false, class Block>
FLOE_DEVICE void fill_entries(Block& block, EntropyTable& table) {
  const bool are_symbols = are_bytes && table.section.header.frequency_bits == trees::long_frequency_bits;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(table.entries);
  for (unsigned symbol = block.warp_index(); symbol < trees::entropy_symbols; symbol += block.warp_count()) {
    const std::uint32_t code = table.symbols[symbol], frequency = code >> 16, first = code & 0xFFFF;
    for (std::uint32_t i = block.warp().lane(); i < frequency; i += warp_lanes) {
      if (are_symbols) {
        bytes[first + i] = static_cast<std::uint8_t>(symbol);
      } else {
        table.entries[first + i] = frequency << 20 | i << 8 | symbol;
      }
    }
  }
}

/// Opens section `index` of a payload, by all threads of a block, none of which uses the table any more,
/// which has room for frequencies of some bits. True for all if it is sound; begins and ends with a barrier.
template <core::Word W, bool are_bytes = false, class Block>
FLOE_DEVICE bool open_section(Block& block, const EntropyPayload& payload, std::uint32_t index,
                              EntropyTable& table, unsigned frequency_bits = trees::long_frequency_bits) {
  block.sync();
  if (block.warp_index() == 0) {
    auto& warp = block.warp();
    EntropySection& section = table.section;
    if (warp.lane() == 0) read_section<W>(payload, index, false, section);
    warp.sync();
    bool is_sound = section.is_sound && section.header.frequency_bits <= frequency_bits;
    if (is_sound) {
      const std::uint32_t end = read_frequencies<W>(warp, payload, section, section.table_at, table.symbols);
      is_sound = end != 0 && find_directory<W>(warp, payload, section, end);
    }
    warp.sync();
    if (warp.lane() == 0) table.section.is_sound = is_sound;
  }
  block.sync();
  if (!table.section.is_sound) return false;
  fill_entries<are_bytes>(block, table);
  block.sync();
  return true;
}

/// Block `index` of a section.
FLOE_DEVICE EntropyBlock find_block(const EntropyPayload& payload, const EntropySection& section,
                                    std::uint32_t index) {
  const std::uint8_t* const entry =
      payload.bytes + section.directory_at + trees::directory_entry_bytes * std::uint64_t{index};
  const std::uint32_t blocks = section.block_count(), size = section.end - section.begin,
                      begin = load_word<std::uint16_t>(entry) * payload.unit(),
                      end = index + 1 == blocks
                                ? size
                                : load_word<std::uint16_t>(entry + trees::directory_entry_bytes) *
                                      payload.unit();
  EntropyBlock block;
  block.extra_words = load_word<std::uint16_t>(entry + 2);
  block.first = index << section.header.block_bits;
  block.words = index + 1 == blocks ? section.words - block.first : 1u << section.header.block_bits;
  block.states = payload.bytes + section.begin + begin;
  block.bytes = end - begin;
  block.is_sound = begin >= section.blocks_at - section.begin && end <= size && begin <= end &&
                   (4u << section.header.lane_bits) + 4 * block.extra_words <= block.bytes;
  return block;
}

}  // namespace floe::gpu
