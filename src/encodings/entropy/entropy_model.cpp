#include "encodings/entropy/entropy_model.hpp"

#include <algorithm>

#include "core/bit_stream.hpp"
#include "core/fixed_log.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

using core::BitReader;
using core::BitWriter;
using core::ByteReader;
using core::bytes_of_bits;
using core::ByteWriter;
using core::log_fraction_bits;
/// Counts into several tables, so that equal neighbours do not wait for each other.
SymbolCounts count_symbols(std::span<const std::uint8_t> symbols) {
  std::array<SymbolCounts, 4> tables{};
  for (std::size_t i = 0; i < symbols.size(); ++i) ++tables[i % tables.size()][symbols[i]];
  for (std::size_t s = 0; s < symbol_count; ++s) tables[0][s] += tables[1][s] + tables[2][s] + tables[3][s];
  return tables[0];
}

namespace {

/// Bits of a table entry, roughly.
constexpr std::uint64_t bits_per_entry = 10;

/// How often symbols below `end` occur.
struct Histogram {
  SymbolCounts counts{};
  std::size_t end = 0;
};

/// What coding symbols with these counts costs.
EntropyEstimate estimate_of(const Histogram& histogram, const EntropyModel& model) {
  std::uint64_t total = 0, scaled = 0, extra = 0, used = 0;
  for (std::size_t s = 0; s < histogram.end; ++s) {
    const std::uint32_t count = histogram.counts[s];
    if (count == 0) continue;
    total += count;
    scaled += std::uint64_t{count} * core::fixed_log2(count);
    extra += std::uint64_t{count} * extra_bits_of(s, model.mantissa_bits);
    ++used;
  }
  return {model, ((total * core::fixed_log2(total) - scaled) >> log_fraction_bits) + extra,
          used * bits_per_entry};
}

/// The same symbols with one mantissa bit less.
Histogram coarser(const Histogram& histogram, unsigned mantissa_bits) {
  Histogram merged;
  for (std::size_t s = 0; s < histogram.end; ++s) {
    if (histogram.counts[s] == 0) continue;
    const auto to = static_cast<std::size_t>(symbol_of(min_offset(s, mantissa_bits), mantissa_bits - 1));
    merged.counts[to] += histogram.counts[s];
    merged.end = to + 1;  // greater symbols come to greater ones
  }
  return merged;
}

template <core::Word W>
Histogram count_symbols(std::span<const W> words, const EntropyModel& model, std::size_t end) {
  constexpr std::size_t piece = 4096;
  std::array<std::uint8_t, piece> symbols;
  Histogram all{{}, end};
  for (std::size_t i = 0; i < words.size(); i += piece) {
    const std::size_t count = std::min(piece, words.size() - i);
    kernels().of<W>().find_symbols(words.data() + i, count, static_cast<W>(model.base), model.is_zigzag,
                                   model.mantissa_bits, symbols.data());
    const SymbolCounts some = trees::count_symbols({symbols.data(), count});
    for (std::size_t s = 0; s < end; ++s) all.counts[s] += some[s];
  }
  return all;
}

/// The best number of mantissa bits. `most` is the greatest offset.
template <core::Word W>
EntropyEstimate estimate(std::span<const W> words, EntropyModel model, W most) {
  model.mantissa_bits = max_mantissa_bits;
  while (symbol_of(most, model.mantissa_bits) >= symbol_count) --model.mantissa_bits;
  Histogram histogram =
      count_symbols(words, model, static_cast<std::size_t>(symbol_of(most, model.mantissa_bits)) + 1);

  EntropyEstimate best = estimate_of(histogram, model);
  while (model.mantissa_bits > 0) {
    histogram = coarser(histogram, model.mantissa_bits);
    --model.mantissa_bits;
    const EntropyEstimate coarse = estimate_of(histogram, model);
    if (coarse.bits() >= best.bits()) break;  // with fewer bits yet, it only becomes worse
    best = coarse;
  }
  return best;
}

/// The greatest offset of either sign of words from `least` to `most`.
template <core::Word W>
W greatest_folded(std::span<const W> words, const EntropyModel& model, W least, W most) {
  const W base = static_cast<W>(model.base), top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  if (static_cast<W>(base - least) < top && static_cast<W>(most - base) < top)
    return std::max(model.offset_of(least), model.offset_of(most));
  W greatest = 0;  // differences wrap around
  for (const W word : words) greatest = std::max(greatest, model.offset_of(word));
  return greatest;
}

/// The median of some words, spread evenly: the middle that offsets of either sign are counted from.
template <core::Word W>
W middle_of(std::span<const W> words, W flip) {
  constexpr std::size_t most = 129;
  std::array<W, most> some;
  const std::size_t step = core::divide_up(words.size(), most);
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); i += step) some[count++] = static_cast<W>(words[i] ^ flip);
  std::nth_element(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count / 2),
                   some.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<W>(some[count / 2] ^ flip);
}

}  // namespace

EntropyModel folded_model(const ColumnView& column) {
  return with_word(size_of(column.type), [&]<class W>(W) {
    const W flip = sign_flip<W>(column.type);
    return EntropyModel{true, max_mantissa_bits, middle_of(column.words<W>(), flip)};
  });
}

EntropyEstimate choose_entropy_model(const ColumnView& column) {
  return with_word(size_of(column.type), [&]<class W>(W) {
    const std::span<const W> words = column.words<W>();
    const W flip = sign_flip<W>(column.type);
    W least = 0, most = 0;
    kernels().of<W>().range(words.data(), words.size(), flip, least, most);
    const EntropyEstimate upwards =
        estimate(words, EntropyModel{false, 0, least}, static_cast<W>(most - least));
    if (static_cast<W>(most - least) < symbol_count - 1) return upwards;
    const EntropyModel folding = folded_model(column);
    const EntropyEstimate folded = estimate(words, folding, greatest_folded(words, folding, least, most));
    return folded.bits() < upwards.bits() ? folded : upwards;
  });
}

FrequencyTable::FrequencyTable(const SymbolCounts& counts) {
  constexpr std::uint64_t scale = 1U << frequency_bits;
  std::uint64_t total = 0, sum = 0;
  for (const std::uint32_t count : counts) total += count;
  for (std::size_t s = 0; s < symbol_count; ++s) {
    if (counts[s] == 0) continue;
    frequencies_[s] =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (counts[s] * scale + total / 2) / total));
    sum += frequencies_[s];
  }
  for (; sum > scale; --sum) --*std::max_element(frequencies_.begin(), frequencies_.end());
  *std::max_element(frequencies_.begin(), frequencies_.end()) += static_cast<std::uint32_t>(scale - sum);
}

void FrequencyTable::write(ByteWriter& out) const {
  std::size_t last = symbol_count - 1;
  while (frequencies_[last] == 0) --last;
  out.put_byte(static_cast<std::uint8_t>(last));
  BitWriter bits(out);
  for (std::size_t s = 0; s <= last; ++s) {
    const unsigned length = core::bit_length(frequencies_[s]);
    bits.put(length, 4);
    if (length > 0) {
      bits.put(frequencies_[s] & core::low_mask<std::uint32_t>(length - 1), length - 1);
      continue;
    }
    unsigned more = 0;
    while (more < 15 && frequencies_[s + 1] == 0) ++more, ++s;
    bits.put(more, 4);
  }
  bits.finish();
}

bool FrequencyTable::read(ByteReader& in) {
  const std::size_t last = in.get_byte();
  std::uint64_t pending = 0, sum = 0;
  unsigned filled = 0;
  const auto get = [&](unsigned count) {
    for (; filled < count; filled += 8) pending |= std::uint64_t{in.get_byte()} << filled;
    const std::uint64_t value = pending & core::low_mask<std::uint64_t>(count);
    pending >>= count;
    filled -= count;
    return static_cast<std::uint32_t>(value);
  };
  frequencies_ = {};
  for (std::size_t s = 0; s <= last; ++s) {
    if (const unsigned length = get(4); length > 0) {
      frequencies_[s] = 1U << (length - 1) | get(length - 1);
      sum += frequencies_[s];
    } else {
      s += get(4);
    }
  }
  return !in.failed() && sum == 1U << frequency_bits;
}

}  // namespace floe::trees
