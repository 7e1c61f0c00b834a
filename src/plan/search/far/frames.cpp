#include "plan/search/far/frames.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <type_traits>

#include "core/power_of_ten.hpp"
#include "encodings/encoding_memo.hpp"
#include "encodings/grid/grid.hpp"
#include "encodings/word_order.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/search_memo.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Of the words that decimals are looked for in.
constexpr std::size_t windows = 16, window_words = 32;
/// At more exceptions, integers no longer pay.
constexpr std::uint64_t max_exceptions_in_hundred = 15;

const void* word_at(const ColumnView& stream, std::uint64_t position) {
  return static_cast<const std::uint8_t*>(stream.values) + position * size_of(stream.type);
}

/// Some words from all over the stream, behind each other.
Stream some_words_of(const ColumnView& stream, Scratch& scratch) {
  Stream words(stream.type, windows * window_words, scratch);
  const std::size_t bytes = window_words * size_of(stream.type);
  auto* to = static_cast<std::uint8_t*>(const_cast<void*>(words.view().values));
  for (std::size_t i = 0; i < windows; ++i, to += bytes)
    std::memcpy(to, word_at(stream, window_position(stream.count, window_words, windows, i)), bytes);
  return words;
}

/// An exception is taken for the word before.
template <class F, class I>
void to_decimals(const F* values, std::size_t count, double power, I* to) {
  std::array<std::uint8_t, 256> failed;
  for (std::size_t first = 0; first < count; first += failed.size()) {
    const std::size_t end = std::min(count, first + failed.size());
    if (kernels().decimals<F, I>().to_integers(values + first, end - first, power, to + first,
                                               failed.data()) == 0)
      continue;
    for (std::size_t i = first; i < end; ++i) {
      if (failed[i - first] != 0) to[i] = i == 0 ? I{0} : to[i - 1];
    }
  }
}

FarFrame frame_of_decimals(const ColumnView& stream, const DecimalFacts& decimals) {
  FarFrame frame;
  frame.before = {{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}};
  frame.behind = {{EncodingId::bitpack, {}}, {EncodingId::raw, {}}};
  frame.type = signed_type(decimals.integer_bytes);
  frame.cost =
      decimals.exceptions * stream.count / decimals.sampled * (size_of(stream.type) + 1) * cost_of_byte;
  const double power = core::power_of_ten(decimals.digits);
  frame.integers = [stream, power, type = frame.type](std::uint64_t first, std::size_t count, void* to) {
    const void* const from = word_at(stream, first);
    if (stream.type == DType::f32) {
      to_decimals(static_cast<const float*>(from), count, power, static_cast<std::int32_t*>(to));
    } else if (size_of(type) == 4) {
      to_decimals(static_cast<const double*>(from), count, power, static_cast<std::int32_t*>(to));
    } else {
      to_decimals(static_cast<const double*>(from), count, power, static_cast<std::int64_t*>(to));
    }
  };
  return frame;
}

/// Multiples of a power of two. What the grid cannot say is taken for the word before.
std::optional<FarFrame> frame_of_grid(const ColumnView& stream, const ColumnView& some, Scratch& scratch) {
  std::vector<Stream> children;
  ByteWriter header;
  Encoded encoded{header, children, scratch};
  if (!encoding_of(EncodingId::grid).encode(some, {}, encoded)) return std::nullopt;
  const std::uint64_t exceptions = children[3].view().count;
  if (exceptions * 100 > some.count * max_exceptions_in_hundred) return std::nullopt;
  FarFrame frame;
  frame.before = {{EncodingId::grid, {}}};
  frame.behind = {{EncodingId::raw, {}}, {EncodingId::bitpack, {}}, {EncodingId::raw, {}}};
  frame.type = signed_type(size_of(stream.type));
  frame.cost = (exceptions * (size_of(stream.type) + 1) + children[1].view().count) * cost_of_byte *
               stream.count / some.count;
  const auto exponent = static_cast<unsigned>(ByteReader(header.bytes()).get_varint());
  frame.integers = [stream, exponent](std::uint64_t first, std::size_t count, void* to) {
    with_word(size_of(stream.type), [&]<class W>(W) {
      const W* const from = stream.words<W>().data() + first;
      W* const out = static_cast<W*>(to);
      for (std::size_t i = 0; i < count; ++i) {
        const auto on_grid = layout_of(stream.type).on_grid(from[i], exponent);
        out[i] = on_grid ? on_grid->multiple : i == 0 ? W{0} : out[i - 1];
      }
    });
  };
  return frame;
}

FarFrame frame_of_order(const ColumnView& stream) {
  FarFrame frame;
  if (is_float(stream.type)) frame.before = {{EncodingId::sortable, {}}};
  frame.type = signed_type(size_of(stream.type));
  frame.integers = [stream](std::uint64_t first, std::size_t count, void* to) {
    with_word(size_of(stream.type), [&]<class W>(W) {
      const W* const from = stream.words<W>().data() + first;
      // Words less others come out the same for every order of integers.
      std::transform(from, from + count, static_cast<W*>(to),
                     [&](W word) { return in_order(word, order_of(stream.type)); });
    });
  };
  return frame;
}

/// What a search would find that knows all entries.
Choice tree_of_entries(const ColumnView& entries, const Objective& objective, Scratch& scratch) {
  SearchMemo* const memo = scratch.search_memo;
  constexpr auto care = SearchMemo::Care::full;
  if (const auto* const known = memo == nullptr ? nullptr : memo->find(entries, care, {}))
    return {known->tree.nodes, known->cost};
  Objective by = objective;
  by.strides = {};
  by.tries_codecs = false;
  // To search for a tree of entries, which are few, may not take as long as to encode all words.
  if (weighs_encoding(objective)) {
    by.windows = std::max(by.windows / 2, 1U);
    by.max_candidates = 1;
  }
  Choice tree = std::move(find_finalists(entries, by, max_plan_depth - 1, scratch).choices[0]);
  if (memo != nullptr) memo->keep({entries, care, {}, {tree.nodes}, tree.cost});
  return tree;
}

void add_time(const ColumnView& stream, const Objective& objective, FarFrame& frame) {
  frame.depth = frame.before.empty() ? 0 : 1;
  if (frame.depth > 0)
    frame.cost += time_cost(objective, encoding_of(frame.before[0].encoding), stream.count) + cost_of_byte;
}

}  // namespace

std::vector<FarFrame> frames_of_words(const ColumnView& stream, const Objective& objective,
                                      Scratch& scratch) {
  std::vector<FarFrame> frames;
  frames.push_back(frame_of_order(stream));
  const Stream some = some_words_of(stream, scratch);
  if (!is_fast(objective) && is_float(stream.type)) {
    if (auto frame = frame_of_grid(stream, some.view(), scratch)) frames.push_back(std::move(*frame));
  }
  if (is_wide_float(stream.type)) {
    const DecimalFacts decimals = find_decimals(some.view());
    if (decimals.exceptions * 100 <= decimals.sampled * max_exceptions_in_hundred)
      frames.push_back(frame_of_decimals(stream, decimals));
  }
  for (FarFrame& frame : frames) add_time(stream, objective, frame);
  return frames;
}

std::optional<FarFrame> frame_of_codes(const ColumnView& stream, const Objective& objective,
                                       Scratch& scratch) {
  FarFrame frame;
  frame.before = {{EncodingId::dict, {DictRules::by_value, DictRules::ranges[1].usual}}};
  const auto made = std::make_shared<const EncodedOnce>(encoding_of(EncodingId::dict), stream,
                                                        frame.before[0].parameters, scratch);
  if (!made->fits() || made->child(2).count > 0) return std::nullopt;
  add_time(stream, objective, frame);
  const Choice tree = tree_of_entries(made->child(0), objective, scratch);
  frame.before.insert(frame.before.end(), tree.nodes.begin(), tree.nodes.end());
  frame.cost += tree.cost;
  frame.behind = {{EncodingId::raw, {}}};
  frame.type = DType::i16;
  frame.integers = [made](std::uint64_t first, std::size_t count, void* to) {
    std::copy_n(made->child(1).words<std::uint16_t>().data() + first, count, static_cast<std::uint16_t*>(to));
  };
  return frame;
}

}  // namespace floe::trees
