// The oracle: slow, obvious coders for the chunks of every codec, which the library must equal bit for bit.
#pragma once

#include "chunks/registry/codec_entry.hpp"

namespace floe::oracle {

/// Coders of the same form as CodecEntry::cpu.
registry::ChunkCoder coder_of(const registry::CodecEntry& codec);

}  // namespace floe::oracle
