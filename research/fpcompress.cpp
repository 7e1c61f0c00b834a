// The bare streams of SPspeed, SPratio, DPspeed and DPratio: docs/format/published.md.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "chunks/registry/codec_entry.hpp"
#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "research/published.hpp"
#include "research/support.hpp"

namespace floe::published {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t size_bytes = 2;  // of a chunk's entry in the table

/// A codec of the publication, and how many bytes its streams have for their length.
struct Published {
  const registry::CodecEntry* codec = nullptr;
  std::size_t length_bytes = 0;
};

Result<Published> find(std::string_view name) {
  constexpr struct {
    std::string_view name;
    std::uint32_t word_bits;
    std::size_t length_bytes;
  } all[] = {{"spspeed", 32, 4}, {"spratio", 32, 4}, {"dpspeed", 64, 8}, {"dpratio", 64, 8}};
  for (const auto& each : all) {
    if (each.name == name)
      return Published{registry::find_codec(each.name, each.word_bits), each.length_bytes};
  }
  return Status{ErrorCode::unsupported_codec, 0, "the publication has no stream of this name"};
}

core::ChunkContext context_of(std::size_t chunk_bytes) {
  core::ChunkContext context;
  context.bytes = chunk_bytes;
  return context;
}

/// What is cut into chunks: the words' values and distances.
std::vector<std::uint64_t> with_history(const registry::CodecEntry& codec, Bytes in) {
  const registry::SegmentHistory& history = codec.segment_history;
  const std::size_t words = in.size() / sizeof(std::uint64_t);
  std::vector<std::uint32_t> distances(words);
  core::Buffer scratch;
  history.find_matches(in, distances, scratch.reserve(history.scratch_bytes(words, 1)), 1,
                       [](std::uint32_t count, const auto& work) {
                         for (std::uint32_t i = 0; i < count; ++i) work(i);
                       });
  std::vector<std::uint64_t> values_and_distances(2 * words);
  history.coded_words(in, distances, 0, values_and_distances);
  return values_and_distances;
}

std::vector<std::byte> compress_chunks(const Published& published, Bytes in) {
  const registry::ChunkCoder& coder = published.codec->cpu;
  const std::size_t chunk_count = core::divide_up(in.size(), core::chunk_bytes);
  std::vector<std::byte> stream(published.length_bytes + size_bytes * chunk_count);
  const std::uint64_t length = in.size();
  std::memcpy(stream.data(), &length, published.length_bytes);

  std::vector<std::uint8_t> workspace(coder.workspace_bytes(core::chunk_bytes));
  for (std::size_t i = 0; i < chunk_count; ++i) {
    const Bytes chunk =
        in.subspan(i * core::chunk_bytes, std::min(core::chunk_bytes, in.size() - i * core::chunk_bytes));
    const std::size_t begin = stream.size();
    stream.resize(begin + chunk.size());
    const auto payload = as_u8(std::span(stream).subspan(begin));
    std::size_t stored = coder.encode(chunk, payload, workspace, context_of(chunk.size()));
    if (stored == registry::raw_chunk) {
      std::copy(chunk.begin(), chunk.end(), payload.begin());
      stored = chunk.size();
    }
    stream.resize(begin + stored);
    core::store(as_u8(std::span(stream)).data() + published.length_bytes + size_bytes * i,
                static_cast<std::uint16_t>(stored));
  }
  return stream;
}

/// A stream whose length and table of sizes were checked, so that every payload lies inside it.
struct Parsed {
  std::uint64_t length = 0;  ///< Of all chunks together.
  Bytes sizes;
  Bytes payloads;

  [[nodiscard]] std::size_t chunk_count() const { return sizes.size() / size_bytes; }
  [[nodiscard]] std::size_t chunk_bytes(std::size_t chunk) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(core::chunk_bytes, length - chunk * core::chunk_bytes));
  }
  [[nodiscard]] std::size_t stored_bytes(std::size_t chunk) const {
    return core::load<std::uint16_t>(sizes.data() + size_bytes * chunk);
  }
};

Result<Parsed> parse(const Published& published, Bytes stream) {
  Parsed parsed;
  if (stream.size() < published.length_bytes)
    return truncated(stream.size(), "the stream ends before its length");
  std::memcpy(&parsed.length, stream.data(), published.length_bytes);
  if (parsed.length == 0) return corrupt(0, "the length is 0");
  if (published.codec->has_history && parsed.length % (2 * sizeof(std::uint64_t)) != 0)
    return corrupt(0, "the length is no whole number of words with their distances");

  const Bytes rest = stream.subspan(published.length_bytes);
  const std::uint64_t chunk_count = core::divide_up(parsed.length, core::chunk_bytes);
  if (chunk_count > rest.size() / size_bytes)
    return truncated(stream.size(), "the stream ends before the sizes of all chunks");
  parsed.sizes = rest.first(size_bytes * chunk_count);
  parsed.payloads = rest.subspan(parsed.sizes.size());

  std::size_t remaining = parsed.payloads.size();
  for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
    const std::size_t stored = parsed.stored_bytes(chunk);
    if (stored == 0 || stored > parsed.chunk_bytes(chunk))
      return corrupt(published.length_bytes + size_bytes * chunk, "the size of a chunk is impossible");
    if (stored > remaining) return truncated(stream.size(), "the stream ends before its last chunk");
    remaining -= stored;
  }
  if (remaining != 0) return corrupt(stream.size() - remaining, "bytes follow the last chunk");
  return parsed;
}

/// Decodes all chunks to `out`, which has room for exactly them.
Status decompress_chunks(const Published& published, const Parsed& parsed, std::span<std::uint8_t> out) {
  const registry::ChunkCoder& coder = published.codec->cpu;
  std::vector<std::uint8_t> workspace(coder.workspace_bytes(core::chunk_bytes));
  Bytes payloads = parsed.payloads;
  for (std::size_t i = 0; i < parsed.chunk_count(); ++i) {
    const std::span<std::uint8_t> chunk = out.subspan(i * core::chunk_bytes, parsed.chunk_bytes(i));
    const Bytes payload = payloads.first(parsed.stored_bytes(i));
    if (payload.size() == chunk.size()) {
      std::copy(payload.begin(), payload.end(), chunk.begin());
    } else if (!coder.decode(payload, chunk, workspace, context_of(chunk.size()))) {
      const auto offset =
          published.length_bytes + parsed.sizes.size() + parsed.payloads.size() - payloads.size();
      return corrupt(offset, "a chunk contradicts the format");
    }
    payloads = payloads.subspan(payload.size());
  }
  return {};
}

Result<std::vector<std::byte>> decompress_words_with_history(const Published& published,
                                                             const Parsed& parsed) {
  std::vector<std::uint64_t> values_and_distances(parsed.length / sizeof(std::uint64_t));
  const auto bytes = as_u8(std::as_writable_bytes(std::span(values_and_distances)));
  if (const Status status = decompress_chunks(published, parsed, bytes); !status.ok()) return status;
  const std::span all(values_and_distances);
  const auto words = all.first(all.size() / 2);
  if (!published.codec->segment_history.resolve_matches(bytes.first(bytes.size() / 2), 0,
                                                        all.subspan(words.size())))
    return corrupt(0, "a distance leads before the first word");
  const auto out = std::as_bytes(words);
  return std::vector<std::byte>(out.begin(), out.end());
}

}  // namespace

Result<std::vector<std::byte>> compress_fpcompress(std::span<const std::byte> in, std::string_view codec) {
  const Result<Published> published = find(codec);
  if (!published) return published.status();
  if (in.empty()) return invalid("the stream of an empty input is not defined");
  if (published->length_bytes == 4 && in.size() > std::numeric_limits<std::uint32_t>::max())
    return invalid("this stream holds less than 4 GiB");
  if (published->codec->has_history && in.size() % sizeof(std::uint64_t) != 0)
    return invalid("this stream holds whole 64-bit words");
  return guarded([&]() -> Result<std::vector<std::byte>> {
    if (!published->codec->has_history) return compress_chunks(*published, as_u8(in));
    const std::vector<std::uint64_t> values_and_distances = with_history(*published->codec, as_u8(in));
    return compress_chunks(*published, as_u8(std::as_bytes(std::span(values_and_distances))));
  });
}

Result<std::vector<std::byte>> decompress_fpcompress(std::span<const std::byte> stream,
                                                     std::string_view codec,
                                                     std::uint64_t memory_limit_bytes) {
  const Result<Published> published = find(codec);
  if (!published) return published.status();
  const Result<Parsed> parsed = parse(*published, as_u8(stream));
  if (!parsed) return parsed.status();
  const bool has_history = published->codec->has_history;
  const std::uint64_t copies = has_history ? 2 : 1;  // with history: values and distances, and half of that
                                                     // for the words and for the bytes that are returned
  if (parsed->length > memory_limit_bytes / copies)
    return Status{ErrorCode::out_of_memory, 0, "the output is larger than memory_limit_bytes"};
  return guarded([&]() -> Result<std::vector<std::byte>> {
    if (has_history) return decompress_words_with_history(*published, *parsed);
    std::vector<std::byte> out(parsed->length);
    if (const Status status = decompress_chunks(*published, *parsed, as_u8(std::span(out))); !status.ok())
      return status;
    return out;
  });
}

}  // namespace floe::published
