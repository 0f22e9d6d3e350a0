// Schemes of macOS: Launch Services knows which bundles declare a scheme (CFBundleURLTypes) and which one is the default.
// Only a bundle can be that; what it starts is in the bundle, so that a registration's command is not used here.
#import <AppKit/AppKit.h>
#import <CoreServices/CoreServices.h>

#include "system.h"

namespace rallypoint {

namespace {

NSString* to_string(const std::string& text) {
  return [[[NSString alloc] initWithBytes:text.data() length:text.size() encoding:NSUTF8StringEncoding] autorelease];
}

Failure launch_services_failure(OSStatus status, const std::string& what) {
  const char* code = status == kLSApplicationNotFoundErr ? "ENOENT" : "EUNKNOWN";
  return {code, what + ": error " + std::to_string(status) + " of Launch Services"};
}

}  // namespace

Outcome<std::optional<Handler>> handler_of(const std::string& scheme) {
  @autoreleasepool {
    NSString* text = to_string(scheme);
    NSURL* address = text ? [NSURL URLWithString:[text stringByAppendingString:@":/"]] : nil;
    NSURL* application = address ? [[NSWorkspace sharedWorkspace] URLForApplicationToOpenURL:address] : nil;
    NSString* id = application ? [[NSBundle bundleWithURL:application] bundleIdentifier] : nil;
    if (!id) return std::optional<Handler>();
    return std::optional(Handler{[id UTF8String], [[application path] UTF8String]});
  }
}

Outcome<Done> register_scheme(const Registration& registration) {
  @autoreleasepool {
    NSString* scheme = to_string(registration.scheme);
    NSString* id = to_string(registration.id);
    if (!scheme || !id) return Failure{"EINVAL", "scheme and id must be UTF-8"};
    // Deprecated, but its successor answers only later and needs the bundle's place, which Launch Services knows best.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    const OSStatus status = LSSetDefaultHandlerForURLScheme((__bridge CFStringRef)scheme, (__bridge CFStringRef)id);
#pragma clang diagnostic pop
    if (status != noErr) return launch_services_failure(status, "register " + registration.scheme);
    return Done{};
  }
}

// Launch Services forgets a bundle when it is deleted; there is no call to take a default back.
Outcome<Done> unregister_scheme(const std::string&, const std::string&) { return Done{}; }

}  // namespace rallypoint
