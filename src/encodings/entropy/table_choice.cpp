#include "encodings/entropy/table_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/bits.hpp"
#include "encodings/content_memo.hpp"
#include "encodings/dictionary.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "simd/entropy/kernels.hpp"

namespace floe::trees {
namespace {

/// Tables must save this part of a section.
constexpr std::uint64_t saved_part = 256;
constexpr unsigned few_rounds = 2, many_rounds = 8;
/// Where few rounds are worth it, tables are found for every fourth run, if those are enough.
constexpr std::size_t some_step = 4, min_runs_of_some = 256;

/// What symbols cost in tables, in 1/16 bit, at most 255, so that those of a run do not overflow. Several
/// numbers of tables are looked at together: table t of 2^b has place 2^b + t.
using Costs = std::array<SymbolCosts, entropy_symbols>;
constexpr std::uint32_t max_symbol_cost = 255;
static_assert(max_symbol_cost * entropy_run_words < 1 << 15);
/// The best table of a run, by the bits of the number of tables.
using BestTables = std::array<std::uint8_t, max_entropy_table_bits + 1>;

/// The runs of some symbols, or every so many of them.
class SymbolRuns {
 public:
  SymbolRuns(const std::uint8_t* symbols, std::uint32_t count, std::size_t step = 1)
      : symbols_(symbols),
        count_(count),
        step_(step),
        runs_(core::divide_up(core::divide_up(count, entropy_run_words), step)) {}
  [[nodiscard]] std::size_t count() const { return runs_; }
  [[nodiscard]] const std::uint8_t* begin(std::size_t run) const {
    return symbols_ + run * step_ * entropy_run_words;
  }
  [[nodiscard]] unsigned words(std::size_t run) const {
    return static_cast<unsigned>(
        std::min<std::size_t>(count_ - run * step_ * entropy_run_words, entropy_run_words));
  }
  /// Symbols are larger where words are.
  [[nodiscard]] std::uint32_t sum(std::size_t run) const {
    const std::uint8_t* const symbols = begin(run);
    if (words(run) < entropy_run_words)
      return std::accumulate(symbols, symbols + words(run), std::uint32_t{0});
    constexpr std::uint64_t every_second = 0x00FF00FF00FF00FF, each = 0x0001000100010001;
    std::uint64_t sums = 0;  // four of 16 bits, which a run does not fill
    for (unsigned i = 0; i < entropy_run_words; i += 8) {
      const auto eight = core::load<std::uint64_t>(symbols + i);
      sums += (eight & every_second) + (eight >> 8 & every_second);
    }
    return static_cast<std::uint32_t>(sums * each >> 48);
  }

 private:
  const std::uint8_t* symbols_;
  std::uint32_t count_;
  std::size_t step_, runs_;
};

/// Symbols and table of one set of counts, in 1/256 bit, without extra bits.
std::uint64_t cost_of(const SymbolCounts& counts) {
  std::uint64_t total = 0, cost = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    total += count;
    cost += table_entry_cost - std::uint64_t{count} * core::fixed_log2(count);
  }
  return cost + total * core::fixed_log2(total);
}
std::uint64_t cost_of(const TableChoice& choice, std::size_t runs) {
  std::uint64_t cost = runs * choice.table_bits << bit_cost_bits;
  for (const SymbolCounts& counts : choice.counts) cost += cost_of(counts);
  return cost;
}

void count_symbols(const SymbolRuns& runs, TableChoice& choice) {
  const std::size_t tables = std::size_t{1} << choice.table_bits;
  std::vector<SymbolCounts> odd(tables);  // equal neighbours do not wait for each other
  choice.counts.assign(tables, {});
  for (std::size_t run = 0; run < runs.count(); ++run) {
    SymbolCounts &counts = choice.counts[choice.choices[run]], &of_odd = odd[choice.choices[run]];
    const std::uint8_t* const symbols = runs.begin(run);
    const unsigned words = runs.words(run);
    for (unsigned i = 0; i + 1 < words; i += 2) {
      ++counts[symbols[i]];
      ++of_odd[symbols[i + 1]];
    }
    if (words % 2 != 0) ++counts[symbols[words - 1]];
  }
  for (std::size_t table = 0; table < tables; ++table) {
    for (unsigned s = 0; s < entropy_symbols; ++s) choice.counts[table][s] += odd[table][s];
  }
}

std::vector<std::uint8_t> symbols_in(const SymbolCounts& counts) {
  std::vector<std::uint8_t> symbols;
  for (unsigned s = 0; s < entropy_symbols; ++s) {
    if (counts[s] != 0) symbols.push_back(static_cast<std::uint8_t>(s));
  }
  return symbols;
}

/// Of these symbols, by the tables of some choices.
void find_costs(std::span<const TableChoice> choices, std::span<const std::uint8_t> symbols, Costs& costs) {
  for (const TableChoice& choice : choices) {
    for (std::size_t table = 0; table < choice.counts.size(); ++table) {
      const SymbolCounts& counts = choice.counts[table];
      const std::size_t place = choice.counts.size() + table;
      // Symbols that a table lacks cost about as much as if they had occurred once in sixteen times as many.
      const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{16});
      const std::uint32_t all = core::fixed_log2(16 * total), lacking = std::min(all / 16, max_symbol_cost);
      for (const std::uint8_t s : symbols) {
        const std::uint32_t cost =
            counts[s] == 0
                ? lacking
                : std::min((all - core::fixed_log2(16 * std::uint64_t{counts[s]} + 1)) / 16, max_symbol_cost);
        costs[s].in_table[place] = static_cast<std::int16_t>(cost);
      }
    }
  }
}

/// The smallest of the first and of the last four numbers, and their positions; of several the first one.
struct SmallestOfFours {
  explicit SmallestOfFours(const std::int16_t* numbers) {
    using Eight __attribute__((vector_size(16))) = std::int16_t;
    Eight all;
    std::memcpy(&all, numbers, sizeof(all));
    const auto lesser = [](Eight a, Eight b) { return a < b ? a : b; };
    Eight min = lesser(all, __builtin_shufflevector(all, all, 2, 3, 0, 1, 6, 7, 4, 5));
    min = lesser(min, __builtin_shufflevector(min, min, 1, 0, 3, 2, 5, 4, 7, 6));
    const auto equal = std::bit_cast<std::array<std::uint64_t, 2>>(all == min);
    for (unsigned half = 0; half < 2; ++half) {
      smallest[half] = min[4 * half];
      positions[half] = static_cast<unsigned>(std::countr_zero(equal[half])) / 16;
    }
  }
  [[nodiscard]] unsigned position_of_all() const {
    return positions[0] + (smallest[1] < smallest[0] ? 4 + positions[1] - positions[0] : 0);
  }

  std::array<std::int16_t, 2> smallest;
  std::array<unsigned, 2> positions;
};

/// The tables in which a run costs least; of several the first ones.
BestTables best_tables(const SymbolRuns& runs, std::size_t run, const Costs& costs) {
  SymbolCosts sums;
  entropy_kernels().add_costs(runs.begin(run), runs.words(run), costs.data(), sums);
  const std::int16_t* const of_tables = sums.in_table.data();
  const unsigned of_two = of_tables[3] < of_tables[2] ? 1 : 0,
                 of_four = SmallestOfFours(of_tables).positions[1],
                 of_eight = SmallestOfFours(of_tables + 8).position_of_all();
  return {0, static_cast<std::uint8_t>(of_two), static_cast<std::uint8_t>(of_four),
          static_cast<std::uint8_t>(of_eight)};
}

void move_run(const SymbolRuns& runs, std::size_t run, SymbolCounts& from, SymbolCounts& to) {
  const std::uint8_t* const symbols = runs.begin(run);
  const unsigned words = runs.words(run);
  for (unsigned i = 0; i < words; ++i) {
    --from[symbols[i]];
    ++to[symbols[i]];
  }
}

/// Runs in the order of their sums, as many for each table.
TableChoice choose_by_rank(const SymbolRuns& runs, const std::vector<std::uint32_t>& order,
                           unsigned table_bits) {
  TableChoice choice{table_bits, {}, std::vector<std::uint8_t>(max_entropy_runs)};
  for (std::size_t i = 0; i < order.size(); ++i)
    choice.choices[order[i]] = static_cast<std::uint8_t>((i << table_bits) / order.size());
  count_symbols(runs, choice);
  return choice;
}

/// The same for half as many tables.
TableChoice with_half_the_tables(const TableChoice& choice) {
  TableChoice half{choice.table_bits - 1, {}, choice.choices};
  for (std::uint8_t& of_run : half.choices) of_run /= 2;
  for (std::size_t table = 0; table < choice.counts.size(); table += 2) {
    SymbolCounts& counts = half.counts.emplace_back(choice.counts[table]);
    for (unsigned s = 0; s < entropy_symbols; ++s) counts[s] += choice.counts[table + 1][s];
  }
  return half;
}

/// Rounds in which each run gets the table in which it costs least, until none changes.
class Rounds {
 public:
  Rounds(const SymbolRuns& runs, std::span<const std::uint8_t> symbols) : runs_(runs), symbols_(symbols) {}

  void run(std::span<TableChoice> choices, unsigned max_rounds) {
    for (unsigned round = 0; round < max_rounds && !choices.empty(); ++round) {
      const unsigned changed = run_once(choices);
      const auto is_settled = [&](const TableChoice& choice) {
        return (changed >> choice.table_bits & 1) == 0;
      };
      const auto unsettled = std::stable_partition(choices.begin(), choices.end(), is_settled);
      choices = choices.subspan(static_cast<std::size_t>(unsettled - choices.begin()));
    }
  }
  /// The best of the tables that some runs have, for all runs.
  void extend(TableChoice& choice, const SymbolRuns& all) {
    find_costs({&choice, 1}, symbols_, costs_);
    for (std::size_t run = 0; run < all.count(); ++run)
      choice.choices[run] = best_tables(all, run, costs_)[choice.table_bits];
    count_symbols(all, choice);
  }

 private:
  /// A bit for each choice that changes: which, is the bits of its number of tables.
  unsigned run_once(std::span<TableChoice> choices) {
    find_costs(choices, symbols_, costs_);
    unsigned changed = 0;
    for (std::size_t run = 0; run < runs_.count(); ++run) {
      const BestTables best = best_tables(runs_, run, costs_);
      for (TableChoice& choice : choices) {
        const std::uint8_t to = best[choice.table_bits], from = std::exchange(choice.choices[run], to);
        if (from == to) continue;
        changed |= 1U << choice.table_bits;
        move_run(runs_, run, choice.counts[from], choice.counts[to]);
      }
    }
    return changed;
  }

  const SymbolRuns& runs_;
  const std::span<const std::uint8_t> symbols_;
  Costs costs_{};
};

std::vector<std::uint32_t> sums_of(const SymbolRuns& runs) {
  std::vector<std::uint32_t> sums(runs.count());
  for (std::size_t run = 0; run < sums.size(); ++run) sums[run] = runs.sum(run);
  return sums;
}

std::vector<std::uint32_t> order_of(const std::vector<std::uint32_t>& sums) {
  std::vector<SortKey> keys(sums.size());
  for (std::uint32_t run = 0; run < sums.size(); ++run) keys[run] = {sums[run], run};
  sort_by_digits(keys);
  std::vector<std::uint32_t> order(sums.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keys[i].position;
  return order;
}

/// 256 times the variance of numbers, from their count, sum and sum of squares.
std::uint64_t variance(std::uint64_t count, std::uint64_t sum, std::uint64_t squares) {
  return (count * squares - sum * sum) / count * 256 / count;
}

/// Whether sums of runs differ by more than those of words in any order do, by so much that tables might save
/// enough: about 0.72 bits of a word by the part of its variance that is between runs.
bool promises_tables(const std::vector<std::uint32_t>& sums, const SymbolCounts& counts, std::uint64_t cost) {
  std::uint64_t words = 0, sum = 0, squares = 0, sum_of_sums = 0, squares_of_sums = 0;
  for (unsigned s = 0; s < entropy_symbols; ++s) {
    words += counts[s];
    sum += std::uint64_t{counts[s]} * s;
    squares += std::uint64_t{counts[s]} * s * s;
  }
  for (const std::uint64_t of_run : sums) {
    sum_of_sums += of_run;
    squares_of_sums += of_run * of_run;
  }
  const std::uint64_t in_words = entropy_run_words * variance(words, sum, squares),
                      in_runs = variance(sums.size(), sum_of_sums, squares_of_sums);
  if (in_runs <= in_words) return false;
  const std::uint64_t sixteenths = 16 * (in_runs - in_words) / std::max<std::uint64_t>(in_words, 1);
  return sixteenths * words * 3 / 16 >= cost >> bit_cost_bits;
}

std::uint64_t extra_cost(const SymbolCounts& counts, const EntropyModel& model) {
  std::uint64_t bits = 0;
  for (unsigned s = 0; s < entropy_symbols; ++s)
    bits += std::uint64_t{counts[s]} * (dropped_bits_of_symbol(s, model.mantissa_bits) + model.raw_bits);
  return bits << bit_cost_bits;
}

bool has_empty_table(const TableChoice& choice) {
  return std::any_of(choice.counts.begin(), choice.counts.end(), [](const SymbolCounts& counts) {
    return std::all_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count == 0; });
  });
}

/// Tables for all symbols, of which `alone` are the counts.
TableChoice find_tables(const SymbolRuns& runs, const std::uint8_t* symbols, std::uint32_t count,
                        const SymbolCounts& alone, const EntropyModel& model, unsigned max_table_bits) {
  TableChoice best{0, {alone}, std::vector<std::uint8_t>(max_entropy_runs)};
  const std::uint64_t cost_of_one = cost_of(alone), all_cost = cost_of_one + extra_cost(alone, model);
  const bool is_thorough = max_table_bits == max_entropy_table_bits;
  const std::vector<std::uint32_t> sums = sums_of(runs);
  if (!is_thorough && !promises_tables(sums, alone, all_cost)) return best;
  const bool looks_at_some = !is_thorough && runs.count() >= some_step * min_runs_of_some;
  const SymbolRuns some(symbols, count, looks_at_some ? some_step : 1);
  const std::vector<std::uint32_t> order = order_of(looks_at_some ? sums_of(some) : sums);
  std::vector<TableChoice> choices{choose_by_rank(some, order, max_table_bits)};
  while (is_thorough && choices[0].table_bits > 1)
    choices.insert(choices.begin(), with_half_the_tables(choices[0]));
  const std::vector<std::uint8_t> used = symbols_in(alone);
  Rounds rounds(some, used);
  rounds.run(choices, is_thorough ? many_rounds : few_rounds);
  if (looks_at_some) rounds.extend(choices[0], runs);
  std::uint64_t min_cost = cost_of_one - std::min(cost_of_one, all_cost / saved_part);
  for (TableChoice& choice : choices) {
    const std::uint64_t cost = cost_of(choice, runs.count());
    if (cost >= min_cost || has_empty_table(choice)) continue;
    min_cost = cost;
    best = std::move(choice);
  }
  return best;
}

/// Without counts, which take little time.
using KnownTables = ContentMemo<TableChoice, 1024>;

}  // namespace

TableChoice choose_tables(const std::uint8_t* symbols, std::uint32_t count, const EntropyModel& model,
                          unsigned max_table_bits, Scratch& scratch) {
  SymbolCounts alone;
  entropy_kernels().count_symbols(symbols, count, alone.data());
  const SymbolRuns runs(symbols, count);
  if (max_table_bits == 0 || runs.count() < 2 * max_entropy_tables)
    return {0, {alone}, std::vector<std::uint8_t>(max_entropy_runs)};
  const auto find = [&] { return find_tables(runs, symbols, count, alone, model, max_table_bits); };
  if (max_table_bits < max_entropy_table_bits) return find();
  if (scratch.known_tables == nullptr) scratch.known_tables = std::make_unique<KnownTables>();
  const ContentKey key = content_key({symbols, count}, model.mantissa_bits << 8 | model.raw_bits);
  std::optional<TableChoice> found;
  TableChoice choice = static_cast<KnownTables&>(*scratch.known_tables).get(key, [&] {
    found = find();
    return TableChoice{found->table_bits, {}, found->choices};
  });
  if (found) return *std::move(found);
  if (choice.table_bits == 0)
    choice.counts = {alone};
  else
    count_symbols(runs, choice);
  return choice;
}

}  // namespace floe::trees
