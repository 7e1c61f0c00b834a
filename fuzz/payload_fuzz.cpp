// Is any payload of a chunk safe to decode, and do the backends agree on every one? No checksum stands before
// them here.
#include "chunks/registry/codec_entry.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

bool decode(const registry::ChunkCoder& coder, const Bytes& payload, Bytes& chunk,
            const core::ChunkContext& context) {
  Bytes workspace(coder.workspace_bytes(chunk.size()));
  return coder.decode(payload, chunk, workspace, context);
}

void run(Input input) {
  const auto codecs = registry::all_codecs();
  const registry::CodecEntry& codec = codecs[input.take<std::uint8_t>() % codecs.size()];
  core::ChunkContext context;
  context.bytes = 1 + input.take<std::uint16_t>() % core::chunk_bytes;
  context.parameters.dimensionality = 1 + input.take<std::uint8_t>() % 32;
  const Bytes payload = input.rest();
  if (payload.empty() || payload.size() >= context.bytes) return;

  Bytes chunk(context.bytes), reference(context.bytes);
  const bool valid = decode(codec.cpu, payload, chunk, context);
  require(valid == decode(codec.reference, payload, reference, context));
  require(!valid || chunk == reference);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run({data, size});
  return 0;
}
