import type { Machine } from '../machine.ts';

/** Desktops that older versions of xdg-open know by name, and hand addresses to their own openers. */
const knownDesktop = /^(x-)?(cinnamon|enlightenment|gnome(-.*)?|kde|deepin|lxde|lxqt|mate|xfce)$/i;
const knownSession = /^(gnome|lxde|lubuntu|mate|xfce4?|xfce session)$/i;
// From this version on it takes schemes with digits everywhere.
const digitsSince = [1, 2] as const;

/**
 * Why `xdg-open`, which browsers call, cannot pass on addresses of the scheme here; undefined when it can. Where it
 * knows no desktop it opens addresses itself, takes a scheme with a digit for a file name (before 1.2), and quotes in a
 * desktop file for a part of the name.
 *
 * @param version what `xdg-open --version` said; undefined when there is none
 * @param execLine of the desktop file that is registered
 */
export function openerFault(
  scheme: string,
  version: string | undefined,
  execLine: string | undefined,
  { environment }: Machine,
): string | undefined {
  if (version === undefined) return 'xdg-open, which browsers call, is missing.';
  if (isKnownDesktop(environment)) return undefined;
  if (/[0-9]/.test(scheme) && isBefore(version, digitsSince)) {
    return `${version.trim()} takes a scheme with digits for a file name where it knows no desktop.`;
  }
  if (execLine?.includes('"')) return `${version.trim()} cannot read quoted commands where it knows no desktop.`;
  return undefined;
}

function isKnownDesktop(environment: Machine['environment']): boolean {
  const { XDG_CURRENT_DESKTOP: current = '', DESKTOP_SESSION: session = '' } = environment;
  if (current.split(':').some(name => knownDesktop.test(name)) || knownSession.test(session)) return true;
  const marks = ['KDE_FULL_SESSION', 'GNOME_DESKTOP_SESSION_ID', 'MATE_DESKTOP_SESSION_ID'];
  return marks.some(name => environment[name]);
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const found = /([0-9]+)\.([0-9]+)/.exec(version);
  if (!found) return false;
  const [foundMajor, foundMinor] = [Number(found[1]), Number(found[2])];
  return foundMajor < major || (foundMajor === major && foundMinor < minor);
}
