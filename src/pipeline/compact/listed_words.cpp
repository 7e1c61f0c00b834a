#include "pipeline/compact/listed_words.hpp"

#include <string>

#include "pipeline/encode/group_encoder.hpp"
#include "plan/lists/word_list.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// Of fewer words, samples show all that there is to see.
constexpr std::uint64_t min_words = 1 << 12;

/// The tree of a stream as text.
std::string tree_of(const trees::ColumnView& words, const trees::Objective& objective) {
  const auto plan = trees::plan_of(encode_alone(words, objective), words.type);
  return trees::text_of(plan ? *plan : trees::Plan{{trees::plain_leaf(words.type)}});
}

}  // namespace

std::optional<trees::EncodedTree> encode_with_list(const trees::ColumnView& words,
                                                   const trees::Objective& objective) {
  if (words.count < min_words || size_of(words.type) == 1) return std::nullopt;
  trees::Scratch scratch;
  const auto list = trees::list_words(words, scratch);
  if (!list) return std::nullopt;
  const auto plan = trees::plan_from_text(
      "dict(1,65535)," + tree_of({words.type, list->words.data(), list->count}, objective) + "," +
          tree_of({DType::u16, list->codes.data(), list->codes.size()}, objective) + "," +
          trees::text_of({{trees::plain_leaf(words.type)}}),  // no word is an exception
      words.type);
  if (!plan) return std::nullopt;  // it is too deep
  return trees::encode_tree(words, *plan, scratch);
}

}  // namespace floe::pipeline
