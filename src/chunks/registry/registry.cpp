// The list of codecs. codecs.def is its only source; cmake/floe_codecs.cmake makes one translation unit per
// line of it.
#include <array>
#include <string_view>

#include "chunks/cpu/isa.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "chunks/registry/codec_includes.hpp"  // generated: the header of every codec, and a declaration of every entry

namespace floe::registry {
namespace {

constexpr std::array ids = {
#define FLOE_CODEC(codec, page) chunk_codecs::codec::id,
#include "chunks/codecs/codecs.def"
#undef FLOE_CODEC
};

consteval bool all_different() {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (ids[i] == ids[j]) return false;
    }
  }
  return true;
}
static_assert(all_different(), "two codecs share an id");

const std::array<CodecEntry, ids.size()>& entries() noexcept {
  static const std::array<CodecEntry, ids.size()> all = {
#define FLOE_CODEC(codec, page) entry_##codec(),
#include "chunks/codecs/codecs.def"
#undef FLOE_CODEC
  };
  return all;
}

}  // namespace

std::span<const CodecEntry> all_codecs() noexcept { return entries(); }

const CodecEntry* find_codec(std::uint16_t id) noexcept {
  for (const CodecEntry& entry : entries()) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

const CodecEntry* find_codec(std::string_view name, std::uint32_t word_bits) noexcept {
  for (const CodecEntry& entry : entries()) {
    if (entry.name == name && entry.word_bits == word_bits) return &entry;
  }
  return nullptr;
}

std::string_view cpu_instruction_set() noexcept { return cpu::name_of(cpu::active_isa()); }

}  // namespace floe::registry
