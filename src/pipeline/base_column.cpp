// Adding the terms of a base column, and taking them off.
#include "pipeline/base_column.hpp"

#include <concepts>
#include <cstddef>

#include "core/word.hpp"

namespace floe::pipeline {
namespace {

using container::BaseColumn;

template <class W, class Number, class Combine>
void combine_all(std::span<W> words, std::span<const Number> base, const BaseColumn& relation,
                 const Combine& combine) {
  if (relation == BaseColumn{relation.index, 1, 1}) {
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = combine(words[i], static_cast<W>(static_cast<std::uint64_t>(base[i])));
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = combine(words[i], static_cast<W>(base_term(static_cast<std::uint64_t>(base[i]), relation)));
}

/// Calls combine(word, term) for each word.
template <class Combine>
void for_each_word(rows::Words& words, const rows::Words& base, const BaseColumn& relation,
                   const Combine& combine) {
  with_word(size_of(words.type()), [&]<class W>(W) {
    with_word(size_of(base.type()), [&]<class B>(B) {
      if (is_signed(base.type()))
        combine_all(words.as<W>(), base.as<std::make_signed_t<B>>(), relation, combine);
      else
        combine_all(words.as<W>(), base.as<B>(), relation, combine);
    });
  });
}

}  // namespace

std::uint64_t base_term(std::uint64_t number, const BaseColumn& relation) {
  const auto factor = static_cast<std::uint64_t>(std::int64_t{relation.multiplier});
  const auto product = static_cast<std::int64_t>(number * factor);
  const std::int64_t quotient = product / relation.divisor;
  return static_cast<std::uint64_t>(quotient - (product % relation.divisor < 0 ? 1 : 0));
}

void add_base(rows::Words& words, const rows::Words& base, const BaseColumn& relation) {
  for_each_word(words, base, relation, []<class W>(W word, W term) { return static_cast<W>(word + term); });
}

void subtract_base(rows::Words& words, const rows::Words& base, const BaseColumn& relation) {
  for_each_word(words, base, relation, []<class W>(W word, W term) { return static_cast<W>(word - term); });
}

void add_bases(std::span<const container::ColumnEntry> entries, std::span<rows::ColumnContent> columns,
               core::Workers& workers) {
  core::for_each_task(workers, static_cast<std::uint32_t>(columns.size()), [&](std::uint32_t i) {
    if (const auto& base = entries[i].base)
      add_base(columns[i].streams[0], columns[base->index].streams[0], *base);
  });
}

}  // namespace floe::pipeline
