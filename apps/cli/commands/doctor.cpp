// floe doctor: what of floe works here, and how to mend what does not. `python -m floe doctor` says the rest.
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "floe/floe.hpp"
#include "frames/devices.hpp"

namespace floe::cli {
namespace {

/// What was found; `text` says how to have what is absent.
struct Finding {
  const char* name;
  const char* state;  ///< "ok", "absent" or "broken"
  std::string text;
};

Finding absent(const char* name, std::string_view how) {
  return {name, "absent", fmt::format("to have it: {}", how)};
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

/// Some numbers there and back, with every goal.
Finding examine_library() {
  std::vector<double> numbers(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 977) / 100;
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio}) {
    Options options;
    options.goal = goal;
    const auto frame = floe::compress(std::span<const double>(numbers), options);
    if (!frame) return {"floe", "broken", frame.status().message()};
    const auto restored = floe::decompress<double>(*frame);
    if (!restored) return {"floe", "broken", restored.status().message()};
    if (*restored != numbers) return {"floe", "broken", "an array does not come back"};
  }
  const std::string_view forced = variable("FLOE_ISA");
  return {"floe", "ok",
          fmt::format("version {}, {}{}, {} threads", version(), instruction_set(),
                      forced.empty() ? "" : fmt::format(", forced by FLOE_ISA={}", printable(forced)),
                      available_threads())};
}

Finding examine_gpus() {
  const auto devices = open_cuda_devices({});
  if (devices) return {"GPU", "ok", "--device cuda works"};
  const std::string_view detail = devices.status().detail;
  if (detail.find("without CUDA") != std::string_view::npos)
    return absent("GPU", fmt::format("build with cmake --preset cuda; {}", detail));
  if (detail.starts_with("there is no"))
    return absent("GPU", fmt::format("NVIDIA's driver, and a GPU; {}", detail));
  return {"GPU", "broken", devices.status().message()};
}

/// Where HDF5 looks for plugins: the environment's folders, else those of Debian and of HDF5 itself.
std::vector<std::string> plugin_folders() {
  const std::string_view named = variable("HDF5_PLUGIN_PATH");
  if (!named.empty()) {
    const auto parts = split(named, ':');
    return {parts.begin(), parts.end()};
  }
  return {"/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins", "/usr/lib/aarch64-linux-gnu/hdf5/serial/plugins",
          "/usr/local/hdf5/lib/plugin"};
}

Finding examine_hdf5() {
  if (variable("HDF5_PLUGIN_PRELOAD") == "::")
    return {"HDF5", "broken", "HDF5_PLUGIN_PRELOAD=:: turns all filters off: unset it"};
  for (const std::string& folder : plugin_folders()) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().find("h5floe") == std::string::npos) continue;
      void* const plugin = ::dlopen(entry.path().c_str(), RTLD_LAZY | RTLD_LOCAL);
      if (plugin == nullptr || ::dlsym(plugin, "H5PLget_plugin_info") == nullptr)
        return {"HDF5", "broken", fmt::format("{} cannot be loaded", printable(entry.path().string()))};
      return {"HDF5", "ok", fmt::format("HDF5 finds the filter {}", printable(entry.path().string()))};
    }
  }
  return absent(
      "HDF5",
      "apt install ./hdf5-plugin-floe_*.deb, or export HDF5_PLUGIN_PATH=$(python3 -m floe.hdf5 --path)");
}

Finding examine_python() {
  std::FILE* const pipe =
      ::popen("python3 -c 'import floe; print(floe.__version__, floe.__file__)' 2>/dev/null", "r");
  std::string said;
  if (pipe != nullptr) {
    std::array<char, 512> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) said += part.data();
    if (::pclose(pipe) == 0 && !said.empty()) {
      said.pop_back();
      return {"Python", "ok",
              fmt::format("python3 has floe {}; python3 -m floe doctor says more", printable(said))};
    }
  }
  return absent("Python", "pip install . in a checkout, or apt install ./python3-floe_*.deb");
}

Finding examine_mpi() {
  const std::string_view all = version(), api = all.substr(0, all.rfind('.'));
  for (const std::string& name : {fmt::format("libfloe_mpi.so.{}", api), std::string("libfloe_mpi.so")}) {
    if (::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr)
      return {"MPI", "ok", fmt::format("the library {}", name)};
  }
  return absent("MPI", "the library floe_mpi, as docs/guide/cluster.md says");
}

}  // namespace

ExitCode run_doctor(const Arguments& arguments) {
  const std::array findings{examine_library(), examine_gpus(), examine_hdf5(), examine_python(),
                            examine_mpi()};
  Json all = Json::array();
  for (const Finding& finding : findings) {
    if (arguments.json) {
      all.push(Json::object({{"name", finding.name}, {"state", finding.state}, {"text", finding.text}}));
    } else {
      fmt::print("{:<8} {:<7} {}\n", finding.name, finding.state, finding.text);
    }
  }
  if (arguments.json) print_json(all);
  const bool is_broken = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return std::string_view(finding.state) == "broken";
  });
  return is_broken ? ExitCode::error : ExitCode::ok;
}

}  // namespace floe::cli
