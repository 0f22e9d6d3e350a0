// JavaScript to C++ and back, nothing else. Built without C++ exceptions: what fails is a value until it is thrown here.
#include <napi.h>

#include "system.h"

namespace {

using rallypoint::Failure;
using rallypoint::Lock;
using rallypoint::Outcome;

void Throw(Napi::Env env, const Failure& failure) {
  Napi::Error error = Napi::Error::New(env, failure.code + ": " + failure.message);
  error.Set("code", Napi::String::New(env, failure.code));
  error.ThrowAsJavaScriptException();
}

void ThrowArgument(Napi::Env env, const char* what) {
  Throw(env, {"EINVAL", std::string(what) + " must be a text without NUL"});
}

// False when it is no text that a system takes; then an exception is pending.
bool ReadText(const Napi::Value& value, const char* what, std::string* text) {
  if (value.IsString()) {
    *text = value.As<Napi::String>().Utf8Value();
    if (!text->empty() && text->find('\0') == std::string::npos) return true;
  }
  if (!value.Env().IsExceptionPending()) ThrowArgument(value.Env(), what);
  return false;
}

bool ReadField(const Napi::Object& object, const char* name, std::string* text) {
  const Napi::MaybeOrValue<Napi::Value> value = object.Get(name);
  if (object.Env().IsExceptionPending()) return false;
  return ReadText(value, name, text);
}

bool ReadCommand(const Napi::Object& object, std::vector<std::string>* command) {
  const Napi::Value value = object.Get("command");
  if (object.Env().IsExceptionPending()) return false;
  if (!value.IsArray() || value.As<Napi::Array>().Length() == 0) {
    Throw(object.Env(), {"EINVAL", "command must be a list that starts with a program"});
    return false;
  }
  const Napi::Array parts = value.As<Napi::Array>();
  for (uint32_t index = 0; index < parts.Length(); index++) {
    const Napi::Value part = parts.Get(index);
    if (object.Env().IsExceptionPending()) return false;
    std::string text;
    // An argument may be empty, a program may not.
    const bool empty = index > 0 && part.IsString() && part.As<Napi::String>().Utf8Value().empty();
    if (!empty && !ReadText(part, "command", &text)) return false;
    command->push_back(text);
  }
  return true;
}

bool ReadRegistration(const Napi::Value& value, rallypoint::Registration* registration) {
  if (!value.IsObject()) {
    Throw(value.Env(), {"EINVAL", "registration must be an object"});
    return false;
  }
  const Napi::Object object = value.As<Napi::Object>();
  return ReadField(object, "scheme", &registration->scheme) && ReadField(object, "id", &registration->id) &&
         ReadField(object, "name", &registration->name) && ReadCommand(object, &registration->command);
}

// The lock belongs to the function `release`: it is freed with that at the latest.
Napi::Value LockObject(Napi::Env env, std::unique_ptr<Lock> lock) {
  Lock* held = lock.release();
  const auto release = [](const Napi::CallbackInfo& info) { static_cast<Lock*>(info.Data())->release(); };
  Napi::Function function = Napi::Function::New(env, release, "release", held);
  function.AddFinalizer([](Napi::Env, Lock* unused) { delete unused; }, held);
  Napi::Object object = Napi::Object::New(env);
  object.Set("release", function);
  object.Freeze();
  return object;
}

Napi::Value TryLock(const Napi::CallbackInfo& info) {
  std::string path;
  if (!ReadText(info[0], "path", &path)) return {};
  auto outcome = rallypoint::try_lock(path);
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    Throw(info.Env(), *failure);
    return {};
  }
  auto& lock = std::get<std::unique_ptr<Lock>>(outcome);
  return lock ? LockObject(info.Env(), std::move(lock)) : info.Env().Undefined();
}

Napi::Value HandlerOf(const Napi::CallbackInfo& info) {
  std::string scheme;
  if (!ReadText(info[0], "scheme", &scheme)) return {};
  const auto outcome = rallypoint::handler_of(scheme);
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    Throw(info.Env(), *failure);
    return {};
  }
  const auto& handler = std::get<std::optional<rallypoint::Handler>>(outcome);
  if (!handler) return info.Env().Undefined();
  Napi::Object object = Napi::Object::New(info.Env());
  object.Set("id", handler->id);
  object.Set("command", handler->command);
  return object;
}

Napi::Value ThrowUnlessDone(Napi::Env env, const Outcome<rallypoint::Done>& outcome) {
  if (const auto* failure = std::get_if<Failure>(&outcome)) Throw(env, *failure);
  return env.Undefined();
}

Napi::Value RegisterScheme(const Napi::CallbackInfo& info) {
  rallypoint::Registration registration;
  if (!ReadRegistration(info[0], &registration)) return {};
  return ThrowUnlessDone(info.Env(), rallypoint::register_scheme(registration));
}

Napi::Value UnregisterScheme(const Napi::CallbackInfo& info) {
  std::string scheme;
  std::string id;
  if (!ReadText(info[0], "scheme", &scheme) || !ReadText(info[1], "id", &id)) return {};
  return ThrowUnlessDone(info.Env(), rallypoint::unregister_scheme(scheme, id));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("tryLock", Napi::Function::New(env, TryLock, "tryLock"));
  exports.Set("handlerOf", Napi::Function::New(env, HandlerOf, "handlerOf"));
  exports.Set("registerScheme", Napi::Function::New(env, RegisterScheme, "registerScheme"));
  exports.Set("unregisterScheme", Napi::Function::New(env, UnregisterScheme, "unregisterScheme"));
  return exports;
}

}  // namespace

NODE_API_MODULE(rallypoint, Init)
