#include "output/output_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t smallest_part_behind_bytes =
    std::size_t{128} << 10;  // below it another thread costs more than it brings

void refuse_same_file(const struct stat& target, const InputFile& source, const std::string& name) {
  const struct stat& from = source.attributes();
  if (S_ISREG(target.st_mode) && target.st_dev == from.st_dev && target.st_ino == from.st_ino) {
    throw Failure(ExitCode::error, name, "input and output are the same file");
  }
}

/// The file that `path` leads to, so that a rename replaces it and not the link.
std::string resolve_link(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) throw system_failure(path, errno);
  std::string result = resolved;
  ::free(resolved);
  return result;
}

mode_t permissions_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(const Destination& destination, const InputFile& source)
    : overwrite_(destination.overwrite) {
  if (destination.path != "-") {
    open_path(destination, source);
    return;
  }
  label_ = "(standard output)";
  standard_output_ = true;
  descriptor_ = STDOUT_FILENO;
  struct stat target {};
  if (::fstat(descriptor_, &target) != 0) throw system_failure(label_, errno);
  refuse_same_file(target, source, label_);
}

void OutputFile::open_path(const Destination& destination, const InputFile& source) {
  label_ = destination.path;
  std::string path = destination.path;
  struct stat target {};
  if (::lstat(path.c_str(), &target) != 0) {
    if (errno != ENOENT || path.empty()) throw system_failure(label_, errno);
    temporary_ = std::make_unique<TemporaryFile>(path);
    descriptor_ = temporary_->descriptor();
    return;
  }
  if (S_ISLNK(target.st_mode)) {
    if (::stat(path.c_str(), &target) != 0)
      throw system_failure(label_, errno, "is a symbolic link that leads nowhere");
    if (S_ISREG(target.st_mode))
      path = resolve_link(path);  // not for /dev/stdout, which may lead to a pipe without a name
  }
  if (S_ISDIR(target.st_mode)) throw Failure(ExitCode::error, label_, "is a directory");
  refuse_same_file(target, source, label_);
  if (S_ISREG(target.st_mode)) {
    if (!overwrite_) throw Failure(ExitCode::error, label_, "exists already; use -f to overwrite it");
    temporary_ = std::make_unique<TemporaryFile>(path);
    descriptor_ = temporary_->descriptor();
    return;
  }
  if (!destination.named_by_user && !overwrite_)
    throw Failure(ExitCode::error, label_, "is not a regular file; use -f to write to it");
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) throw system_failure(label_, errno);
}

OutputFile::~OutputFile() {
  if (behind_ && temporary_) behind_->cancel();  // the file goes, so nobody needs the rest
  behind_.reset();
  if (descriptor_ >= 0 && !temporary_ && !standard_output_) ::close(descriptor_);
}

bool OutputFile::is_terminal() const noexcept { return ::isatty(descriptor_) == 1; }

void OutputFile::write(std::span<const std::byte> bytes) {
  written_bytes_ += bytes.size();
  if (!behind_ && bytes.size() < smallest_part_behind_bytes) return write_now(bytes);
  try {
    if (!behind_)
      behind_ = std::make_unique<WriteBehind>([this](std::span<const std::byte> part) { write_now(part); });
  } catch (const std::system_error&) {  // without another thread it only takes longer
    return write_now(bytes);
  }
  behind_->write(bytes);
}

void OutputFile::finish() {
  if (behind_) behind_->finish();
  behind_.reset();
}

void OutputFile::write_now(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(label_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::replace_begin(std::span<const std::byte> bytes) const {
  for (off_t at = 0; !bytes.empty();) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(label_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += count;
  }
}

std::size_t OutputFile::read_back(std::uint64_t offset, std::span<std::byte> bytes) const {
  for (;;) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw system_failure(label_, errno, "cannot read back what was written");
  }
}

// Failures do not count here: some file systems know neither modes nor owners, and the file then stays
// private to its writer.
void OutputFile::copy_attributes(const InputFile& source) const {
  const struct stat& from = source.attributes();
  if (source.is_standard_input() || !S_ISREG(from.st_mode)) {
    (void)!::fchmod(descriptor_, permissions_of_new_files());
    return;
  }
  mode_t mode = from.st_mode & 0777;
  // Only root can give files away, and only members of a group can pass it on. If that fails, the new group
  // gets no rights.
  if (::fchown(descriptor_, static_cast<uid_t>(-1), from.st_gid) != 0) mode &= ~mode_t{070};
  (void)!::fchown(descriptor_, from.st_uid, static_cast<gid_t>(-1));
  (void)!::fchmod(descriptor_, mode);
  const struct timespec times[2] = {from.st_atim, from.st_mtim};
  (void)!::futimens(descriptor_, times);
}

void OutputFile::commit(const InputFile& source, bool synchronize) {
  finish();
  if (temporary_) {
    copy_attributes(source);
    temporary_->take_name(overwrite_, synchronize);
    descriptor_ = -1;
  } else if (!standard_output_) {
    if (::close(std::exchange(descriptor_, -1)) != 0) throw system_failure(label_, errno);
  }
}

}  // namespace floe::cli
