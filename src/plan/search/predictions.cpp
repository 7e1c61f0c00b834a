#include "plan/search/predictions.hpp"

#include <algorithm>
#include <array>

#include "encodings/linear/weights.hpp"
#include "plan/search/facts.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Predictions from so many words tell whether those from more pay; of a stream of at least so many words.
constexpr std::size_t tried_weights = 4;
constexpr std::uint64_t tried_words = 512, fitted_words = 1024, min_words = 1024;
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

}  // namespace

bool promises_predictions(const ColumnView& stream, Scratch& scratch) {
  constexpr std::uint64_t places = 2, saved_part = 24;
  constexpr std::uint32_t judged_weights = 8;
  if (stream.count < 2 * places * fitted_words || size_of(stream.type) == 1) return false;
  std::uint64_t known = 0, predicted = 0;
  for (std::uint64_t place = 0; place < places; ++place) {
    const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
    const std::uint64_t first = (stream.count - fitted_words) * (2 * place + 1) / (2 * places);
    ColumnView words{stream.type, bytes + first * size_of(stream.type), fitted_words};
    std::vector<Stream> gridded, errors;
    std::uint64_t low_bits = 0, best = ~std::uint64_t{0};
    if (is_float(stream.type)) {
      best = bits_of(words);
      if (!encode(EncodingId::grid, {}, words, gridded, scratch)) return false;
      low_bits = (8 * gridded[1].view().count + gridded[3].view().count * (8 * size_of(stream.type) + 8)) *
                 tried_words / fitted_words;
      words = gridded[0].view();
    }
    best = std::min(best, low_bits + bits_of(words));
    if (!encode(EncodingId::linear, {judged_weights, 1}, words, errors, scratch)) return false;
    const ColumnView last = errors[0].view();
    const ColumnView judged{
        last.type,
        static_cast<const std::uint8_t*>(last.values) + (fitted_words - tried_words) * size_of(last.type),
        tried_words};
    known += best;
    predicted += std::min(best, low_bits + magnitude_bits_of(judged));
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
              parent == EncodingId::decimal || parent == EncodingId::delta)) {
    add_linear(some, facts, prospects, scratch);
  }
}

}  // namespace floe::trees
