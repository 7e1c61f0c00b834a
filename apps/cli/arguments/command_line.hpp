// CLI11 with floe's manners: every option knows the commands that it belongs to, file names are taken as they
// are, help reads well.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments/arguments.hpp"

// CLI11 takes seconds to compile, wherever it is included.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace floe::cli {

using Commands = unsigned;

template <class... Command>
constexpr Commands commands(Command... command) {
  return ((1u << static_cast<unsigned>(command)) | ...);
}

struct HelpText {
  std::string description;
  std::string usage;
  std::string footer;
  std::string help_names = "-h,--help";
};

class CommandLine {
 public:
  /// Offers the options of `offered` and leaves the others out.
  CommandLine(Commands offered, const HelpText& help);
  ~CommandLine();

  [[nodiscard]] bool offers(Commands any) const noexcept { return (offered_ & any) != 0; }
  /// Options added from here on stand under this headline in the help.
  void begin_group(std::string title) { group_ = std::move(title); }
  void flag(Commands belongs_to, const char* names, bool& target, const std::string& description);
  /// As value(), but the value may be missing: `take` then gets an empty text.
  void optional_value(Commands belongs_to, const char* names, const char* kind,
                      const std::string& description, std::function<void(std::string_view)> take);
  /// `take` gets the text of the value, and throws what bad_value returns if it makes no sense.
  void value(Commands belongs_to, const char* names, const char* kind, const std::string& description,
             std::function<void(std::string_view)> take);
  /// As value(), but it may be given several times: `take` gets all of the texts, in order.
  void values(Commands belongs_to, const char* names, const char* kind, const std::string& description,
              std::function<void(const std::vector<std::string>&)> take);

  /// Adds --help and --version to the last group. Returns the file names. Throws UsageError and TextWanted.
  std::vector<std::string> parse(std::vector<std::string> words);
  /// Throws UsageError if an option was given that does not belong to `command`.
  void check_options_belong_to(Command command) const;
  /// Throws UsageError if two of the named options were given.
  void check_at_most_one(std::initializer_list<const char*> names) const;
  [[nodiscard]] bool given(const char* name) const;

 private:
  [[nodiscard]] std::string help() const;
  void remember(CLI::Option* option, Commands belongs_to);

  std::unique_ptr<CLI::App> app_;
  Commands offered_;
  std::string help_names_;
  std::string group_;
  std::vector<std::pair<const CLI::Option*, Commands>> options_;
};

std::string_view name_of(Command command) noexcept;

}  // namespace floe::cli
