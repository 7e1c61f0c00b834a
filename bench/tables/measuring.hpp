// How are results of encoding columns measured and printed? One CSV line per result: table, row, quantity,
// value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/encode/group_encoder.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::bench {

using Packs = std::vector<rows::Words>;

void print(const char* table, const std::string& row, const char* quantity, double value);

/// Seconds of the processor, not of the clock: others share the machine. The shortest of several runs.
double best_seconds_of(int runs, const std::function<void()>& work);
/// The same of the clock, for work of several threads.
double best_elapsed_seconds_of(int runs, const std::function<void()>& work);

struct Encoded {
  std::uint64_t in_bytes = 0, out_bytes = 0;
  std::vector<std::vector<std::uint8_t>> packs;
  [[nodiscard]] double ratio() const {
    return static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
  }
};

/// Encodes all packs, segments of a stream, with one coder, which remembers; in one thread, one group after
/// the other as tables are.
Encoded encode(const Packs& packs, pipeline::StreamCoder& coder);
/// The bytes of a pack back to words. Ends the program if they cannot be decoded.
void decode(const std::vector<std::uint8_t>& encoded, rows::Words& to);

/// Each pack by itself, with a search of its own: what a choice without memory and without haste would give.
double ratio_of_search_for_each_pack(const Packs& packs);

/// Prints what planning adds to the time of encoding columns, in percent. Each column is encoded `rounds`
/// times in a row by one coder; the shortest times count, with and without planning.
void print_planning(const std::string& row, const std::vector<const Packs*>& columns, int rounds);

/// Prints the ratios of the thesis's planner and of floe's goals, and decodes all.
void print_ratios(const char* table, const std::string& row, const Packs& packs);

}  // namespace floe::bench
