#include "output/temporary_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

constexpr std::array ending_signals = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

// What the signal handler removes. It may use only what is async-signal-safe, hence no std::string.
std::array<char, PATH_MAX> path_to_remove{};
std::atomic<bool> has_path_to_remove{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void remove_and_end(int signal_number) {
  if (has_path_to_remove.load()) ::unlink(path_to_remove.data());
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void handle_ending_signals() {
  for (const int signal_number : ending_signals) {
    struct sigaction action {};
    // A signal that the caller ignores, as under nohup, stays ignored.
    if (::sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = remove_and_end;
    ::sigaction(signal_number, &action, nullptr);
  }
}

/// Holds the ending signals back, so that no file exists that the handler does not know.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal_number : ending_signals) ::sigaddset(&set, signal_number);
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// How a file without a name is called while it is open.
std::string path_of_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

std::string template_beside(const std::string& target) {
  constexpr std::string_view random = ".XXXXXX.tmp";
  const std::size_t slash = target.rfind('/');
  const std::size_t name_start = slash == std::string::npos ? 0 : slash + 1;
  const std::string name = target.substr(name_start, NAME_MAX - 1 - random.size());
  return target.substr(0, name_start) + "." + name + std::string(random);
}

void synchronize_folder(const std::string& target) {
  const int folder = ::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) throw system_failure(target, errno, "cannot open its folder");
  const int error = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (error != 0) throw system_failure(target, error, "cannot synchronize its folder");
}

}  // namespace

TemporaryFile::TemporaryFile(std::string target) : target_(std::move(target)) {
  if (template_beside(target_).size() >= path_to_remove.size()) throw system_failure(target_, ENAMETOOLONG);
  descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor_ >= 0 && ::access(path_of_descriptor(descriptor_).c_str(), F_OK) != 0)
    ::close(std::exchange(descriptor_, -1));
  if (descriptor_ < 0) create_with_name();
}

void TemporaryFile::create_with_name() {
  path_ = template_beside(target_);
  handle_ending_signals();
  const SignalsHeldBack held_back;
  descriptor_ = ::mkostemps(path_.data(), 4, O_CLOEXEC);  // O_CREAT | O_EXCL, mode 0600
  if (descriptor_ < 0) throw system_failure(target_, errno, "cannot create a temporary file beside it");
  std::memcpy(path_to_remove.data(), path_.c_str(), path_.size() + 1);
  has_path_to_remove = true;
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!named_ && !path_.empty()) ::unlink(path_.c_str());
  has_path_to_remove = false;
}

void TemporaryFile::close_checked() {
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) throw system_failure(target_, errno);
}

bool TemporaryFile::link_as(const std::string& name) {
  if (::linkat(AT_FDCWD, path_of_descriptor(descriptor_).c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
    return true;
  if (errno != EEXIST) throw system_failure(target_, errno, "cannot name the finished file");
  return false;
}

/// Without a name there is nothing to rename, so an old file is replaced in two steps.
void TemporaryFile::take_free_name() {
  handle_ending_signals();
  const SignalsHeldBack held_back;
  for (unsigned attempt = 0;; ++attempt) {
    std::string name = template_beside(target_);
    const std::string number =
        fmt::format("{:06x}", (static_cast<unsigned>(::getpid()) * 1000u + attempt) % 0x1000000u);
    name.replace(name.size() - 4 - number.size(), number.size(), number);
    if (!link_as(name)) continue;
    path_ = std::move(name);
    break;
  }
  std::memcpy(path_to_remove.data(), path_.c_str(), path_.size() + 1);
  has_path_to_remove = true;
}

void TemporaryFile::take_name(bool replace, bool synchronize) {
  if (synchronize && ::fsync(descriptor_) != 0) throw system_failure(target_, errno, "cannot synchronize");
  const auto appeared = [this] {
    return Failure(ExitCode::error, target_, "appeared while it was written; use -f to overwrite it");
  };
  if (path_.empty() && !replace) {
    if (!link_as(target_)) throw appeared();
    named_ = true;
    close_checked();
  } else {
    if (path_.empty()) take_free_name();
    close_checked();
    int result = -1;
    if (!replace) {
      result = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
      if (result != 0 && errno == EEXIST) throw appeared();
      replace = result != 0 &&
                (errno == EINVAL || errno == ENOSYS);  // a file system that knows only the plain rename
    }
    if (replace) result = ::rename(path_.c_str(), target_.c_str());
    if (result != 0) throw system_failure(target_, errno, "cannot rename the temporary file");
    named_ = true;
  }
  if (synchronize) synchronize_folder(target_);
}

}  // namespace floe::cli
