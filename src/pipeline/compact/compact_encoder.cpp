// Words of a small table to a compact frame: neighbouring streams share a tree where that takes fewer bytes.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "container/compact_frame.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "pipeline/compact/listed_words.hpp"
#include "pipeline/compact/neighbours.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

/// Of more words, short searches tell whether neighbours become one run: there are many.
constexpr std::size_t thoroughly_merged_bytes = std::size_t{1} << 14;
/// Of more streams, estimates say which ones begin as one run.
constexpr std::size_t max_tried_streams = 48;
/// About what a part takes for its plan and its tables.
constexpr std::uint64_t estimated_part_bytes = 12;

/// Words of neighbouring streams that were encoded together: with one tree, or with several where a planner
/// cut them.
struct Run {
  struct Part {
    std::uint64_t count = 0;
    trees::EncodedTree tree;
  };
  std::uint64_t first = 0, count = 0;
  std::vector<Part> parts;
  std::uint64_t bytes = 0;

  /// Of the parts.
  void add_bytes() {
    constexpr std::uint64_t front_bytes = 3;  // of a part: its words, and that a plan follows
    for (const Part& part : parts)
      bytes += front_bytes + trees::written_bytes(part.tree.plan) + part.tree.body.size();
  }
};

bool is_codec(const trees::StreamPart& part) {
  return std::any_of(part.plan.nodes.begin(), part.plan.nodes.end(),
                     [](const trees::PlanNode& node) { return node.encoding == trees::EncodingId::codec; });
}

/// The parts of a stream as they were encoded; nothing if they have codecs, whose bytes depend on their
/// position.
std::vector<Run::Part> parts_in(std::span<const std::uint8_t> stream, DType type, std::uint64_t count) {
  const auto stored = trees::parts_of(stream, type, count);
  if (!stored || std::any_of(stored->begin(), stored->end(), is_codec)) return {};
  std::vector<Run::Part> parts;
  core::ByteReader reader(stream);
  reader.get_varint();  // how many
  for (const trees::StreamPart& part : *stored) {
    const std::size_t end = reader.position() + static_cast<std::size_t>(part.stored_bytes);
    if (&part != &stored->back()) reader.get_varint();
    if (reader.get_varint() == 0) reader.get_bytes(trees::written_bytes(part.plan));
    static_cast<void>(trees::find_body(reader, part.plan));
    Run::Part& taken = parts.emplace_back(Run::Part{part.count, {}});
    taken.tree.plan = part.plan;
    taken.tree.body.put_bytes(reader.get_bytes(end - reader.position()));
  }
  return parts;
}

/// The stream of all words of a type.
class TypeEncoder {
 public:
  /// `brief`: for searches whether neighbours become one run.
  TypeEncoder(DType type, const CompactSearch& search, const trees::Objective& brief)
      : type_(type), search_(search), objective_(of_runs(search.objective)), brief_(of_runs(brief)) {}

  /// The same words, to be encoded as another search says.
  TypeEncoder(const TypeEncoder& words, const CompactSearch& search)
      : type_(words.type_),
        search_(search),
        objective_(of_runs(search.objective)),
        brief_(objective_),
        pieces_(words.pieces_),
        texts_begin_(words.texts_begin_),
        texts_end_(words.texts_end_) {
    words_.put_bytes(words.words_.bytes());
  }

  void add(const void* words, std::uint64_t count, bool is_text) {
    if (count == 0) return;
    if (is_text && texts_end_ == 0) texts_begin_ = this->count();
    if (is_text) texts_end_ = this->count() + count;
    pieces_.push_back(count);
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type_);
    std::memcpy(words_.extend(bytes), words, bytes);
  }
  [[nodiscard]] std::uint64_t count() const { return words_.size() / size_of(type_); }
  [[nodiscard]] DType type() const { return type_; }

  /// Finds out which neighbours become one run. Gives about how many bytes there will be.
  std::uint64_t find_runs() {
    const bool is_tried = search_.tries_neighbours && pieces_.size() <= max_tried_streams;
    std::uint64_t first = 0;
    for (const std::uint64_t count : is_tried ? pieces_ : estimated_runs()) {
      runs_.push_back(encode_run(first, count, brief_));
      first += count;
    }
    if (search_.tries_neighbours && runs_.size() <= max_tried_streams)
      merge();
    else if (search_.finds_repetition)
      merge_texts();
    std::uint64_t bytes = 0;
    for (const Run& run : runs_) bytes += run.bytes;
    return bytes;
  }

  /// After find_runs(). No bytes if there would be more parts than a stream may have.
  std::vector<std::uint8_t> encode() {
    std::vector<std::uint8_t> smallest = encode_runs();
    for (const CompactSearch& search : search_.faster) {
      TypeEncoder other(*this, search);
      other.find_runs();
      std::vector<std::uint8_t> stream = other.encode_runs();
      if (smallest.empty() || (!stream.empty() && stream.size() < smallest.size()))
        smallest = std::move(stream);
    }
    return smallest;
  }

 private:
  std::vector<std::uint8_t> encode_runs() {
    for (Run& run : runs_) {
      if (search_.tries_neighbours) take_if_smaller(run, encode_run(run.first, run.count, objective_));
      if (search_.finds_repetition) take_if_smaller(run, encode_listed(run));
    }
    std::size_t parts = 0;
    for (const Run& run : runs_) parts += run.parts.size();
    if (parts > trees::max_stream_parts) return {};
    trees::PartWriter writer(parts, 0, trees::Alignment::compact);
    for (const Run& run : runs_) {
      for (const Run::Part& part : run.parts) writer.put(part.count, part.tree);
    }
    return writer.release();
  }

  static trees::Objective of_runs(trees::Objective objective) {
    objective.max_parts = 1;
    objective.tries_codecs = false;
    return objective;
  }

  [[nodiscard]] trees::ColumnView view_of(std::uint64_t first, std::uint64_t count) const {
    return {type_, words_.bytes().data() + first * size_of(type_), count};
  }
  static void take_if_smaller(Run& run, Run other) {
    if (!other.parts.empty() && other.bytes < run.bytes) run = std::move(other);
  }

  /// How many words the runs have that estimates give.
  [[nodiscard]] std::vector<std::uint64_t> estimated_runs() const {
    std::vector<std::uint64_t> runs;
    auto piece = pieces_.begin();
    for (const std::size_t streams : group_neighbours(view_of(0, count()), pieces_, estimated_part_bytes)) {
      const auto end = piece + static_cast<std::ptrdiff_t>(streams);
      runs.push_back(std::accumulate(std::exchange(piece, end), end, std::uint64_t{0}));
    }
    return runs;
  }

  Run encode_run(std::uint64_t first, std::uint64_t count, const trees::Objective& objective) const {
    const trees::ColumnView words = view_of(first, count);
    Run run{first, count, parts_in(encode_alone(words, objective), type_, count), 0};
    if (run.parts.empty()) {
      trees::Scratch scratch;
      run.parts.push_back({count, trees::encode_tree(words, {{trees::plain_leaf(type_)}}, scratch)});
    }
    run.add_bytes();
    return run;
  }
  /// With a list of all its words, where these repeat each other at positions that samples do not show; no
  /// parts where they do not.
  [[nodiscard]] Run encode_listed(const Run& run) const {
    Run listed{run.first, run.count, {}, 0};
    if (auto tree = encode_with_list(view_of(run.first, run.count), objective_)) {
      listed.parts.push_back({run.count, std::move(*tree)});
      listed.add_bytes();
    }
    return listed;
  }

  /// Texts may repeat those of other columns, which estimates do not tell.
  void merge_texts() {
    const auto is_before = [](const Run& run, std::uint64_t word) { return run.first < word; };
    const auto from = std::lower_bound(runs_.begin(), runs_.end(), texts_begin_, is_before),
               to = std::lower_bound(from, runs_.end(), texts_end_, is_before);
    if (to - from < 2) return;
    std::uint64_t words = 0, bytes = 0;
    for (auto run = from; run != to; ++run) {
      words += run->count;
      bytes += run->bytes;
    }
    Run merged = encode_run(from->first, words, brief_);
    if (merged.bytes >= bytes) return;
    *from = std::move(merged);
    runs_.erase(from + 1, to);
  }

  /// Neighbours become one run, always those that save the most by it.
  void merge() {
    std::vector<Run> merged;  // of each run with the next one
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) merged.push_back(merge_with_next(i));
    while (!merged.empty()) {
      std::size_t best = 0;
      std::uint64_t max_saved = 0;
      for (std::size_t i = 0; i < merged.size(); ++i) {
        const std::uint64_t apart = runs_[i].bytes + runs_[i + 1].bytes,
                            saved = apart - std::min(apart, merged[i].bytes);
        if (saved > max_saved) best = i;
        max_saved = std::max(max_saved, saved);
      }
      if (max_saved == 0) return;
      runs_[best] = std::move(merged[best]);
      runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(best));
      if (best < merged.size()) merged[best] = merge_with_next(best);
      if (best > 0) merged[best - 1] = merge_with_next(best - 1);
    }
  }
  [[nodiscard]] Run merge_with_next(std::size_t i) const {
    return encode_run(runs_[i].first, runs_[i].count + runs_[i + 1].count, brief_);
  }

  DType type_;
  const CompactSearch& search_;
  trees::Objective objective_, brief_;
  core::ByteWriter words_;
  std::vector<std::uint64_t> pieces_;  ///< Words of the streams.
  std::uint64_t texts_begin_ = 0, texts_end_ = 0;
  std::vector<Run> runs_;
};

void leave_quotes_out(CompactTable& table, std::span<rows::Words> words) {
  std::size_t first = table.segment.malformed.size();
  for (container::ColumnEntry& column : table.segment.columns) {
    const bool has_texts =
        column.format.kind == container::CellKind::words || column.format.kind == container::CellKind::text;
    table.has_quotes.push_back(has_texts && take_quotes_off(words[first], words[first + 1]));
    if (table.has_quotes.back())
      column.streams[1].count = static_cast<std::uint32_t>(words[first + 1].count());
    first += column.streams.size();
  }
}

}  // namespace

std::vector<std::uint8_t> encode_compact(CompactTable table, std::vector<rows::Words> words,
                                         const CompactSearch& search,
                                         const std::function<std::uint64_t(std::uint64_t)>& max_bytes) {
  leave_quotes_out(table, words);
  core::ByteWriter description;
  put_description(description, table);
  std::size_t bytes = description.size();
  for (const rows::Words& stream : words) bytes += stream.bytes().size();
  if (bytes > max_compact_words_bytes) return {};
  const trees::Objective brief = search.tries_neighbours && bytes > thoroughly_merged_bytes
                                     ? trees::objective_of(trees::Preset::balanced)
                                     : search.objective;
  std::vector<TypeEncoder> types;
  const auto of_type = [&](DType type) -> TypeEncoder& {
    if (types.empty() || types.back().type() != type) types.emplace_back(type, search, brief);
    return types.back();
  };
  bool is_described = false;
  const auto add_description = [&] {
    if (!std::exchange(is_described, true))
      of_type(DType::u8).add(description.bytes().data(), description.size(), false);
  };
  for (const CompactStream& stream : compact_order(table.segment)) {
    if (stream.type >= DType::u8) add_description();
    of_type(stream.type).add(words[stream.index].data(), stream.count, stream.role == Role::bytes);
  }
  add_description();

  constexpr std::uint64_t bytes_around = 64;  // at most: lengths of streams, and of the frame
  std::uint64_t about = bytes_around;
  for (TypeEncoder& type : types) about += type.find_runs();
  if (about - about / 8 > max_bytes(about)) return {};  // longer searches save less than that
  core::ByteWriter body, streams;
  std::uint64_t mask = 0;
  for (const TypeEncoder& type : types)
    mask |= std::uint64_t{type.count() > 0} << static_cast<unsigned>(type.type());
  body.put_varint(mask);
  for (TypeEncoder& type : types) {
    if (type.count() == 0) continue;
    const std::vector<std::uint8_t> stream = type.encode();
    if (stream.empty()) return {};
    body.put_varint(type.count());
    body.put_varint(stream.size());
    streams.put_bytes(stream);
  }
  body.put_bytes(streams.bytes());
  return container::write_compact_frame(body.bytes());
}

}  // namespace floe::pipeline
