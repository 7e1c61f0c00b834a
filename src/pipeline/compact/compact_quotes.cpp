// Columns of texts that all stand in quotes have none in compact frames: docs/format/compact.md, "Columns".
#include <algorithm>
#include <string_view>

#include "pipeline/compact/compact_table.hpp"

namespace floe::pipeline {
namespace {

constexpr std::uint8_t quote = '"';

void set_integer(rows::Words& words, std::uint64_t index, std::uint64_t value) {
  with_word(size_of(words.type()), [&]<class W>(W) { words.as<W>()[index] = static_cast<W>(value); });
}

/// Calls use(index, its bytes) for each text; false if lengths do not add up to the bytes, or `use` says so.
template <class Use>
bool for_each_text(const rows::Words& lengths, std::span<const std::uint8_t> bytes, const Use& use) {
  for (std::uint64_t i = 0; i < lengths.count(); ++i) {
    const auto length = static_cast<std::uint64_t>(lengths.integer(i));
    if (length > bytes.size() || !use(i, bytes.first(static_cast<std::size_t>(length)))) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(length));
  }
  return bytes.empty();
}

rows::Words words_of(const std::vector<std::uint8_t>& bytes) {
  return rows::byte_words({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

bool take_quotes_off(rows::Words& lengths, rows::Words& bytes) {
  std::vector<std::uint8_t> inner;
  const bool are_quoted =
      for_each_text(lengths, bytes.bytes(), [&](std::uint64_t, std::span<const std::uint8_t> text) {
        if (text.size() < 2 || text.front() != quote || text.back() != quote) return false;
        inner.insert(inner.end(), text.begin() + 1, text.end() - 1);
        return true;
      });
  if (!are_quoted || lengths.count() == 0) return false;
  for (std::uint64_t i = 0; i < lengths.count(); ++i)
    set_integer(lengths, i, static_cast<std::uint64_t>(lengths.integer(i)) - 2);
  bytes = words_of(inner);
  return true;
}

bool put_quotes_on(rows::Words& lengths, rows::Words& bytes) {
  std::vector<std::uint8_t> outer;
  const bool are_sound =
      for_each_text(lengths, bytes.bytes(), [&](std::uint64_t i, std::span<const std::uint8_t> text) {
        outer.push_back(quote);
        outer.insert(outer.end(), text.begin(), text.end());
        outer.push_back(quote);
        set_integer(lengths, i, text.size() + 2);
        return static_cast<std::uint64_t>(lengths.integer(i)) == text.size() + 2;
      });
  bytes = words_of(outer);
  return are_sound;
}

}  // namespace floe::pipeline
