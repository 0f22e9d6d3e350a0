// The forwarder on Windows: a named pipe whose server must run as the same user.
#include <windows.h>

#include <shellapi.h>

#include <string>
#include <vector>

#include "../shared/windows_quoting.h"
#include "protocol.h"
#include "system.h"

namespace rallypoint {

namespace {

constexpr std::wstring_view kLocalPipes = L"\\\\.\\pipe\\";

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  ~Handle() {
    if (handle_) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  HANDLE handle_;
};

std::wstring to_wide(std::string_view text) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), wide.data(), length);
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  const int length = WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<std::size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, utf8.data(), length, nullptr, nullptr);
  return utf8;
}

// The user a process runs as; empty when that cannot be found out.
std::vector<unsigned char> user_of(HANDLE process) {
  HANDLE opened = nullptr;
  if (!OpenProcessToken(process, TOKEN_QUERY, &opened)) return {};
  const Handle token(opened);
  DWORD size = 0;
  GetTokenInformation(token.get(), TokenUser, nullptr, 0, &size);
  std::vector<unsigned char> user(size);
  if (size == 0 || !GetTokenInformation(token.get(), TokenUser, user.data(), size, &size)) return {};
  return user;
}

bool is_same_user(ULONG server) {
  const Handle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, server));
  if (!process) return false;
  const auto theirs = user_of(process.get());
  const auto ours = user_of(GetCurrentProcess());
  if (theirs.empty() || ours.empty()) return false;
  return EqualSid(reinterpret_cast<const TOKEN_USER*>(theirs.data())->User.Sid,
                  reinterpret_cast<const TOKEN_USER*>(ours.data())->User.Sid) != 0;
}

HANDLE open_pipe(const std::wstring& path) {
  // The server may identify this user, but not impersonate them.
  constexpr DWORD flags = FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION;
  return CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, flags, nullptr);
}

// A pipe has few instances. When all are in use, this waits for one, possibly with other clients.
HANDLE connect_within(const std::wstring& path, DWORD ms_max) {
  const ULONGLONG until_ms = GetTickCount64() + ms_max;
  for (;;) {
    const HANDLE pipe = open_pipe(path);
    if (pipe != INVALID_HANDLE_VALUE || GetLastError() != ERROR_PIPE_BUSY) return pipe;
    const ULONGLONG now = GetTickCount64();
    if (now < until_ms && WaitNamedPipeW(path.c_str(), static_cast<DWORD>(until_ms - now))) continue;
    SetLastError(ERROR_PIPE_BUSY);
    return INVALID_HANDLE_VALUE;
  }
}

// Bytes moved by a read or write that was begun; 0 when it did not end in time, and then it is called off.
DWORD finish(HANDLE pipe, OVERLAPPED* operation, bool begun, ULONGLONG until_ms) {
  if (!begun && GetLastError() != ERROR_IO_PENDING) return 0;
  const ULONGLONG now = GetTickCount64();
  DWORD moved = 0;
  if (WaitForSingleObject(operation->hEvent, until_ms > now ? static_cast<DWORD>(until_ms - now) : 0) != WAIT_OBJECT_0) {
    CancelIoEx(pipe, operation);
  }
  return GetOverlappedResult(pipe, operation, &moved, TRUE) ? moved : 0;
}

bool send_all(HANDLE pipe, HANDLE event, std::string_view text, ULONGLONG until_ms) {
  while (!text.empty()) {
    OVERLAPPED operation = {};
    operation.hEvent = event;
    const bool begun = WriteFile(pipe, text.data(), static_cast<DWORD>(text.size()), nullptr, &operation) != 0;
    const DWORD sent = finish(pipe, &operation, begun, until_ms);
    if (sent == 0) return false;
    text.remove_prefix(sent);
  }
  return true;
}

std::string_view read_line(HANDLE pipe, HANDLE event, char* buffer, std::size_t size, ULONGLONG until_ms) {
  for (std::size_t length = 0; length < size;) {
    OVERLAPPED operation = {};
    operation.hEvent = event;
    const bool begun = ReadFile(pipe, buffer + length, static_cast<DWORD>(size - length), nullptr, &operation) != 0;
    const DWORD count = finish(pipe, &operation, begun, until_ms);
    if (count == 0) break;
    length += count;
    const std::string_view text(buffer, length);
    if (const std::size_t end = text.find('\n'); end != std::string_view::npos) return text.substr(0, end);
  }
  return {};
}

Delivery converse(HANDLE pipe, std::string_view address) {
  const Handle event(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!event) return Delivery::kNoAnswer;
  const ULONGLONG until_ms = GetTickCount64() + kAnswerMsMax;
  if (!send_all(pipe, event.get(), std::string(address) + "\n", until_ms)) return Delivery::kNoAnswer;
  char buffer[16];
  const std::string_view answer = read_line(pipe, event.get(), buffer, sizeof buffer, until_ms);
  if (answer == "accepted") return Delivery::kAccepted;
  return answer == "refused" ? Delivery::kRefused : Delivery::kNoAnswer;
}

}  // namespace

Delivery deliver(const char* path, std::string_view address) {
  const std::wstring name = to_wide(path);
  // Any other path could lead to another machine.
  if (name.size() <= kLocalPipes.size() || name.compare(0, kLocalPipes.size(), kLocalPipes) != 0) return Delivery::kNoPath;
  const Handle pipe(connect_within(name, kConnectMsMax));
  if (!pipe) {
    switch (GetLastError()) {
      case ERROR_FILE_NOT_FOUND: return Delivery::kNoListener;
      case ERROR_ACCESS_DENIED: return Delivery::kNotPrivate;
      default: return Delivery::kNoAnswer;
    }
  }
  ULONG server = 0;
  if (!GetNamedPipeServerProcessId(pipe.get(), &server) || !is_same_user(server)) return Delivery::kNotPrivate;
  // The person's click was given to us; the game may come to the front in our stead.
  AllowSetForegroundWindow(server);
  return converse(pipe.get(), address);
}

bool start(const char* const* command) {
  const std::wstring program = to_wide(command[0]);
  std::wstring line;
  for (const char* const* part = command; *part; part++) line += quoted_argument(to_wide(*part)) + L" ";
  line.pop_back();
  STARTUPINFOW startup = {};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process = {};
  constexpr DWORD flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
  if (!CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, FALSE, flags, nullptr, nullptr, &startup, &process)) {
    return false;
  }
  AllowSetForegroundWindow(process.dwProcessId);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  return true;
}

void say(Stream stream, std::string_view text) {
  const HANDLE file = GetStdHandle(stream == Stream::kOutput ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
  DWORD written = 0;
  if (file && file != INVALID_HANDLE_VALUE) WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

}  // namespace rallypoint

// A program without console: none flashes up when the system starts it.
int WINAPI wWinMain(HINSTANCE, HINSTANCE, LPWSTR, int) {
  int argc = 0;
  LPWSTR* const wide = CommandLineToArgvW(GetCommandLineW(), &argc);
  if (!wide) return 2;
  std::vector<std::string> texts;
  for (int index = 0; index < argc; index++) texts.push_back(rallypoint::to_utf8(wide[index]));
  LocalFree(wide);
  std::vector<const char*> argv;
  for (const std::string& text : texts) argv.push_back(text.c_str());
  argv.push_back(nullptr);
  return rallypoint::forward(argc, argv.data());
}
