// From where the addon imports Node-API: the program that has loaded it, whatever its name (node.exe, electron.exe, a
// game's own).
#include <windows.h>

#include <delayimp.h>

namespace {

FARPROC WINAPI answer(unsigned notification, DelayLoadInfo*) {
  return notification == dliNotePreLoadLibrary ? reinterpret_cast<FARPROC>(GetModuleHandleW(nullptr)) : nullptr;
}

}  // namespace

// Named by the compiler's library, which calls it.
extern "C" {
extern PfnDliHook __pfnDliNotifyHook2;
PfnDliHook __pfnDliNotifyHook2 = answer;
}
