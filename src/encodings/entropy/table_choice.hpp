// Several tables of frequencies for a section: which runs of words have which.
#pragma once

#include <cstdint>
#include <vector>

#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_layout.hpp"
#include "encodings/scratch.hpp"

namespace floe::trees {

/// Of a section, with those that fill its last group.
inline constexpr std::size_t max_entropy_runs = section_words / entropy_run_words + 4;

struct TableChoice {
  unsigned table_bits = 0;            ///< There are 2^table_bits tables.
  std::vector<SymbolCounts> counts;   ///< The symbols of the runs that have each of them.
  std::vector<std::uint8_t> choices;  ///< Of each run; then zeros, max_entropy_runs in all.
};

/// Gathers runs whose symbols are alike, for up to 2^max_table_bits tables. One table if several save less
/// than a 256th of the section. The same on every machine.
/// Remembers what took many rounds.
TableChoice choose_tables(const std::uint8_t* symbols, std::uint32_t count, const EntropyModel& model,
                          unsigned max_table_bits, Scratch& scratch);

}  // namespace floe::trees
