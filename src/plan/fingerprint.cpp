#include "plan/fingerprint.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/fixed_log.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {
namespace {

/// Digits show in few words already, and take longest.
constexpr std::uint64_t decimal_words = 32;

/// Bits per word in quarters.
std::uint8_t quarters(std::uint64_t bits, std::uint64_t words) {
  return static_cast<std::uint8_t>(bits * 4 / words);
}
/// The logarithm of a share, in quarters.
std::uint8_t log_share(std::uint64_t part, std::uint64_t whole) {
  const std::uint32_t max_log = core::fixed_log2(whole),
                      log = core::fixed_log2(std::max<std::uint64_t>(part, 1));
  return static_cast<std::uint8_t>((max_log - std::min(max_log, log)) / 64);
}

}  // namespace

Fingerprint fingerprint_of(const ColumnView& segment) {
  return fingerprint_of(windows_of(segment, fingerprint_words, fingerprint_windows));
}

Fingerprint fingerprint_of(std::span<const ColumnView> windows) {
  StreamFacts sum;
  DecimalFacts decimals;
  for (const ColumnView& window : windows) {
    StreamFacts facts;
    if (is_float(window.type)) {
      const DecimalFacts found =
          find_decimals({window.type, window.values, std::min(window.count, decimal_words)});
      decimals.sampled += found.sampled;
      decimals.exceptions += found.exceptions;
      decimals.digits = std::max(decimals.digits, found.digits);
      facts = found.exceptions * 8 <= found.sampled ? find_coarse_facts_of_decimals(window, found)
                                                    : find_coarse_facts(window);
    } else {
      facts = find_coarse_facts(window);
    }
    sum.sampled += facts.sampled;
    sum.runs += facts.runs;
    sum.distinct += facts.distinct;
    sum.offset_bits += facts.offset_bits;
    sum.second_difference_bits += facts.second_difference_bits;
    sum.difference_bits[1] += facts.difference_bits[1];
    sum.difference_bits[2] += facts.difference_bits[2];
  }
  return {quarters(sum.offset_bits, sum.sampled), quarters(sum.difference_bits[1], sum.sampled),
          quarters(sum.difference_bits[2], sum.sampled), quarters(sum.second_difference_bits, sum.sampled),
          log_share(sum.runs, sum.sampled), log_share(sum.distinct, sum.sampled),
          // A digit more is a kind of its own; a few more exceptions are none.
          static_cast<std::uint8_t>(decimals.sampled == 0 ? 0 : 16 * decimals.digits / 4),
          static_cast<std::uint8_t>(decimals.sampled == 0 ? 0 : 16 * decimals.exceptions / decimals.sampled)};
}

std::uint32_t distance(const Fingerprint& a, const Fingerprint& b) noexcept {
  // Words that need more bits whatever is done with them are of the same kind: that counts once.
  constexpr std::size_t widths = 4;
  std::int32_t shift = 0;
  for (std::size_t i = 0; i < widths; ++i) shift += a[i] - b[i];
  shift /= std::int32_t{widths};
  auto sum = static_cast<std::uint32_t>(2 * std::abs(shift));
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<std::uint32_t>(std::abs(a[i] - b[i] - (i < widths ? shift : 0)));
  return sum;
}

}  // namespace floe::trees
