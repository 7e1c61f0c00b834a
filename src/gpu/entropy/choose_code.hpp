// Frequencies from counts, which of two kinds a section has, and the table of a section, as
// encodings/entropy/frequencies.hpp and section_encoder.cpp make them. By warps; each lane has eight symbols.
#pragma once

#include "gpu/entropy/choose_model.hpp"

namespace floe::gpu {

inline constexpr unsigned lane_symbols = trees::entropy_symbols / warp_lanes;

/// What normalise() in frequencies.hpp does. Called by all lanes.
template <class Warp>
FLOE_DEVICE void normalise_counts(Warp& warp, const std::uint32_t* counts, std::uint32_t total, unsigned bits,
                                  std::uint32_t (&frequency)[lane_symbols]) {
  // A section has up to 2^16 words, and frequencies up to 12 bits: products have no more than 28.
  static_assert(trees::section_bits + trees::long_frequency_bits < 32);
  static_assert(std::uint64_t{1} << trees::long_frequency_bits <= core::max_device_log);  // for coded_cost()
  const std::uint32_t whole = 1u << bits;
  const std::uint32_t* const count = counts + lane_symbols * warp.lane();
  const auto is_rare = [&](unsigned k) { return count[k] * whole < total; };
  std::uint32_t rare = 0, rare_words = 0, own_kinds = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    own_kinds += count[k] != 0 ? 1 : 0;
    if (count[k] == 0 || !is_rare(k)) continue;
    ++rare;
    rare_words += count[k];
  }
  const std::uint32_t kinds = warp.reduce_add(own_kinds);
  const std::uint32_t left = whole - warp.reduce_add(rare), common = total - warp.reduce_add(rare_words);
  std::uint32_t own_sum = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    const std::uint32_t share = is_rare(k) ? count[k] != 0 : (count[k] * left + common / 2) / common;
    frequency[k] = share == 0 && count[k] != 0 ? 1 : share;
    own_sum += frequency[k];
  }
  const auto change = [&](std::uint32_t symbol, std::uint32_t difference) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_symbols; ++k)
      frequency[k] += lane_symbols * warp.lane() + k == symbol ? difference : 0;
  };
  for (std::uint32_t sum = warp.reduce_add(own_sum); sum != whole;) {
    std::uint32_t own = 0;  // the largest one, of several the first
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_symbols; ++k) {
      const std::uint32_t key =
          frequency[k] << 8 | (trees::entropy_symbols - 1 - (lane_symbols * warp.lane() + k));
      own = key > own ? key : own;
    }
    const std::uint32_t key = warp.reduce_max(own), largest = trees::entropy_symbols - 1 - (key & 255),
                        quarter = (key >> 8) / 4, max_taken = quarter > 1 ? quarter : 1;
    const std::uint32_t excess = sum - whole, taken = excess < max_taken ? excess : max_taken,
                        difference = sum < whole ? whole - sum : 0 - taken;
    change(largest, difference);
    sum += difference;
  }
  if (kinds > 1) return;
  // No frequency is 2^bits: a neighbour gets 1.
  std::uint32_t own = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) own = count[k] != 0 ? lane_symbols * warp.lane() + k : own;
  const std::uint32_t symbol = warp.reduce_max(own);
  change(symbol, ~0u);
  change(symbol > 0 ? symbol - 1 : 1, 1);
}

/// Frequencies of `bits` bits, `which` of both kinds, and what they cost, by a warp.
template <class Warp>
FLOE_DEVICE void make_frequencies(Warp& warp, EntropyEncodeMemory& memory, std::uint32_t total, unsigned bits,
                                  unsigned which) {
  std::uint32_t frequency[lane_symbols];
  normalise_counts(warp, memory.counts, total, bits, frequency);
  std::uint32_t cost = 0;  // 2^16 words of up to 76 bits each, in 1/256 bits
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    const std::uint32_t symbol = lane_symbols * warp.lane() + k, count = memory.counts[symbol];
    memory.frequencies[which][symbol] = frequency[k];
    if (count != 0)
      cost += static_cast<std::uint32_t>(
          trees::coded_cost(count, frequency[k], symbol, memory.header.model, bits));
  }
  cost = warp.reduce_add(cost);
  if (warp.lane() == 0) memory.code_cost[which] = cost;
}

/// 2^32 / frequency, rounded down; the frequency is more than 1.
FLOE_DEVICE std::uint32_t inverse_of(std::uint32_t frequency) {
  const std::uint32_t inverse = ~std::uint32_t{0} / frequency;
  return ~std::uint32_t{0} - inverse * frequency == frequency - 1 ? inverse + 1 : inverse;
}

/// Chooses one of both kinds, and makes what encoding and the section need of it, by a warp.
template <class Warp>
FLOE_DEVICE void choose_frequencies(Warp& warp, EntropyEncodeMemory& memory) {
  const bool is_short =
      trees::takes_short_frequencies(memory.code_cost[1], memory.code_cost[0], memory.header.model);
  const std::uint32_t* const frequencies = memory.frequencies[is_short ? 1 : 0];
  for (unsigned i = warp.lane(); i < trees::entropy_symbols / 2; i += warp_lanes) memory.table[i] = 0;
  std::uint32_t frequency[lane_symbols], sum = 0, key = 0, first = 255, last = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    const std::uint32_t symbol = lane_symbols * warp.lane() + k;
    frequency[k] = frequencies[symbol];
    sum += frequency[k];
    const std::uint32_t own = frequency[k] << 8 | (trees::entropy_symbols - 1 - symbol);
    key = own > key ? own : key;
    if (frequency[k] == 0) continue;
    first = symbol < first ? symbol : first;
    last = symbol;
  }
  key = warp.reduce_max(key);
  first = trees::entropy_symbols - 1 - warp.reduce_max(trees::entropy_symbols - 1 - first);
  last = warp.reduce_max(last);
  std::uint32_t before = inclusive_scan(warp, sum) - sum, bits = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    const std::uint32_t symbol = lane_symbols * warp.lane() + k, f = frequency[k];
    memory.codes[symbol] = {before << 16 | f, f > 1 ? inverse_of(f) : ~std::uint32_t{0}};
    before += f;
    bits += f > 1 ? core::bit_length(f) - 1 : 0;
  }
  constexpr unsigned length_bits = 4;
  const std::uint32_t count = last - first + 1, inclusive_bits = inclusive_scan(warp, bits);
  const auto put = [&](std::uint32_t at, std::uint32_t value) {
    auto* const word = reinterpret_cast<std::uint8_t*>(memory.table + at / 32);
    if (value << at % 32 != 0) warp.shared_or(word, value << at % 32);
    if (at % 32 != 0 && value >> (32 - at % 32) != 0) warp.shared_or(word + 4, value >> (32 - at % 32));
  };
  warp.sync();
  std::uint32_t position = length_bits * count + inclusive_bits - bits;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_symbols; ++k) {
    const std::uint32_t symbol = lane_symbols * warp.lane() + k, length = core::bit_length(frequency[k]);
    if (symbol < first || symbol > last) continue;
    put(length_bits * (symbol - first), length);
    if (length < 2) continue;
    put(position, frequency[k] & ((1u << (length - 1)) - 1));
    position += length - 1;
  }
  const std::uint32_t all_bits = length_bits * count + warp.shuffle(inclusive_bits, warp_lanes - 1);
  if (warp.lane() == 0) {
    memory.header.frequency_bits = is_short ? trees::short_frequency_bits : trees::long_frequency_bits;
    memory.most_frequent = trees::entropy_symbols - 1 - (key & 255);
    memory.first_symbol = first;
    memory.last_symbol = last;
    memory.table_bits = all_bits;
  }
}

}  // namespace floe::gpu
