// Sections with several tables of frequencies, of which each run of 64 words has chosen one. Entries of
// states for all tables take too much shared memory. A table of 12 bits has a byte for each state, or for
// each two of them if there are eight tables: the first symbol that is there. What it needs besides stands
// with symbols. And what warps have in registers of a section, with one table or several.
#pragma once

#include "gpu/entropy/entropy_section.hpp"
#include "gpu/warp/shared_bytes.hpp"

namespace floe::gpu {

/// In shared memory: a section and the codes of all tables. With 8 bits `first.entries` are those of all
/// tables one behind the other; with 12 bits that is where the bytes are.
struct EntropyTables {
  static constexpr unsigned max_tables = 1u << trees::max_entropy_table_bits;
  EntropyTable first;
  std::uint32_t symbols[max_tables][trees::entropy_symbols];              ///< As EntropyTable::symbols.
  std::uint8_t choices[trees::section_words / trees::entropy_run_words];  ///< 0 behind the last run.
};
static_assert(sizeof(EntropyTables) % 16 == 0);

/// Of table entries of 12 bits, how many states share a byte, as a shift.
FLOE_HD constexpr unsigned shared_state_bits(unsigned table_bits) { return table_bits > 2 ? 1 : 0; }
static_assert((std::size_t{1} << (trees::max_entropy_table_bits + trees::long_frequency_bits)) >>
                  shared_state_bits(trees::max_entropy_table_bits) ==
              sizeof EntropyTable::entries);

/// Reads all tables of a section whose header was read, by a warp. Returns to all where choices begin; 0 if a
/// table is not on the page of the format.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t read_tables(Warp& warp, const EntropyPayload& payload, EntropyTables& tables) {
  EntropySection& section = tables.first.section;
  std::uint32_t at = section.table_at;
  for (unsigned i = 0; i < 1u << section.table_bits; ++i) {
    at = read_frequencies<W>(warp, payload, section, at, tables.symbols[i]);
    if (at == 0) return 0;
  }
  return at;
}

/// Makes the entries of all tables, and takes choices apart, by all threads.
template <class Block>
FLOE_DEVICE void fill_tables(Block& block, const EntropyPayload& payload, EntropyTables& tables) {
  const EntropySection& section = tables.first.section;
  const unsigned count = 1u << section.table_bits;
  const bool is_short = section.header.frequency_bits == trees::short_frequency_bits;
  const unsigned shift = shared_state_bits(section.table_bits);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(tables.first.entries);
  for (unsigned code = block.warp_index(); code < count * trees::entropy_symbols;
       code += block.warp_count()) {
    const unsigned table = code / trees::entropy_symbols, symbol = code % trees::entropy_symbols;
    const std::uint32_t frequency = tables.symbols[table][symbol] >> 16,
                        first = tables.symbols[table][symbol] & 0xFFFF;
    for (std::uint32_t i = block.warp().lane(); i < frequency; i += warp_lanes) {
      const std::uint32_t state = first + i, position = table << section.header.frequency_bits | state;
      if (is_short) {
        tables.first.entries[position] = frequency << 20 | i << 8 | symbol;
      } else if ((state & ((1u << shift) - 1)) == 0) {
        bytes[position >> shift] = static_cast<std::uint8_t>(symbol);
      }
    }
  }
  const std::uint32_t runs = (section.words + trees::entropy_run_words - 1) / trees::entropy_run_words;
  for (std::uint32_t run = block.rank(); run < sizeof tables.choices; run += block.size())
    tables.choices[run] = static_cast<std::uint8_t>(load_bits(
        payload.bytes + section.choices_at, run * section.table_bits, run < runs ? section.table_bits : 0u));
}

/// Opens section `index` of a payload of multi_entropy, as open_section does.
template <core::Word W, class Block>
FLOE_DEVICE bool open_section_of_tables(Block& block, const EntropyPayload& payload, std::uint32_t index,
                                        EntropyTables& tables) {
  EntropySection& section = tables.first.section;
  block.sync();
  if (block.warp_index() == 0) {
    auto& warp = block.warp();
    if (warp.lane() == 0) read_section<W>(payload, index, true, section);
    warp.sync();
    bool is_sound = section.is_sound;
    if (is_sound && section.table_bits == 0) {
      const std::uint32_t end =
          read_frequencies<W>(warp, payload, section, section.table_at, tables.first.symbols);
      is_sound = end != 0 && find_directory<W>(warp, payload, section, end);
    } else if (is_sound) {
      const std::uint32_t at = read_tables<W>(warp, payload, tables),
                          runs = (section.words + trees::entropy_run_words - 1) / trees::entropy_run_words,
                          bytes = (runs * section.table_bits + 7) / 8;
      if (warp.lane() == 0) section.choices_at = at;
      is_sound =
          at != 0 && bytes <= section.end - at && find_directory<W>(warp, payload, section, at + bytes);
    }
    warp.sync();
    if (warp.lane() == 0) section.is_sound = is_sound;
  }
  block.sync();
  if (!section.is_sound) return false;
  if (section.table_bits == 0) {
    fill_entries(block, tables.first);
  } else {
    fill_tables(block, payload, tables);
  }
  block.sync();
  return true;
}

/// What sections are decoded by code of their own. `long_codes`, `short_codes`: frequencies of so many bits;
/// `small_table`: long ones, whose entries have one byte; `halves`: the same as short_codes, and rotated
/// words of 16 bits, of which symbols have the upper half; `several`: several tables. All of these have 32
/// lanes, and blocks that begin and end at multiples of 16; `any` and `any_of_tables` need not.
enum class EntropyShape : std::uint8_t {
  any,
  any_of_tables,
  long_codes,
  small_table,
  short_codes,
  halves,
  several
};

/// What the warps of a section have in registers.
template <core::Word W, EntropyShape shape>
struct EntropyCode {
  static constexpr bool has_tables = shape == EntropyShape::several || shape == EntropyShape::any_of_tables;
  static constexpr bool is_general = shape == EntropyShape::any || shape == EntropyShape::any_of_tables;
  static constexpr unsigned fixed_bits =
      shape == EntropyShape::long_codes || shape == EntropyShape::small_table ? trees::long_frequency_bits
                                                                              : trees::short_frequency_bits;
  trees::EntropyMode mode;
  bool is_usual;  ///< Offsets are folded around 0.
  std::uint8_t lane_bits, frequency_bits, shared_state_bits;
  unsigned mantissa_bits, raw_bits;
  W base;
  SharedBytes entries;
  SharedBytes symbols;  ///< If entries have one byte, or it has tables.
  SharedBytes choices;  ///< If it has tables: those of EntropyTables.

  FLOE_DEVICE explicit EntropyCode(EntropyTable& table)
      : mode(table.section.header.model.mode),
        is_usual(mode == trees::EntropyMode::folded && static_cast<W>(table.section.header.model.base) == 0),
        lane_bits(static_cast<std::uint8_t>(table.section.header.lane_bits)),
        frequency_bits(static_cast<std::uint8_t>(table.section.header.frequency_bits)),
        shared_state_bits(static_cast<std::uint8_t>(gpu::shared_state_bits(table.section.table_bits))),
        mantissa_bits(table.section.header.model.mantissa_bits),
        raw_bits(table.section.header.model.raw_bits),
        base(static_cast<W>(table.section.header.model.base)),
        entries(SharedBytes(reinterpret_cast<std::uint8_t*>(table.entries)).kept()) {
    if constexpr (shape == EntropyShape::small_table)
      symbols = SharedBytes(reinterpret_cast<std::uint8_t*>(table.symbols)).kept();
  }
  FLOE_DEVICE void set_tables(EntropyTables& tables) {
    symbols = SharedBytes(reinterpret_cast<std::uint8_t*>(tables.symbols)).kept();
    choices = SharedBytes(tables.choices).kept();
  }
  [[nodiscard]] FLOE_DEVICE unsigned lanes() const { return is_general ? 1u << lane_bits : warp_lanes; }
  [[nodiscard]] FLOE_DEVICE unsigned bits() const {
    return is_general || has_tables ? frequency_bits : fixed_bits;
  }
};

/// The shape of a section that was opened.
template <core::Word W>
FLOE_DEVICE EntropyShape shape_of(const EntropySection& section) {
  const trees::SectionHeader& header = section.header;
  if (header.frequency_bits == trees::long_frequency_bits) return EntropyShape::long_codes;
  const bool is_of_halves = sizeof(W) == 2 && header.model.mode == trees::EntropyMode::rotated &&
                            section.has_equal_counts && header.model.raw_bits == 8;
  return is_of_halves ? EntropyShape::halves : EntropyShape::short_codes;
}

/// The words of a lane of a group, from word `first` of a block on. `is_full`: all lanes have all words;
/// otherwise `left` words, or more, are left from there on.
template <core::Word W, bool is_full>
struct GroupWords {
  static constexpr unsigned steps = trees::entropy_steps<W>;
  std::uint32_t first, left = steps;
  W word[steps];
};

}  // namespace floe::gpu
