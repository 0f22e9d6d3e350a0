import { isAbsolute } from 'node:path';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { NativeAddon, SchemeRegistration } from './contract.ts';

/**
 * The addon with its arguments checked, so that what reaches C++ and the system's own files has the form they expect.
 *
 * @see native/README.md
 */
export function checkedAddon(addon: NativeAddon): NativeAddon {
  return {
    tryLock(path) {
      if (!isAbsolute(path) || path.includes('\0')) throw new ArgumentError('invalid_path', 'path must be absolute.');
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
    trimMemory: () => addon.trimMemory(),
  };
}

// RFC 3986, section 3.1 in lower case; a single letter would be a drive on Windows.
const schemeForm = /^[a-z][a-z0-9+.-]{1,126}$/;
// A name that is a file's name on every system, and no path.
const idForm = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,254}$/;
const desktopEnding = '.desktop';
const unprintable = /\p{Cc}/u;

function checkScheme(scheme: string): void {
  if (!schemeForm.test(scheme)) throw new ArgumentError('invalid_scheme', 'scheme must be lower case, without colon.');
}

function checkId(id: string): void {
  const formed = idForm.test(id) && (process.platform !== 'linux' || id.endsWith(desktopEnding));
  if (!formed)
    throw new ArgumentError('invalid_handler_id', 'id must be a plain name, on Linux one of a .desktop file.');
}

function checkRegistration({ scheme, id, name, command }: SchemeRegistration): void {
  checkScheme(scheme);
  checkId(id);
  if (name === '' || unprintable.test(name))
    throw new ArgumentError('invalid_name', 'name must be one printable line.');
  const [program] = command;
  const formed = program !== undefined && isAbsolute(program) && !command.some(part => unprintable.test(part));
  if (!formed) {
    throw new ArgumentError(
      'invalid_command',
      'command must be an absolute path and arguments, each one printable line.',
    );
  }
}
