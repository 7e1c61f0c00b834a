#include "input/input_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

constexpr const char* not_seekable = "this needs a file on disk, not a pipe or a device";

/// Waits until one of the two is readable. Returns whether it is the first one. What poll cannot wait for,
/// read may.
bool wait_until_readable(int descriptor, int stop_descriptor) {
  std::array<struct pollfd, 2> waiting{{{descriptor, POLLIN, 0}, {stop_descriptor, POLLIN, 0}}};
  while (::poll(waiting.data(), waiting.size(), -1) < 0 && errno == EINTR) {
  }
  return waiting[1].revents == 0;
}

}  // namespace

InputFile::InputFile(int descriptor, std::string label, bool standard_input)
    : descriptor_(descriptor), label_(std::move(label)), standard_input_(standard_input) {
  if (::fstat(descriptor_, &attributes_) != 0) throw system_failure(label_, errno);
  if (S_ISDIR(attributes_.st_mode)) throw Failure(ExitCode::error, label_, "is a directory");
}

InputFile InputFile::open(const std::string& name, bool allow_special) {
  if (name == "-") return {STDIN_FILENO, "(standard input)", true};
  struct stat attributes {};
  // Looks before it opens: to open a fifo would wait for its writer.
  if (::stat(name.c_str(), &attributes) != 0) throw system_failure(name, errno);
  if (S_ISDIR(attributes.st_mode)) throw Failure(ExitCode::error, name, "is a directory");
  if (!S_ISREG(attributes.st_mode) && !allow_special) {
    throw Failure(ExitCode::error, name, "is not a regular file");
  }
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) throw system_failure(name, errno);
  (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);  // only a hint
  return {descriptor, name, false};
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      label_(std::move(other.label_)),
      standard_input_(other.standard_input_),
      attributes_(other.attributes_),
      position_(other.position_),
      part_end_(other.part_end_),
      unpacker_(std::move(other.unpacker_)) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0 && !standard_input_) ::close(descriptor_);
}

bool InputFile::is_terminal() const noexcept { return ::isatty(descriptor_) == 1; }

void InputFile::unpack(const PackedPart& part) {
  if (::lseek(descriptor_, static_cast<off_t>(part.offset), SEEK_SET) < 0)
    throw system_failure(label_, errno);
  position_ = part.offset;
  if (part.packed_bytes) part_end_ = part.offset + *part.packed_bytes;
  if (!part.label.empty()) label_ = part.label;
  unpacker_ = std::make_unique<Unpacker>(part.packing, part.content, label_);
}

std::optional<std::uint64_t> InputFile::size_bytes() const noexcept {
  return unpacker_ ? unpacker_->size_bytes() : end_of_file();
}

std::optional<std::uint64_t> InputFile::end_of_file() const noexcept {
  if (part_end_) return part_end_;
  // Files below /proc say 0 and have contents, so 0 means unknown. Standard input may stand anywhere in its
  // file.
  if (standard_input_ || !S_ISREG(attributes_.st_mode) || attributes_.st_size == 0) return std::nullopt;
  return static_cast<std::uint64_t>(attributes_.st_size);
}

std::size_t InputFile::read(std::span<std::byte> bytes, int stop_descriptor) {
  if (!unpacker_) return read_stored(bytes, stop_descriptor);
  return unpacker_->read(bytes,
                         [&](std::span<std::byte> packed) { return read_stored(packed, stop_descriptor); });
}

std::size_t InputFile::read_stored(std::span<std::byte> bytes, int stop_descriptor) {
  if (part_end_) bytes = bytes.first(std::min<std::uint64_t>(bytes.size(), *part_end_ - position_));
  std::size_t count = 0;
  const bool may_wait = stop_descriptor >= 0 && !S_ISREG(attributes_.st_mode);
  while (count < bytes.size()) {
    if (may_wait && !wait_until_readable(descriptor_, stop_descriptor)) break;
    const ssize_t got = ::read(descriptor_, bytes.data() + count, bytes.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(label_, errno);
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  position_ += count;
  const auto expected = end_of_file();
  if (expected && position_ > *expected) throw Failure(ExitCode::error, label_, "grew while it was read");
  return count;
}

std::vector<std::byte> InputFile::read_up_to(std::uint64_t limit_bytes) {
  std::vector<std::byte> all(std::min(limit_bytes, size_bytes().value_or(0)));
  std::size_t used = read(all);
  while (used == all.size() && used < limit_bytes) {
    all.resize(used + std::min<std::uint64_t>(read_bytes, limit_bytes - used));
    used += read(std::span(all).subspan(used));
  }
  all.resize(used);
  return all;
}

std::vector<std::byte> InputFile::read_all(std::uint64_t limit_bytes) {
  std::vector<std::byte> all = read_up_to(limit_bytes + (limit_bytes != UINT64_MAX ? 1 : 0));
  if (all.size() > limit_bytes)
    throw Failure(ExitCode::error, label_, "is larger than the memory limit; --memory SIZE raises it");
  check_unchanged();
  return all;
}

void InputFile::check_unchanged() const {
  const auto expected = end_of_file();
  if (!expected) return;
  if (position_ < *expected) throw Failure(ExitCode::error, label_, "shrank while it was read");
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) throw system_failure(label_, errno);
  const bool same_time =
      now.st_mtim.tv_sec == attributes_.st_mtim.tv_sec && now.st_mtim.tv_nsec == attributes_.st_mtim.tv_nsec;
  if (!same_time || now.st_size != attributes_.st_size)
    throw Failure(ExitCode::error, label_, "was changed while it was read");
}

std::uint64_t InputFile::file_bytes() const {
  if (!S_ISREG(attributes_.st_mode)) throw Failure(ExitCode::error, label_, not_seekable);
  return static_cast<std::uint64_t>(attributes_.st_size);
}

bool InputFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(label_, errno, fmt::format("cannot read at byte {}", offset));
    if (got == 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace floe::cli
