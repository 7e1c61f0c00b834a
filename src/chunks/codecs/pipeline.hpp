// A codec is a named list of stages over the words of one chunk.
#pragma once

#include "chunks/stages/match_history.hpp"
#include "chunks/stages/shape.hpp"

namespace floe::codecs {

/// Stages in the order in which they encode. All work on words of the codec's width; a stage that changes the
/// length of its input (pack, drop) hands its bytes to the next one, which takes them as words again with the
/// remainder copied.
template <class... Stages>
struct Pipeline {
  template <core::Word W>
  static constexpr bool accepts = (stages::AnyStage<Stages, W> && ...);
};

/// What codecs.def may name: a unique id that never changes, the public name, the word it works on, its
/// pipeline and the stage over the whole segment (or NoSegmentStage).
template <class C>
concept Codec = core::Word<typename C::Word> && C::Pipeline::template accepts<typename C::Word>&& requires {
  { C::id } -> std::convertible_to<std::uint16_t>;
  { C::name } -> std::convertible_to<const char*>;
  { C::summary } -> std::convertible_to<const char*>;
  typename C::SegmentStage;
};

}  // namespace floe::codecs
