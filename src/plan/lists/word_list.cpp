#include "plan/lists/word_list.hpp"

#include <algorithm>
#include <numeric>

#include "encodings/dictionary.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {

std::optional<WordList> list_words(const ColumnView& stream, Scratch& scratch) {
  return with_word(size_of(stream.type), [&]<class W>(W) -> std::optional<WordList> {
    const std::span<const W> words = stream.words<W>();
    DistinctWords<W> distinct(std::min(words.size() / 2, max_dict_entries), scratch);
    std::vector<std::uint32_t> positions(words.size());
    if (!distinct.find(words, positions.data())) return std::nullopt;
    const std::span<const W> values = distinct.values();
    const W flip = sign_flip<W>(stream.type);
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return (values[a] ^ flip) < (values[b] ^ flip); });
    WordList list{scratch.take(values.size() * sizeof(W)), values.size(), {}};
    std::vector<std::uint16_t> code_of(values.size());
    for (std::size_t code = 0; code < order.size(); ++code) {
      reinterpret_cast<W*>(list.words.data())[code] = values[order[code]];
      code_of[order[code]] = static_cast<std::uint16_t>(code);
    }
    for (const std::uint32_t position : positions) list.codes.push_back(code_of[position]);
    return list;
  });
}

}  // namespace floe::trees
