#include "plan/search/predictions.hpp"

#include <algorithm>
#include <array>

#include "encodings/affine/lattice.hpp"
#include "encodings/linear/weights.hpp"
#include "encodings/word_order.hpp"
#include "plan/search/entropy_estimate.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Predictions from so many words tell whether those from more pay; of a stream of at least so many words.
constexpr std::size_t tried_weights = 4;
constexpr std::uint64_t tried_words = 512, fitted_words = 1024, min_words = 1024;
/// Of which samples are joined: other windows have a multiple of these words.
constexpr std::uint64_t smallest_window = 168;
/// They must save a part of a bit per word.
constexpr std::uint64_t words_of_saved_bit = 8;

std::uint64_t bits_of(const ColumnView& words) {
  const StreamFacts facts = find_coarse_facts(words);
  return std::min({facts.offset_bits, facts.difference_bits[1], facts.second_difference_bits}) * tried_words /
         std::max<std::uint64_t>(facts.sampled, 1);
}

/// Zig-zag.
std::uint64_t magnitude_bits_of(const ColumnView& words) {
  return with_word(size_of(words.type), [&]<class W>(W) {
    std::array<W, 2 * tried_words> all{};  // zeros, and the words
    const auto count = static_cast<std::size_t>(std::min(words.count, tried_words));
    std::copy_n(words.words<W>().data(), count, all.begin() + tried_words);
    return std::uint64_t{
        kernels().of<W>().sum_difference_bits(all.data(), tried_words + count, tried_words, tried_words)};
  });
}

ColumnView last_of(const ColumnView& words) {
  const auto* const bytes = static_cast<const std::uint8_t*>(words.values);
  return {words.type, bytes + (words.count - tried_words) * size_of(words.type), tried_words};
}

/// What the last words cost as a leaf of entropy, or differences of them or of these, in 1/256 bit.
std::uint64_t min_entropy_cost(const ColumnView& words) {
  const ColumnView last = last_of(words);
  std::uint64_t min_cost = estimate_entropy_cost(last).coded;
  with_word(size_of(words.type), [&]<class W>(W) {
    std::array<W, tried_words> left;
    std::transform(last.words<W>().begin(), last.words<W>().end(), left.begin(),
                   [&](W word) { return in_order(word, order_of(words.type)); });
    for (std::uint64_t count = tried_words - 1; count > tried_words - 3; --count) {
      for (std::uint64_t i = 0; i < count; ++i) left[i] = static_cast<W>(left[i + 1] - left[i]);
      min_cost =
          std::min(min_cost, estimate_entropy_cost({signed_type(sizeof(W)), left.data(), count}).coded);
    }
  });
  return min_cost;
}

/// What an encoding makes of some words in the middle.
bool encode(EncodingId id, const Parameters& parameters, const ColumnView& some,
            std::vector<Stream>& children, Scratch& scratch) {
  ByteWriter header;
  Encoded encoded{header, children, scratch};
  return encoding_of(id).encode(some, parameters, encoded);
}

/// Differences of floats in their order are the best of what the facts say.
void add_grid(const ColumnView& some, std::vector<Prospect>& prospects, Scratch& scratch) {
  std::vector<Stream> children;
  if (!encode(EncodingId::grid, {}, some, children, scratch)) return;
  const std::uint64_t exceptions = children[3].view().count;
  if (exceptions * 8 > some.count) return;
  prospects.push_back({{EncodingId::grid, {}},
                       bits_of(children[0].view()) + 8 * children[1].view().count +
                           exceptions * (8 * size_of(some.type) + 8)});
}

void add_linear(const ColumnView& some, const StreamFacts& facts, std::vector<Prospect>& prospects,
                Scratch& scratch) {
  std::vector<Stream> children;
  if (!encode(EncodingId::linear, {tried_weights, 1}, some, children, scratch)) return;
  const std::uint64_t known = std::min(
                          {facts.offset_bits, facts.difference_bits[1], facts.second_difference_bits}),
                      bits = magnitude_bits_of(children[0].view()) * facts.sampled / some.count;
  if (bits + facts.sampled / words_of_saved_bit >= known) return;
  // More weights predict better.
  prospects.push_back({{EncodingId::linear, {LinearRules::ranges[0].usual, 1}}, bits - bits / 32});
}

/// Positions of a sample at which lattices are looked for.
constexpr std::uint64_t lattice_positions = 4;

ColumnView words_from(const ColumnView& sample, std::uint64_t first) {
  const auto* const words = static_cast<const std::uint8_t*>(sample.values) + first * size_of(sample.type);
  return {sample.type, words, tried_words};
}

/// Channels whose words may have lattices of their own. Samples keep the phase of words for these only.
std::vector<std::uint32_t> possible_channels(const StreamFacts& facts, const FarStrides& strides) {
  std::vector<std::uint32_t> channels = {1};
  const auto add = [&](std::uint32_t stride) {
    if (stride <= 24 && window_alignment % stride == 0 &&
        std::find(channels.begin(), channels.end(), stride) == channels.end())
      channels.push_back(stride);
  };
  add(shorter_differences(facts).stride);
  if (!strides.get().empty()) add(strides.get()[0]);
  return channels;
}

/// Bytes of the integers on a lattice that words of a channel are on; 0 if they are on none.
std::uint32_t lattice_bytes(const ColumnView& sample, std::uint64_t first, std::uint32_t channels) {
  constexpr std::size_t looked_at = 48;
  constexpr double narrow = 0x1p30;
  std::array<double, looked_at> values;
  std::size_t count = 0;
  double greatest = 0;
  for (std::uint64_t i = first; i < sample.count && count < looked_at; i += channels) {
    const double value = sample.type == DType::f64 ? static_cast<const double*>(sample.values)[i]
                                                   : double{static_cast<const float*>(sample.values)[i]};
    if (std::abs(value) < 0x1p400) greatest = std::max(greatest, std::abs(value));
    values[count++] = value;
  }
  const auto lattice = find_lattice(std::span(values).first(count), sample.type == DType::f64 ? 53 : 24);
  if (!lattice || lattice->is_constant) return 0;
  return sample.type == DType::f64 && greatest > narrow * lattice->step ? 8 : 4;
}

/// Bits of some words as `affine` makes integers of them.
std::uint64_t lattice_bits(const ColumnView& some, const Parameters& parameters, Scratch& scratch) {
  std::vector<Stream> children;
  if (!encode(EncodingId::affine, parameters, some, children, scratch)) return ~std::uint64_t{0};
  const StreamFacts facts = find_coarse_facts(children[0].view(), max_stride_tried);
  std::uint64_t bits =
      std::min({facts.offset_bits, facts.second_difference_bits,
                *std::min_element(facts.difference_bits.begin() + 1, facts.difference_bits.end())});
  bits = bits * children[0].view().count / std::max<std::uint64_t>(facts.sampled, 1);
  const std::uint64_t word_bits = 8 * size_of(some.type);
  return bits + magnitude_bits_of(children[1].view()) + children[2].view().count * word_bits +
         children[3].view().count * (word_bits + 8);
}

/// The same if they are decimals, which are faster.
std::uint64_t decimal_bits(const ColumnView& some) {
  const DecimalFacts decimals = find_decimals(some);
  if (decimals.exceptions * 16 > decimals.sampled) return ~std::uint64_t{0};
  const StreamFacts facts = find_coarse_facts_of_decimals(some, decimals, max_stride_tried);
  const std::uint64_t bits =
      std::min({facts.offset_bits, facts.second_difference_bits,
                *std::min_element(facts.difference_bits.begin() + 1, facts.difference_bits.end())});
  return bits * some.count / std::max<std::uint64_t>(facts.sampled, 1) +
         decimals.exceptions * (8 * size_of(some.type) + 8) * some.count / decimals.sampled;
}

}  // namespace

std::optional<PlanNode> find_lattices(const ColumnView& sample, const StreamFacts& facts,
                                      const FarStrides& strides, std::uint64_t known_bits, Scratch& scratch) {
  if (!is_wide_float(sample.type) || sample.count < tried_words) return {};
  std::uint64_t fewest = ~std::uint64_t{0};
  PlanNode best{EncodingId::affine, {}};
  bool are_decimals = false;
  for (const std::uint32_t channels : possible_channels(facts, strides)) {
    for (std::uint64_t position = 0; position < lattice_positions; ++position) {
      // Words of a part of the stream may be on lattices, such as those of one of several variables.
      const std::uint64_t first = (sample.count - tried_words) / (lattice_positions - 1) * position,
                          aligned = first - first % smallest_window;
      const std::uint32_t bytes = lattice_bytes(sample, aligned, channels);
      if (bytes == 0) continue;
      const ColumnView some = words_from(sample, aligned);
      const std::uint64_t bits = lattice_bits(some, {channels, bytes}, scratch);
      // More channels find more by accident.
      if (channels > 1 && bits + bits / 8 >= fewest) continue;
      if (bits >= fewest) continue;
      fewest = bits;
      best.parameters = {channels, bytes};
      are_decimals = decimal_bits(some) <= bits + some.count / 4;
    }
  }
  if (are_decimals) return {};
  // Entropy coders need less than these bits.
  if (fewest > 8 * size_of(sample.type) * tried_words || fewest / 2 * sample.count / tried_words > known_bits)
    return {};
  return best;
}

bool promises_predictions(const ColumnView& stream, Scratch& scratch) {
  constexpr std::uint64_t positions = 2, saved_part = 20;
  constexpr std::uint32_t judged_weights = 8;
  if (stream.count < 2 * positions * fitted_words || size_of(stream.type) == 1) return false;
  std::uint64_t known = 0, predicted = 0;
  for (std::uint64_t position = 0; position < positions; ++position) {
    const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
    const std::uint64_t first = (stream.count - fitted_words) * (2 * position + 1) / (2 * positions);
    ColumnView words{stream.type, bytes + first * size_of(stream.type), fitted_words};
    std::vector<Stream> gridded, errors;
    std::uint64_t low_cost = 0, best = ~std::uint64_t{0};
    if (is_float(stream.type)) {
      best = min_entropy_cost(words);
      if (!encode(EncodingId::grid, {}, words, gridded, scratch)) return false;
      low_cost = (8 * gridded[1].view().count + gridded[3].view().count * (8 * size_of(stream.type) + 8)) *
                 cost_of_bit * tried_words / fitted_words;
      words = gridded[0].view();
    }
    best = std::min(best, low_cost + min_entropy_cost(words));
    if (!encode(EncodingId::linear, {judged_weights, 1}, words, errors, scratch)) return false;
    const std::uint64_t here = low_cost + estimate_entropy_cost(last_of(errors[0].view())).coded;
    if (here >= best) return false;
    known += best;
    predicted += here;
  }
  return predicted + known / saved_part < known;
}

void add_predictions(const ColumnView& sample, const StreamFacts& facts, const Position& position,
                     std::vector<Prospect>& prospects, Scratch& scratch) {
  if (sample.count < min_words) return;
  const auto& parent = position.parent;
  const ColumnView some = middle_of(sample, tried_words);
  if (is_float(sample.type)) {
    if (!parent) add_grid(some, prospects, scratch);
  } else if (size_of(sample.type) > 1 && position.child == 0 && !position.below_dict &&
             (!parent || parent == EncodingId::grid || parent == EncodingId::sortable ||
              parent == EncodingId::decimal || parent == EncodingId::affine || parent == EncodingId::delta)) {
    add_linear(some, facts, prospects, scratch);
  }
}

}  // namespace floe::trees
