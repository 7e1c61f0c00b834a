#include "gpu/host/pieces/host_pieces.hpp"

#include <algorithm>
#include <cstring>

#include "core/guard.hpp"
#include "gpu/frames/frame_start.hpp"

namespace floe::gpu {
namespace {

/// Long enough for a copy, short enough for many of them to be under way in little memory.
constexpr std::uint64_t usual_piece_bytes = std::uint64_t{16} << 20;
/// Pieces in work, and how many of them are copied in while batches are planned: as long as searches take.
constexpr std::uint64_t max_lanes = 16, pieces_ahead = 10;
/// Batches that are planned side by side.
constexpr std::uint64_t planned_at_once = 32;

constexpr Status too_small{ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};

/// Copies memory of the host by all threads that are awake.
void copy_by_threads(std::span<const std::byte> from, std::byte* to, const PiecePlanning& planning) {
  constexpr std::size_t at_once = std::size_t{512} << 10;
  const std::size_t count = core::divide_up(from.size(), at_once);
  planning.threads.run(count, planning.scratch, [&](std::size_t i, trees::Scratch&) {
    const std::size_t offset = i * at_once;
    std::memcpy(to + offset, from.data() + offset, std::min(at_once, from.size() - offset));
  });
}

}  // namespace

/// One array on its way.
class HostPieces::Call {
 public:
  Call(HostPieces& pieces, const HostArray& array, const PiecePlanning& planning, PartRules rules,
       const pipeline::ArrayPlan& piece_plan)
      : pieces_(pieces),
        array_(array),
        planning_(planning),
        rules_(std::move(rules)),
        piece_plan_(piece_plan),
        frame_(rules_),
        piece_bytes_(pieces.shape_.piece_words * size_of(pieces.shape_.type)),
        reads_directly_(is_pinned(array.elements.data(), array.elements.size())),
        writes_directly_(is_pinned(array.frame.data(), array.frame.size())) {}

  [[nodiscard]] std::uint64_t count() const { return core::divide_up(array_.elements.size(), piece_bytes_); }
  Status run();
  /// Waits for all that is at work, whatever happened.
  void settle() const;
  Result<std::size_t> finish();

 private:
  [[nodiscard]] PieceLane& lane(std::uint64_t piece) const {
    return *pieces_.lanes_[piece % pieces_.lanes_.size()];
  }
  Status load(std::uint64_t piece);
  void plan_next();
  Status encode(std::uint64_t piece);
  Status fetch(std::uint64_t end);
  Status deliver(std::uint64_t end);

  HostPieces& pieces_;
  const HostArray& array_;
  const PiecePlanning& planning_;
  PartRules rules_;
  const pipeline::ArrayPlan& piece_plan_;
  FrameOfParts frame_;
  std::uint64_t piece_bytes_;
  bool reads_directly_, writes_directly_;
  std::vector<cuda::FramePart> parts_;
  std::vector<trees::Plan> plans_;  ///< Of the first batches.
  std::vector<std::uint8_t> windows_;
  /// Pieces, the first ones, with which the device has begun, that are being copied out, and that are there.
  std::uint64_t encoded_ = 0, fetched_ = 0, delivered_ = 0;
};

Status HostPieces::Call::load(std::uint64_t piece) {
  PieceLane& to = lane(piece);
  const std::uint64_t offset = piece * piece_bytes_;
  const HostPiece loaded{
      array_.elements.subspan(offset, std::min(piece_bytes_, array_.elements.size() - offset)),
      offset / rules_.segment_bytes()};
  const std::byte* from = loaded.elements.data();
  if (!reads_directly_) {
    const auto staging = to.staging_in();
    if (!staging) return staging.status();
    copy_by_threads(loaded.elements, staging->data(), planning_);
    from = staging->data();
  }
  return to.load(loaded, from, pieces_.in_.get());
}

/// Chooses trees for the next batches.
void HostPieces::Call::plan_next() {
  const PieceShape& shape = pieces_.shape_;
  const std::uint64_t first = plans_.size() * shape.batch_words, width = size_of(shape.type),
                      words = std::min(planned_at_once * shape.batch_words,
                                       array_.elements.size() / width - first),
                      at_hand = trees::SegmentWindows::words_at_hand(shape.batch_words) * width,
                      stride =
                          at_hand + trees::SegmentWindows::words_before(array_.strides.get().size()) * width;
  std::vector<trees::SegmentWindows> batches(core::divide_up(words, shape.batch_words));
  windows_.resize(batches.size() * stride);
  planning_.threads.run(batches.size(), planning_.scratch, [&](std::size_t i, trees::Scratch&) {
    const std::uint64_t begin = i * shape.batch_words;
    const trees::ColumnView batch{shape.type, array_.elements.data() + (first + begin) * width,
                                  std::min(shape.batch_words, words - begin)};
    std::uint8_t* const to = windows_.data() + i * stride;
    batches[i] = trees::store_windows(batch, shape.segment_words, to);
    trees::store_before(batch, array_.strides, to + at_hand, batches[i]);
  });
  for (trees::Plan& plan : planning_.planner.plan_all(batches, planning_.scratch)) {
    planning_.trees.push_back(text_of(plan));
    plans_.push_back(std::move(plan));
  }
}

/// Neighbouring batches with the same tree are encoded together.
Status HostPieces::Call::encode(std::uint64_t piece) {
  PieceLane& with = lane(piece);
  const std::uint64_t batch_words = pieces_.shape_.batch_words,
                      first = piece * (pieces_.shape_.piece_words / batch_words),
                      count = core::divide_up(with.words(), batch_words);
  while (plans_.size() < first + count) plan_next();
  CudaCalls calls;
  calls.check(with.begin_encoding(piece_plan_));
  for (std::uint64_t i = 0, end = 0; i < count && calls.ok(); i = end) {
    const trees::Plan& plan = plans_[first + i];
    while (end < count && plans_[first + end] == plan) ++end;
    const std::uint64_t begin_word = i * batch_words, end_word = std::min(end * batch_words, with.words());
    calls.check(with.encode({i, begin_word, end_word - begin_word}, plan));
  }
  return calls.ok() ? with.finish_encoding(rules_) : calls.status();
}

/// Copies out what the pieces before `end` became, of those that are encoded already and of more.
Status HostPieces::Call::fetch(std::uint64_t end) {
  CudaCalls calls;
  while (calls.ok() && (fetched_ < end || (fetched_ < encoded_ && lane(fetched_).is_encoded()))) {
    PieceLane& from = lane(fetched_);
    calls.check(from.wait_until_encoded());
    if (calls.ok()) calls.check(frame_.append(from.piece().elements.size(), from.result(), from.facts()));
    if (!calls.ok()) break;
    const cuda::FramePart& part = frame_.last();
    if (part.frame_offset + part.bytes > array_.frame.size()) return too_small;
    std::byte* to = array_.frame.data() + part.frame_offset;
    if (!writes_directly_) {
      const auto staging = from.staging_out(part.bytes);
      if (!staging) return staging.status();
      to = staging->data();
    }
    calls.check(from.copy_out(part, to, pieces_.out_.get()));
    parts_.push_back(part);
    ++fetched_;
  }
  return calls.status();
}

/// What the pieces before `end` became is where it belongs.
Status HostPieces::Call::deliver(std::uint64_t end) {
  CudaCalls calls;
  calls.check(fetch(end));
  for (; delivered_ < end && calls.ok(); ++delivered_) {
    if (writes_directly_) continue;
    PieceLane& from = lane(delivered_);
    if (!calls.check(from.wait_until_copied()).ok()) break;
    const cuda::FramePart& part = parts_[delivered_];
    const auto staging = from.staging_out(part.bytes);
    if (!staging) return staging.status();
    copy_by_threads(*staging, array_.frame.data() + part.frame_offset, planning_);
  }
  return calls.status();
}

Status HostPieces::Call::run() {
  const trees::Awake awake(&planning_.threads);
  const std::uint64_t lanes = pieces_.lanes_.size();
  std::uint64_t loaded = 0;
  CudaCalls calls;
  while (encoded_ < count() && calls.ok()) {
    for (; loaded < std::min(count(), encoded_ + pieces_ahead) && calls.ok(); ++loaded) {
      if (loaded >= lanes) calls.check(deliver(loaded - lanes + 1));
      if (calls.ok()) calls.check(load(loaded));
    }
    if (calls.ok()) calls.check(encode(encoded_));
    if (!calls.ok()) break;
    ++encoded_;
    calls.check(fetch(0));
  }
  if (calls.ok()) calls.check(deliver(count()));
  return calls.check(cudaStreamSynchronize(pieces_.out_.get())).status();
}

void HostPieces::Call::settle() const {
  (void)cudaStreamSynchronize(pieces_.in_.get());
  for (const auto& lane : pieces_.lanes_) lane->settle();
  (void)cudaStreamSynchronize(pieces_.out_.get());
}

Result<std::size_t> HostPieces::Call::finish() {
  const cuda::PartedFrame frame = frame_.finish(array_.extent);
  if (frame.frame_bytes > array_.frame.size()) return too_small;
  std::ranges::copy(frame.header, array_.frame.begin());
  std::ranges::copy(frame.footer, array_.frame.begin() +
                                      static_cast<std::ptrdiff_t>(frame.frame_bytes - frame.footer.size()));
  return static_cast<std::size_t>(frame.frame_bytes);
}

HostPieces::HostPieces(DType type, std::uint32_t segment_words, std::uint64_t batch_words) {
  const std::uint64_t batch_bytes = batch_words * size_of(type);
  shape_ = {type, segment_words, batch_words,
            std::max<std::uint64_t>(1, usual_piece_bytes / batch_bytes) * batch_words};
}

HostPieces::~HostPieces() {
  if (check().ok()) return;
  in_.forget();
  out_.forget();
}

Status HostPieces::reserve(std::uint64_t pieces) {
  CudaCalls calls;
  if (in_.get() == nullptr) calls.check(in_.create());
  if (out_.get() == nullptr) calls.check(out_.create());
  while (lanes_.size() < std::min(pieces, max_lanes) && calls.ok()) {
    auto lane = std::make_unique<PieceLane>();
    if (calls.check(lane->allocate(shape_)).ok()) lanes_.push_back(std::move(lane));
  }
  return calls.status();
}

Result<std::size_t> HostPieces::compress(const HostArray& array, const PiecePlanning& planning) {
  if (const Status status = check(); !status.ok()) return status;
  Options with = with_profile(array.options);
  with.segment_bytes = std::uint64_t{shape_.segment_words} * size_of(array.dtype);
  auto whole = pipeline::plan_array(array.dtype, array.extent, with);
  if (!whole) return whole.status();
  if (*array.extent.element_count() * whole->word_bytes() != array.elements.size())
    return invalid("the input's size is not that of its shape");
  with.prefix = {};
  const auto of_piece = pipeline::plan_array(array.dtype, Extent::linear(shape_.piece_words), with);
  if (!of_piece) return of_piece.status();
  Call call(*this, array, planning, PartRules(std::move(whole->header), {}), *of_piece);
  if (const Status status = reserve(call.count()); !status.ok()) return status;
  const Status status = core::guarded([&] { return call.run(); });
  if (!status.ok()) call.settle();
  return status.ok() ? call.finish() : Result<std::size_t>(status);
}

}  // namespace floe::gpu
