// The bare stream of GFC: docs/format/published.md.
#include <algorithm>
#include <limits>
#include <vector>

#include "chunks/cpu/run_pipeline.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "core/bits.hpp"
#include "research/published.hpp"
#include "research/support.hpp"

namespace floe::published {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::uint32_t subchunk_words = 32;
constexpr std::uint32_t largest_dimensionality = 32;
constexpr std::uint64_t largest_count = (std::uint64_t{1} << 31) - 1;

// Of 32 words: 16 bytes of codes, and 0 to 8 bytes for each.
constexpr std::uint64_t smallest_subchunk_bytes = 16;
constexpr std::uint64_t largest_subchunk_bytes = 272;

// Where the fields of the stream lie.
constexpr std::size_t dimensionality_at = 4;
constexpr std::size_t chunk_count_at = 5;
constexpr std::size_t sizes_at = 7;
constexpr std::size_t size_bytes = 4;

const registry::ChunkCoder& coder() { return registry::find_codec("gfc", 64)->cpu; }

/// The output of the stages even if nothing is gained: these streams have no raw chunks. `workspace` is that
/// of the codec.
std::size_t encode_stages(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                          std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
  const auto payload = cpu::encode_stages<std::uint64_t>(
      chunk_codecs::Gfc64::Pipeline{}, chunk, cpu::PingPong(workspace.data(), chunk.size()), context);
  std::copy(payload->begin(), payload->end(), out.begin());
  return payload->size();
}

core::ChunkContext context_of(std::size_t chunk_bytes, std::uint32_t dimensionality) {
  core::ChunkContext context;
  context.bytes = chunk_bytes;
  context.parameters.dimensionality = dimensionality;
  return context;
}

/// How `count` doubles are cut. Positions are those of doubles.
class Chunks {
 public:
  Chunks(std::uint64_t count, std::uint32_t chunk_count)
      : padded_count_(core::align_up(count, subchunk_words)),
        each_(std::max<std::uint64_t>(
            subchunk_words, core::align_up(core::divide_up(padded_count_, chunk_count), subchunk_words))) {}

  [[nodiscard]] std::uint64_t begin(std::uint64_t chunk) const {
    return std::min(chunk * each_, padded_count_);
  }
  [[nodiscard]] std::uint64_t end(std::uint64_t chunk) const { return begin(chunk + 1); }
  [[nodiscard]] std::uint64_t subchunks(std::uint64_t chunk) const {
    return (end(chunk) - begin(chunk)) / subchunk_words;
  }
  [[nodiscard]] std::uint64_t largest_stored_bytes() const {
    return each_ / subchunk_words * largest_subchunk_bytes;
  }

 private:
  std::uint64_t padded_count_;
  std::uint64_t each_;
};

/// The doubles of a chunk that is filled up: `words` [begin, count), and the filling up to `end`.
std::vector<std::uint64_t> fill_up(std::span<const std::uint8_t> words, std::uint64_t begin,
                                   std::uint64_t count, std::uint64_t end, std::uint32_t dimensionality) {
  std::vector<std::uint64_t> chunk;
  for (std::uint64_t i = begin; i < count; ++i)
    chunk.push_back(core::load<std::uint64_t>(words.data() + word_bytes * i));
  const std::uint64_t last_subchunk = end - subchunk_words - begin;
  for (std::uint64_t i = count; i < end; ++i)
    chunk.push_back(last_subchunk == 0 ? 0 : chunk[last_subchunk - dimensionality + i % dimensionality]);
  return chunk;
}

/// A stream whose sizes were checked, so that every chunk lies inside it.
struct Parsed {
  std::uint64_t count = 0;  ///< doubles
  std::uint32_t dimensionality = 0;
  std::uint32_t chunk_count = 0;
  std::span<const std::uint8_t> stream;

  [[nodiscard]] Chunks chunks() const { return {count, chunk_count}; }
  [[nodiscard]] std::uint64_t stored_bytes(std::uint32_t chunk) const {
    return core::load<std::uint32_t>(stream.data() + sizes_at + size_bytes * chunk);
  }
  [[nodiscard]] std::size_t chunks_at() const { return sizes_at + size_bytes * chunk_count; }
};

Result<Parsed> parse(std::span<const std::uint8_t> stream) {
  if (stream.size() < sizes_at) return truncated(stream.size(), "the stream ends before its sizes");
  Parsed parsed;
  parsed.stream = stream;
  parsed.count = core::load<std::uint32_t>(stream.data());
  parsed.dimensionality = stream[dimensionality_at];
  parsed.chunk_count = core::load<std::uint16_t>(stream.data() + chunk_count_at);
  if (parsed.count > largest_count) return corrupt(0, "the count of doubles is negative");
  if (parsed.dimensionality < 1 || parsed.dimensionality > largest_dimensionality)
    return corrupt(dimensionality_at, "the dimensionality is not 1 to 32");
  if (parsed.chunk_count == 0) return corrupt(chunk_count_at, "there are no chunks");
  if (stream.size() < parsed.chunks_at())
    return truncated(stream.size(), "the stream ends before the sizes of all chunks");

  const Chunks chunks = parsed.chunks();
  std::uint64_t remaining = stream.size() - parsed.chunks_at();
  for (std::uint32_t chunk = 0; chunk < parsed.chunk_count; ++chunk) {
    const std::uint64_t stored = parsed.stored_bytes(chunk), subchunks = chunks.subchunks(chunk);
    if (stored < subchunks * smallest_subchunk_bytes || stored > subchunks * largest_subchunk_bytes) {
      return corrupt(sizes_at + size_bytes * chunk, "the size of a chunk is impossible");
    }
    if (stored > remaining) return truncated(stream.size(), "the stream ends before its last chunk");
    remaining -= stored;
  }
  if (remaining != 0) return corrupt(stream.size() - remaining, "bytes follow the last chunk");
  return parsed;
}

std::vector<std::byte> compress_chunks(std::span<const std::uint8_t> in, const Chunks& chunks,
                                       const GfcOptions& options) {
  const std::uint64_t count = in.size() / word_bytes;
  std::vector<std::byte> stream(sizes_at + size_bytes * options.chunk_count);
  std::uint8_t* const header = as_u8(std::span(stream)).data();
  core::store(header, static_cast<std::uint32_t>(count));
  header[dimensionality_at] = static_cast<std::uint8_t>(options.dimensionality);
  core::store(header + chunk_count_at, static_cast<std::uint16_t>(options.chunk_count));

  std::vector<std::uint8_t> workspace(
      coder().workspace_bytes(word_bytes * (chunks.end(0) - chunks.begin(0))));
  for (std::uint32_t c = 0; c < options.chunk_count && chunks.begin(c) < count; ++c) {
    const std::uint64_t begin = chunks.begin(c), end = chunks.end(c);
    std::vector<std::uint64_t> filled;
    if (end > count) filled = fill_up(in, begin, count, end, options.dimensionality);
    const auto chunk = filled.empty() ? in.subspan(word_bytes * begin, word_bytes * (end - begin))
                                      : as_u8(std::as_bytes(std::span(filled)));
    const std::size_t at = stream.size();
    stream.resize(at + chunks.subchunks(c) * largest_subchunk_bytes);
    const std::size_t stored = encode_stages(chunk, as_u8(std::span(stream).subspan(at)), workspace,
                                             context_of(chunk.size(), options.dimensionality));
    stream.resize(at + stored);
    core::store(as_u8(std::span(stream)).data() + sizes_at + size_bytes * c,
                static_cast<std::uint32_t>(stored));
  }
  return stream;
}

}  // namespace

Result<std::vector<std::byte>> compress_gfc(std::span<const std::byte> in, const GfcOptions& options) {
  if (options.chunk_count < 1 || options.chunk_count > std::numeric_limits<std::uint16_t>::max())
    return invalid("chunk_count must be 1 to 65535");
  if (options.dimensionality < 1 || options.dimensionality > largest_dimensionality)
    return invalid("dimensionality must be 1 to 32");
  if (in.size() % word_bytes != 0) return invalid("the stream holds whole doubles");
  if (in.size() / word_bytes > largest_count) return invalid("the stream holds fewer than 2^31 doubles");
  const Chunks chunks(in.size() / word_bytes, options.chunk_count);
  if (chunks.largest_stored_bytes() > std::numeric_limits<std::int32_t>::max())
    return invalid("chunk_count is too small: a chunk could have 2 GiB");
  return guarded(
      [&]() -> Result<std::vector<std::byte>> { return compress_chunks(as_u8(in), chunks, options); });
}

Result<std::vector<std::byte>> decompress_gfc(std::span<const std::byte> stream,
                                              std::uint64_t memory_limit_bytes) {
  const Result<Parsed> parsed = parse(as_u8(stream));
  if (!parsed) return parsed.status();
  const Chunks chunks = parsed->chunks();
  const std::size_t out_bytes = word_bytes * parsed->count,
                    workspace_bytes = coder().workspace_bytes(word_bytes * (chunks.end(0) - chunks.begin(0)));
  if (out_bytes + workspace_bytes > memory_limit_bytes)
    return Status{ErrorCode::out_of_memory, 0, "decoding needs more than memory_limit_bytes"};
  return guarded([&]() -> Result<std::vector<std::byte>> {
    std::vector<std::byte> out(out_bytes);
    std::vector<std::uint8_t> workspace(workspace_bytes);
    std::size_t at = parsed->chunks_at();
    for (std::uint32_t c = 0; c < parsed->chunk_count && chunks.begin(c) < parsed->count; ++c) {
      // The filling is not wanted: the stages leave out what lies beyond the chunk's bytes.
      const std::size_t bytes = word_bytes * (std::min(chunks.end(c), parsed->count) - chunks.begin(c));
      const auto chunk = as_u8(std::span(out).subspan(word_bytes * chunks.begin(c), bytes));
      const std::size_t stored = parsed->stored_bytes(c);
      if (!coder().decode(parsed->stream.subspan(at, stored), chunk, workspace,
                          context_of(bytes, parsed->dimensionality))) {
        return corrupt(at, "a chunk contradicts the format");
      }
      at += stored;
    }
    return out;
  });
}

}  // namespace floe::published
