#include "chunks/leaf.hpp"

#include <algorithm>
#include <vector>

#include "chunks/cpu/checksum.hpp"
#include "core/bits.hpp"
#include "core/splitmix.hpp"

namespace floe::chunks {

std::array<std::uint8_t, front_bytes> front_of(const Leaf& leaf, std::uint8_t kind) {
  return {1,
          0,
          encoding_id,
          static_cast<std::uint8_t>(leaf.codec->id),
          static_cast<std::uint8_t>(leaf.dimensionality),
          kind};
}

core::BlockEntry block_of(std::span<const std::uint8_t> bytes, bool checksums) {
  core::BlockEntry entry{0, static_cast<std::uint16_t>(bytes.size()), mode_raw};
  if (!checksums) return entry;
  static const cpu::FinishChecksum finish = cpu::finish_checksum_function(cpu::active_isa());
  core::RunningChecksum checksum(bytes.data(), static_cast<std::size_t>(padded(bytes.size())));
  entry.checksum = finish(checksum);
  return entry;
}

std::uint64_t digest_of_bytes(std::span<const std::uint8_t> bytes, bool checksums) {
  core::Digest digest;
  for (std::size_t at = 0; at < bytes.size(); at += core::chunk_bytes)
    digest.add(block_of(bytes.subspan(at, std::min(core::chunk_bytes, bytes.size() - at)), checksums));
  return digest.value();
}

LeafEstimate estimate_leaf(const Leaf& leaf, std::span<const std::uint8_t> content, std::size_t step,
                           std::size_t min_chunks) {
  const std::size_t step_chunks =
      std::clamp<std::size_t>(content.size() / (min_chunks * core::chunk_bytes), 1, step);
  std::vector<std::uint8_t> workspace(leaf.codec->cpu.workspace_bytes(core::chunk_bytes)),
      payload(core::chunk_bytes);
  core::ChunkContext context = leaf.context();
  std::uint64_t bytes = 0, squares = 0, looked_at = 0, count = 0;
  const std::size_t chunks = core::divide_up(content.size(), core::chunk_bytes);
  for (std::size_t first = 0; first < chunks; first += step_chunks, ++count) {
    // Equal distances might be those of the planes of an array, whose edges are not like the rest.
    const std::size_t among = std::min(step_chunks, chunks - first),
                      at = (first + core::splitmix(count + 1) % among) * core::chunk_bytes;
    const auto chunk = content.subspan(at, std::min(core::chunk_bytes, content.size() - at));
    context.bytes = chunk.size();
    const std::size_t stored = leaf.codec->cpu.encode(chunk, payload, workspace, context);
    const std::uint64_t stored_bytes = padded(stored == registry::raw_chunk ? chunk.size() : stored);
    bytes += stored_bytes;
    squares += stored_bytes * stored_bytes;
    looked_at += chunk.size();
  }
  if (count == 0) return {};
  LeafEstimate estimate{bytes * content.size() / looked_at +
                        table_bytes(core::divide_up(content.size(), core::chunk_bytes), true)};
  // Three standard errors, of chunks that were not looked at.
  const std::uint64_t variance = (squares - bytes * bytes / count) / count;
  estimate.error = core::square_root(9 * variance * ((chunks - count) * chunks / count));
  return estimate;
}

}  // namespace floe::chunks
