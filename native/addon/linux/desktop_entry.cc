#include "desktop_entry.h"

#include "key_file.h"

namespace rallypoint {

namespace {

constexpr std::string_view kGroup = "Desktop Entry";
constexpr std::string_view kReserved = " \t\n\"'\\><~|&;$*?#()`";
constexpr std::string_view kEscapedInQuotes = "\"`$\\";

std::string quoted(std::string_view part) {
  const bool plain = !part.empty() && part.find_first_of(kReserved) == std::string_view::npos;
  std::string text;
  for (const char character : part) {
    if (!plain && kEscapedInQuotes.find(character) != std::string_view::npos) text += '\\';
    text += character;
    if (character == '%') text += '%';
  }
  return plain ? text : '"' + text + '"';
}

}  // namespace

std::string scheme_type(const std::string& scheme) { return "x-scheme-handler/" + scheme; }

std::string exec_of(const std::vector<std::string>& command) {
  std::string exec;
  // GLib looks for the program before it undoes `%%`, and would not find it; `env` starts it for us.
  if (command.front().find('%') != std::string::npos) exec += "/usr/bin/env ";
  for (const std::string& part : command) exec += quoted(part) + " ";
  return exec + "%u";
}

std::string desktop_entry(const Registration& registration) {
  return "[Desktop Entry]\n"
         "Type=Application\n"
         "Name=" + escaped(registration.name) + "\n"
         "Exec=" + escaped(exec_of(registration.command)) + "\n"
         "NoDisplay=true\n"
         "Terminal=false\n"
         "StartupNotify=false\n"
         "MimeType=" + scheme_type(registration.scheme) + ";\n";
}

std::optional<std::string> command_in(std::string_view entry) {
  if (value_in(entry, kGroup, "Type") != "Application" || value_in(entry, kGroup, "Hidden") == "true") return std::nullopt;
  const auto exec = value_in(entry, kGroup, "Exec");
  return exec && !exec->empty() ? std::optional(unescaped(*exec)) : std::nullopt;
}

std::string program_of(std::string_view command) {
  std::string program;
  char quote = '\0';
  for (size_t at = 0; at < command.size(); at++) {
    const char character = command[at];
    if (quote == '\0' && (character == ' ' || character == '\t')) {
      if (!program.empty()) break;
    } else if (character == quote) {
      quote = '\0';
    } else if (quote == '\0' && (character == '"' || character == '\'')) {
      quote = character;
    } else {
      if (character == '\\' && quote != '\'' && at + 1 < command.size()) at++;
      program += command[at];
    }
  }
  return program;
}

}  // namespace rallypoint
