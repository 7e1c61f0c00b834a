// What codecs there are, and which version this is.
#include <algorithm>
#include <array>

#include "chunks/registry/codec_entry.hpp"
#include "core/spare_memory.hpp"
#include "floe/floe.hpp"

namespace floe {

std::string_view version() noexcept { return FLOE_VERSION; }

void release_memory() noexcept { core::free_spare_memory(); }

std::string_view instruction_set() noexcept { return registry::cpu_instruction_set(); }

std::span<const CodecInfo> codecs() noexcept {
  static const auto infos = [] {
    std::array<CodecInfo, registry::codec_count> list;
    std::ranges::transform(registry::all_codecs(), list.begin(), [](const registry::CodecEntry& codec) {
      return CodecInfo{codec.name, codec.summary, codec.word_bits, codec.id};
    });
    return list;
  }();
  return infos;
}

}  // namespace floe
