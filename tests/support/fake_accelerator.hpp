// An accelerator that is none: the CPU does its work, as late as a device could.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "tests/support/streams_by_cpu.hpp"

namespace floe::test {

/// Takes every `takes_every`-th stream of a batch. All that may be changed stands in front.
class FakeAccelerator final : public Accelerator {
 public:
  std::size_t takes_every = 1;
  std::uint64_t bytes_of_batch = std::uint64_t{64} << 20;
  std::size_t at_once = 4;
  std::uint64_t needed_bytes = 0;  ///< To decode a batch.
  bool damages_streams = false;    ///< Of codecs.
  bool damages_trees = false;      ///< Of every second stream of a batch, so that its bytes are refused.
  /// Called with the number of a batch before anything is done with it; its errors are those of the batch.
  enum class Step : std::uint8_t { begin, wait_for_sizes, fetch, finish };
  std::function<Status(std::size_t batch, Step step)> before_step = [](std::size_t, Step) {
    return Status{};
  };

  // What happened
  std::size_t batches = 0;        ///< That were begun.
  std::set<std::size_t> at_work;  ///< Batches that are not destroyed.
  std::size_t max_at_work = 0;
  std::vector<std::pair<std::size_t, Step>> steps;
  std::uint64_t placed_bytes = 0;  ///< Encoded straight to where the caller said.

  [[nodiscard]] std::uint64_t batch_bytes() const override { return bytes_of_batch; }
  [[nodiscard]] std::size_t batches_at_once() const override { return at_once; }
  [[nodiscard]] std::uint64_t decoding_bytes(std::span<const StreamToDecode>) const override {
    return needed_bytes;
  }
  Result<std::unique_ptr<Batch>> encode(std::span<StreamToEncode> streams,
                                        const Executor& executor) override {
    return begin<Encoding>(streams, executor);
  }
  Result<std::unique_ptr<Batch>> decode(std::span<StreamToDecode> streams,
                                        const Executor& executor) override {
    return begin<Decoding>(streams, executor);
  }

 private:
  class Work : public Batch {
   public:
    Work(FakeAccelerator& of, const Executor& executor)
        : of_(of), executor_(executor), number_(of.batches++) {
      of_.at_work.insert(number_);
      of_.max_at_work = std::max(of_.max_at_work, of_.at_work.size());
    }
    ~Work() override { of_.at_work.erase(number_); }
    Status step(Step step) {
      of_.steps.emplace_back(number_, step);
      return of_.before_step(number_, step);
    }

   protected:
    FakeAccelerator& of_;
    const Executor& executor_;
    std::size_t number_;
  };

  class Encoding final : public Work {
   public:
    Encoding(FakeAccelerator& of, std::span<StreamToEncode> streams, const Executor& executor)
        : Work(of, executor), streams_(streams) {}
    Status wait_for_sizes() override {
      if (const Status status = step(Step::wait_for_sizes); !status.ok()) return status;
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        results_.emplace_back();
        if (i % of_.takes_every == 0) results_.back() = encode_by_cpu(streams_[i]);
        if (of_.damages_streams && !results_.back().empty())
          results_.back()[chunks::front_bytes + 5] ^= 0x40;  // of the table
        if (of_.damages_trees && i % 2 == 1 && !results_.back().empty()) results_.back()[0] = 2;  // parts
        streams_[i].encoded_bytes = results_.back().size();
      }
      return {};
    }
    Status fetch() override { return step(Step::fetch); }
    Status finish() override {
      if (const Status status = step(Step::finish); !status.ok()) return status;
      std::vector<core::HostCopy> copies;
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i].encoded == nullptr) {
          streams_[i].encoded = reinterpret_cast<std::byte*>(results_[i].data());
        } else {
          copies.push_back({streams_[i].encoded, results_[i].data(), results_[i].size()});
          of_.placed_bytes += results_[i].size();
        }
      }
      core::run_copies(copies, executor_);
      return {};
    }

   private:
    std::span<StreamToEncode> streams_;
    std::vector<std::vector<std::uint8_t>> results_;
  };

  class Decoding final : public Work {
   public:
    Decoding(FakeAccelerator& of, std::span<StreamToDecode> streams, const Executor& executor)
        : Work(of, executor), streams_(streams) {}
    Status finish() override {
      if (const Status status = step(Step::finish); !status.ok()) return status;
      for (std::size_t i = 0; i < streams_.size(); i += of_.takes_every)
        streams_[i].is_decoded = decode_by_cpu(streams_[i]);
      return {};
    }

   private:
    std::span<StreamToDecode> streams_;
  };

  template <class Kind, class Stream>
  Result<std::unique_ptr<Batch>> begin(std::span<Stream> streams, const Executor& executor) {
    auto work = std::make_unique<Kind>(*this, streams, executor);
    if (const Status status = work->step(Step::begin); !status.ok()) return status;
    return std::unique_ptr<Batch>(std::move(work));
  }
};

}  // namespace floe::test
