#include "for_each_file.hpp"

#include <algorithm>
#include <new>

#include "console.hpp"

namespace floe::cli {

ExitCode for_each_file(std::span<const std::string> files,
                       const std::function<void(const std::string& file)>& work) {
  ExitCode worst = ExitCode::ok;
  const auto report = [&worst](const Failure& failure) {
    print_error(failure.what());
    worst = std::max(worst, failure.code());
  };
  for (const std::string& file : files) {
    try {
      work(file);
    } catch (const Failure& failure) {
      report(failure);
    } catch (const std::bad_alloc&) {
      report(Failure(ExitCode::error, file, "not enough memory"));
    }
  }
  return worst;
}

}  // namespace floe::cli
