import { isAbsolute } from 'node:path';
import { ArgumentError } from '../../model/errors/errors.ts';
import { checkWholeFile, openFirst } from './built-files.ts';
import type { NativeAddon, SchemeRegistration } from './contract.ts';

/** The addon, or the places where it was searched for and why each failed, one line per place. */
export type NativeFound = { readonly addon: NativeAddon } | { readonly missing: readonly string[] };

/**
 * Loads the addon from the first place that has a working one. Never rejects: without the addon the SDK uses other means, and
 * says so.
 */
export function loadNative(): Promise<NativeFound> {
  return openFirst(addonFile, async path => {
    await checkWholeFile(path);
    return { addon: withCheckedArguments(load(path)) };
  });
}

const addonFile = 'rallypoint.node';
const functions = ['tryLock', 'handlerOf', 'registerScheme', 'unregisterScheme'] as const;

// With dlopen, because bundlers would process a `require` of a built file.
function load(path: string): NativeAddon {
  const module: { exports: Partial<NativeAddon> } = { exports: {} };
  process.dlopen(module, path);
  const lacking = functions.filter(name => typeof module.exports[name] !== 'function');
  if (lacking.length > 0)
    throw new Error(`it lacks ${lacking.join(', ')}: it was built for another version of this package`);
  return module.exports as NativeAddon;
}

/**
 * Checks the arguments of the addon, so that C++ and the system's files get what they expect.
 *
 * @see native/README.md
 */
function withCheckedArguments(addon: NativeAddon): NativeAddon {
  return {
    tryLock(path) {
      if (!isAbsolute(path) || path.includes('\0')) {
        throw new ArgumentError('invalid_path', `path must be absolute and without NUL (got ${JSON.stringify(path)}).`);
      }
      return addon.tryLock(path);
    },
    handlerOf(scheme) {
      checkScheme(scheme);
      return addon.handlerOf(scheme);
    },
    registerScheme(registration) {
      checkRegistration(registration);
      addon.registerScheme(registration);
    },
    unregisterScheme(scheme, id) {
      checkScheme(scheme);
      checkId(id);
      addon.unregisterScheme(scheme, id);
    },
  };
}

// RFC 3986, section 3.1, in lower case. A single letter would be a drive on Windows.
const schemeForm = /^[a-z][a-z0-9+.-]{1,126}$/;
// A valid file name on every system, and not a path.
const idForm = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,254}$/;
const desktopEnding = '.desktop';
const unprintable = /\p{Cc}/u;

function checkScheme(scheme: string): void {
  if (!schemeForm.test(scheme))
    throw new ArgumentError('invalid_scheme', `scheme must match ${schemeForm} (got ${JSON.stringify(scheme)}).`);
}

function checkId(id: string): void {
  const formed = idForm.test(id) && (process.platform !== 'linux' || id.endsWith(desktopEnding));
  if (!formed)
    throw new ArgumentError(
      'invalid_handler_id',
      `id must match ${idForm}, and end in .desktop on Linux (got ${JSON.stringify(id)}).`,
    );
}

function checkRegistration({ scheme, id, name, command }: SchemeRegistration): void {
  checkScheme(scheme);
  checkId(id);
  if (name === '' || unprintable.test(name))
    throw new ArgumentError('invalid_name', `name must be one line of printable text (got ${JSON.stringify(name)}).`);
  const [program] = command;
  const formed = program !== undefined && isAbsolute(program) && !command.some(part => unprintable.test(part));
  if (!formed) {
    throw new ArgumentError(
      'invalid_command',
      `command must be an absolute path and arguments, each one line of printable text (got ${JSON.stringify(command)}).`,
    );
  }
}
