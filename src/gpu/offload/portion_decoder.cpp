#include "gpu/offload/portion_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "chunks/segment_decoder.hpp"
#include "gpu/offload/frame_tail.hpp"

namespace floe::offload {
namespace {

/// How many slots may be used at once within the limit, if each needs memory of the host for a portion and
/// its result: as many of each device, if that is at least one.
std::uint32_t slots_within(const DevicePool& pool, const PortionRules& rules, const DecodeOptions& options,
                           bool direct) {
  const auto all = static_cast<std::uint32_t>(pool.slots().size());
  if (direct) return all;
  const std::uint64_t each = rules.frame_bound(rules.content_bytes()) + rules.content_bytes();
  const auto within =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(options.memory_limit_bytes / each, 1, all));
  return within - (within > pool.device_count() ? within % pool.device_count() : 0);
}

}  // namespace

PortionDecoder::PortionDecoder(const DevicePool& pool, const api::FramePlan& plan, Output& output,
                               const DecodeOptions& options, bool direct)
    : plan_(plan),
      rules_(plan),
      output_(output),
      options_(options),
      direct_(direct),
      slot_count_(slots_within(pool, rules_, options, direct)),
      ring_(
          pool.slots().first(slot_count_), std::min(pool.device_count(), slot_count_),
          [this](Portion& portion) { return collect(portion); },
          [this](Portion& portion) { return deliver(portion); }) {}

Status PortionDecoder::add(const format::SegmentHead& head, std::span<const std::uint8_t> segment,
                           std::uint64_t frame_offset) {
  const auto staged = stage(head);
  if (!staged) return staged.status();
  copy_bytes(*staged, segment.first(staged->size()), options_.threads);
  const auto payloads = direct_ ? segment.subspan(head.head_bytes)
                                : std::span<const std::uint8_t>(*staged).subspan(head.head_bytes);
  return add_part({head, staged->first(head.head_bytes), payloads, frame_offset});
}

Result<std::span<std::uint8_t>> PortionDecoder::room(const format::SegmentHead& head) { return stage(head); }

Status PortionDecoder::fill(const format::SegmentHead& head, std::uint64_t frame_offset) {
  const auto segment = memory_.subspan(used_bytes_, head.head_bytes + head.payload_bytes);
  return add_part({head, segment.first(head.head_bytes), segment.subspan(head.head_bytes), frame_offset});
}

Status PortionDecoder::finish() {
  if (const Status status = start(); !status.ok()) return status;
  return ring_.finish();
}

Result<std::span<std::uint8_t>> PortionDecoder::stage(const format::SegmentHead& head) {
  const std::uint64_t bytes = staged_bytes(head);
  if (filling_.slot != nullptr && bytes > memory_.size() - used_bytes_) {
    if (const Status status = start(); !status.ok()) return status;
  }
  if (filling_.slot == nullptr) {
    if (const Status status =
            api::check_memory(head, bytes + (output_.reachable() ? 0 : head.content_bytes), options_);
        !status.ok())
      return status;
    const Result<Slot*> slot = ring_.next_slot();
    if (!slot) return slot.status();
    const std::uint64_t front_bytes =
        rules_.header_bytes().size() + rules_.footer_bytes(rules_.content_bytes());
    const std::uint64_t room =
        rules_.segments() == 1 ? bytes : std::max(bytes, rules_.segments_bound(rules_.content_bytes()));
    const auto memory = (*slot)->staging(front_bytes + room);
    if (!memory) return memory.status();
    filling_.slot = *slot;
    memory_ = memory->first(front_bytes + room);
    used_bytes_ = front_bytes;
  }
  return memory_.subspan(used_bytes_, bytes);
}

Status PortionDecoder::add_part(const SegmentPart& part) {
  used_bytes_ += staged_bytes(part.head);
  filling_.content_bytes += part.head.content_bytes;
  filling_.segments.push_back(part);
  api::add_to_digest(digest_, {part.head, part.head_bytes, part.frame_offset}, plan_.header.checksums);
  return filling_.segments.size() < rules_.segments() ? Status{} : start();
}

/// Gives the segments a frame of their own and starts its decoding.
Status PortionDecoder::start() {
  if (filling_.segments.empty()) return {};
  Portion portion = std::exchange(filling_, {});
  const auto header = memory_.first(rules_.header_bytes().size());
  std::memcpy(header.data(), rules_.header_bytes().data(), header.size());
  std::vector<CopyIn> copies{{header, 0}};
  format::Footer footer;
  format::Digest digest;
  std::uint64_t offset = header.size();
  for (SegmentPart& part : portion.segments) {
    api::add_to_digest(digest, {part.head, part.head_bytes, part.frame_offset}, plan_.header.checksums);
    format::SegmentHead head = part.head;
    head.index = footer.segment_offsets.size();
    head.header_crc = rules_.header_crc();
    const auto head_bytes =
        memory_.subspan(static_cast<std::size_t>(part.head_bytes.data() - memory_.data()), head.head_bytes);
    tie_segment(head_bytes, head, plan_.header.checksums);
    footer.segment_offsets.push_back(offset);
    copies.push_back({head_bytes, offset});
    if (!part.payloads.empty()) copies.push_back({part.payloads, offset + head.head_bytes});
    offset += head.head_bytes + head.payload_bytes;
  }
  footer.element_count = portion.content_bytes / size_of(rules_.dtype());
  footer.outer_size = footer.element_count;
  footer.digest = digest.value();
  const auto footer_bytes = format::write_footer(footer);
  const auto footer_memory = memory_.subspan(header.size(), footer_bytes.size());
  std::memcpy(footer_memory.data(), footer_bytes.data(), footer_bytes.size());
  copies.push_back({footer_memory, offset});

  Task task;
  task.kind = Task::Kind::decompress;
  task.dtype = rules_.dtype();
  task.options = rules_.options();
  task.in_bytes = offset + footer_bytes.size();
  task.out_bytes = portion.content_bytes;
  if (const Status status = portion.slot->start(task, copies); !status.ok()) return status;
  return ring_.add(std::move(portion));
}

Status PortionDecoder::collect(Portion& portion) {
  const Result<TaskResult> result = portion.slot->wait_for_result();
  if (!result) return result.status();
  if (result->code != ErrorCode::ok) return explain(portion);
  if (result->bytes != portion.content_bytes)
    return {ErrorCode::device_error, 0, "a device returned content of an impossible length"};
  const auto target = output_.place(portion.content_bytes);
  if (!target) return target.status();
  portion.target = *target;
  portion.fetched = *target;
  if (!output_.reachable()) {
    const auto memory = portion.slot->result_memory(portion.content_bytes);
    if (!memory) return memory.status();
    portion.fetched = memory->first(portion.content_bytes);
  }
  return portion.slot->fetch(0, portion.fetched);
}

Status PortionDecoder::deliver(const Portion& portion) {
  if (const Status status = portion.slot->wait_for_fetch(); !status.ok()) return status;
  return output_.take(portion.fetched, portion.target);
}

/// Why a device refused a portion, in the words of the decoder on the CPU.
Status PortionDecoder::explain(const Portion& portion) const {
  api::SegmentDecoder decoder(plan_, options_);
  core::Buffer content;
  for (const SegmentPart& part : portion.segments) {
    const auto out = content.reserve(part.head.content_bytes);
    const api::CheckedSegment segment{part.head, part.head_bytes, part.frame_offset};
    if (const Status status = decoder.decode(segment, part.payloads, 0, out); !status.ok()) return status;
  }
  return {ErrorCode::device_error, 0, "a device refused segments that are good"};
}

}  // namespace floe::offload
