#include "gpu/offload/portion_encoder.hpp"

#include <array>

namespace floe::offload {

PortionEncoder::PortionEncoder(const DevicePool& pool, const api::FramePlan& plan, Output& output,
                               std::uint32_t threads)
    : pool_(pool),
      rules_(plan),
      tail_(plan),
      output_(output),
      threads_(threads),
      ring_(
          pool.slots(), pool.device_count(), [this](Portion& portion) { return collect(portion); },
          [this](Portion& portion) { return deliver(portion); }) {}

Status PortionEncoder::add(std::span<const std::uint8_t> content) {
  const Result<Slot*> slot = ring_.next_slot();
  if (!slot) return slot.status();
  if (pool_.reaches(content)) return start(**slot, content);
  const auto memory = (*slot)->staging(content.size());
  if (!memory) return memory.status();
  copy_bytes(memory->first(content.size()), content, threads_);
  return start(**slot, memory->first(content.size()));
}

Result<std::span<std::uint8_t>> PortionEncoder::room() {
  if (filling_ == nullptr) {
    const Result<Slot*> slot = ring_.next_slot();
    if (!slot) return slot.status();
    const auto memory = (*slot)->staging(rules_.content_bytes());
    if (!memory) return memory.status();
    filling_ = *slot;
    memory_ = memory->first(rules_.content_bytes());
  }
  return memory_.subspan(waiting_bytes_);
}

Status PortionEncoder::fill(std::uint64_t bytes) {
  waiting_bytes_ += bytes;
  if (waiting_bytes_ < memory_.size()) return {};
  waiting_bytes_ = 0;
  return start(*std::exchange(filling_, nullptr), memory_);
}

Status PortionEncoder::finish() {
  if (waiting_bytes_ != 0) {
    const auto content = memory_.first(std::exchange(waiting_bytes_, 0));
    if (const Status status = start(*std::exchange(filling_, nullptr), content); !status.ok()) return status;
  }
  return ring_.finish();
}

Status PortionEncoder::start(Slot& slot, std::span<const std::uint8_t> content) {
  Task task;
  task.kind = Task::Kind::compress;
  task.dtype = rules_.dtype();
  task.options = rules_.options();
  task.in_bytes = content.size();
  task.out_bytes = rules_.frame_bound(content.size());
  const std::array copies{CopyIn{content, 0}};
  if (const Status status = slot.start(task, copies); !status.ok()) return status;
  Portion portion;
  portion.slot = &slot;
  portion.content_bytes = content.size();
  return ring_.add(std::move(portion));
}

Status PortionEncoder::collect(Portion& portion) {
  const Result<TaskResult> result = portion.slot->wait_for_result();
  if (!result) return result.status();
  if (result->code != ErrorCode::ok) return {ErrorCode::device_error, 0, "a device could not compress"};
  const std::uint64_t around = rules_.header_bytes().size() + rules_.footer_bytes(portion.content_bytes);
  if (result->bytes < around || result->bytes > rules_.frame_bound(portion.content_bytes))
    return {ErrorCode::device_error, 0, "a device returned a frame of an impossible length"};
  const std::uint64_t bytes = result->bytes - around;
  const auto target = output_.place(bytes);
  if (!target) return target.status();
  portion.target = *target;
  portion.fetched = *target;
  if (!output_.reachable()) {
    const auto memory = portion.slot->result_memory(rules_.segments_bound(portion.content_bytes));
    if (!memory) return memory.status();
    portion.fetched = memory->first(bytes);
  }
  return portion.slot->fetch(rules_.header_bytes().size(), portion.fetched);
}

Status PortionEncoder::deliver(const Portion& portion) {
  if (const Status status = portion.slot->wait_for_fetch(); !status.ok()) return status;
  if (const Status status = tail_.adopt(portion.fetched, portion.content_bytes); !status.ok()) return status;
  return output_.take(portion.fetched, portion.target);
}

}  // namespace floe::offload
