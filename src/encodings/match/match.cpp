// Match: words that stood before become the length and the distance of a match; the others are literals.
#include <utility>

#include "encodings/encoding_memo.hpp"
#include "encodings/encodings.hpp"
#include "encodings/match/found_matches.hpp"
#include "encodings/match/literal_cost.hpp"
#include "encodings/match/match_source.hpp"
#include "encodings/match/sequences.hpp"

namespace floe::trees {
namespace {

/// Positions are u32.
constexpr std::uint64_t max_words = std::uint64_t{1} << 30;

template <core::Word W>
void put(const ColumnView& in, std::span<const Sequence> sequences, Encoded& out) {
  const std::span<const W> words = in.words<W>();
  std::uint64_t matched = 0, farthest = 0;
  for (const Sequence& sequence : sequences) matched += sequence.length;
  Stream literals(in.type, words.size() - matched, out.scratch);
  std::array<Stream, 3> numbers = {Stream(DType::u32, sequences.size(), out.scratch),
                                   Stream(DType::u32, sequences.size(), out.scratch),
                                   Stream(DType::u32, sequences.size(), out.scratch)};
  W* to = literals.words<W>().data();
  const W* from = words.data();
  RecentDistances recent;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& sequence = sequences[i];
    to = std::copy_n(from, sequence.literals, to);
    from += sequence.literals + sequence.length;
    numbers[0].words<std::uint32_t>()[i] = sequence.literals;
    numbers[1].words<std::uint32_t>()[i] = sequence.length - 1;
    numbers[2].words<std::uint32_t>()[i] = sequence.distance_code;
    farthest = std::max<std::uint64_t>(farthest, recent.take(sequence.distance_code));
  }
  std::copy(from, words.data() + words.size(), to);
  out.header.put_varint(words.size() - matched);
  out.header.put_varint(sequences.size());
  out.header.put_varint(farthest);
  out.children.push_back(std::move(literals));
  for (Stream& stream : numbers) out.children.push_back(std::move(stream));
}

/// Of more words, matches are not kept for another parse.
constexpr std::uint64_t max_kept_words = std::uint64_t{1} << 22;

/// Of bytes, as they are parsed without an effort.
struct ParsedQuickly final : Notes {
  ParsedQuickly(std::span<const std::uint8_t> bytes, std::uint32_t literal_cost, Scratch& scratch)
      : cost(literal_cost), sequences(parse_lazily(bytes, {0, cost}, scratch)) {}
  const std::uint32_t cost;
  const std::vector<Sequence> sequences;
};

std::vector<Sequence> parse_quickly(const ColumnView& in, std::uint32_t literal_cost, Scratch& scratch) {
  const auto bytes = in.words<std::uint8_t>();
  if (scratch.memo != nullptr) {
    const auto* const known = scratch.memo->notes_of<ParsedQuickly>(in, bytes, literal_cost, scratch);
    if (known != nullptr && known->cost == literal_cost) return known->sequences;
  }
  return parse_lazily(bytes, {0, literal_cost}, scratch);
}

/// Wider words gain nothing by an optimal parse: most of them are literals, or begin matches that are clear.
template <core::Word W>
std::vector<Sequence> parse(const ColumnView& in, const ParseOptions& options, Scratch& scratch) {
  const std::span<const W> words = in.words<W>();
  if constexpr (sizeof(W) == 1) {
    std::vector<Sequence> parsed = parse_quickly(in, options.literal_cost, scratch);
    return options.effort == 0 ? parsed : parse_optimally(words, std::move(parsed), options.effort, scratch);
  } else {
    if (options.effort > 0 && in.count <= max_kept_words && scratch.memo != nullptr) {
      auto* const known = scratch.memo->notes_of<FoundMatches<W>>(in, words, scratch);
      if (known != nullptr) return parse_lazily(words, options, *known);
    }
    return parse_lazily(words, options, scratch);
  }
}

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  if (in.count > max_words) return false;
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const ParseOptions options{
        parameters[0], parameters[1] != 0 ? static_cast<std::uint32_t>(parameters[1] * match_cost_of_bit)
                                          : literal_cost(words)};
    put<W>(in, parse<W>(in, options, out.scratch), out);
    return true;
  });
}

}  // namespace

Encoding match_encoding() noexcept {
  return {.time = {40000, 1000}, .device_time = {8, 8}, .encode = encode, .open = open_match};
}

}  // namespace floe::trees
