#include <unistd.h>

#include <cstdlib>

#include "addon/linux/desktop_entry.h"
#include "addon/linux/files.h"
#include "addon/linux/key_file.h"
#include "addon/system.h"
#include "check.h"

namespace rallypoint::test {

namespace {

// Characters that mean something to the formats, and some that do not.
const std::string kHostile = "ab \t\n\r[]=;#\\\"'`$%:.-/";

// Reads a command as a freedesktop system does: escapes of quotes undone, then the codes.
std::vector<std::string> read_back(const std::string& exec) {
  std::vector<std::string> parts;
  std::string part;
  bool quoted = false;
  bool begun = false;
  for (std::size_t at = 0; at < exec.size(); at++) {
    if (exec[at] == '"') {
      quoted = !quoted;
      begun = true;
    } else if (exec[at] == ' ' && !quoted) {
      if (begun) parts.push_back(part);
      part.clear();
      begun = false;
    } else {
      if (quoted && exec[at] == '\\') at++;
      if (exec[at] == '%' && exec[at + 1] == '%') at++;
      part += exec[at];
      begun = true;
    }
  }
  parts.push_back(part);
  return parts;
}

Registration registration(const std::string& id) { return {"discord-1", id, "Starfall", {"/bin/sh", "-c", "a b"}}; }

std::optional<Handler> handler() {
  const auto outcome = handler_of("discord-1");
  CHECK(std::holds_alternative<std::optional<Handler>>(outcome));
  return std::get<std::optional<Handler>>(outcome);
}

bool done(const Outcome<Done>& outcome) { return std::holds_alternative<Done>(outcome); }

}  // namespace

void key_file_test(Random& random) {
  const std::string list = "# mine\r\n[A]\nx=1\n\n[Default Applications]\ny = 2\n\n[B]\ny=3";
  CHECK(value_in(list, "Default Applications", "y") == "2");
  CHECK(value_in(list, "B", "y") == "3");
  CHECK(!value_in(list, "A", "y"));
  CHECK(with_value(list, "A", "z", "9") == "# mine\r\n[A]\nx=1\nz=9\n\n[Default Applications]\ny = 2\n\n[B]\ny=3");
  CHECK(with_value(list, "B", "z", "9") == list + "\nz=9\n");
  CHECK(with_value(list, "C", "z", "9") == list + "\n\n[C]\nz=9\n");
  CHECK(with_value(list, "A", "x", std::nullopt).find("x=1") == std::string::npos);
  CHECK(with_value(list, "A", "none", std::nullopt) == list);
  CHECK(with_value("", "C", "z", "9") == "[C]\nz=9\n");

  for (int round = 0; round < 5'000; round++) {
    const std::string text = random.text(kHostile + "[A]\n[A]\nk=", 80);
    const std::string set = with_value(text, "A", "k", "v");
    CHECK(value_in(set, "A", "k") == "v");
    CHECK(with_value(set, "A", "k", "v") == set);
    CHECK(!value_in(with_value(set, "A", "k", std::nullopt), "A", "k"));
    CHECK(value_in(set, "B", "k") == value_in(text, "B", "k"));
    const std::string any = random.text(kHostile, 20);
    CHECK(unescaped(escaped(any)) == any);
    unescaped(any);
    list_of(any);
    program_of(any);
    command_in(text);
  }
}

void schemes_test(const std::string& folder, Random& random) {
  for (int round = 0; round < 5'000; round++) {
    std::vector<std::string> command = {"/" + random.text("ab $\"`\\'", 10)};
    for (auto left = random.below(4); left > 0; left--) command.push_back(random.text("ab $\"`\\'%&;|<>", 10));
    auto back = read_back(exec_of(command));
    CHECK(back.back() == "%u");
    back.pop_back();
    CHECK(back == command);
    CHECK(program_of(exec_of(command)) == command.front());
  }

  setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
  setenv("XDG_DATA_HOME", (folder + "/data").c_str(), 1);
  setenv("XDG_CONFIG_DIRS", (folder + "/none").c_str(), 1);
  setenv("XDG_DATA_DIRS", (folder + "/none").c_str(), 1);
  CHECK(!handler());
  CHECK(done(unregister_scheme("discord-1", "never.desktop")));
  CHECK(done(register_scheme(registration("first.desktop"))));
  CHECK(done(register_scheme(registration("second.desktop"))));
  CHECK(handler()->id == "second.desktop");
  CHECK(done(unregister_scheme("discord-1", "second.desktop")));
  CHECK(handler()->id == "first.desktop");
  CHECK(handler()->command == "/bin/sh -c \"a b\" %u");

  for (int round = 0; round < 30; round++) {
    CHECK(done(replace_file(folder + "/config/mimeapps.list", random.text(kHostile + "x-scheme-handler/discord-1=first.desktop\n", 400))));
    handler();
    CHECK(done(register_scheme(registration("first.desktop"))));
    CHECK(handler()->id == "first.desktop");
  }
}

}  // namespace rallypoint::test
