import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { RedirectError } from '../../../model/errors/errors.ts';
import type { SchemeHandler } from '../../native/contract.ts';
import type { Machine } from '../machine.ts';
import { commandOf } from '../registration/desktop-entry.ts';
import { handlerId, openSchemeHandlers } from '../registration/registrar.ts';
import { socketLocationOf } from '../socket-location.ts';
import { bad, type Finding, good } from './finding.ts';

interface Asked {
  readonly scheme: string | undefined;
  readonly folder: string | undefined;
  readonly handler: string | undefined;
  readonly machine: Machine;
}
type AskedOfScheme = Asked & { readonly scheme: string };

const registerAgain = 'Start the game, which registers its scheme again with registerScheme().';
const register = 'Register the scheme with registerScheme(), or start the game, which does so.';

/** Checks which program opens the scheme, whether it can be started, and whether browsers can open the scheme. */
export async function checkScheme(asked: Asked): Promise<Finding[]> {
  const { scheme, machine } = asked;
  if (scheme === undefined) return [];
  const answer = await askForHandler(scheme, machine);
  const handler = 'handler' in answer ? answer.handler : undefined;
  const opener = await checkOpener(scheme, handler, machine);
  if ('failure' in answer) {
    const message = `The program that opens ${scheme}: addresses could not be determined. ${answer.failure}`;
    return [bad('registration', message, 'Install the native files, or use loopback redirects.'), ...opener];
  }
  if (!handler) return [bad('registration', `No program opens ${scheme}: addresses.`, register), ...opener];
  const found = await checkCommand(handler, machine);
  return [checkRegistration({ ...asked, scheme }, handler), found, ...opener];
}

async function askForHandler(
  scheme: string,
  machine: Machine,
): Promise<{ readonly handler: SchemeHandler | undefined } | { readonly failure: string }> {
  try {
    return { handler: await (await openSchemeHandlers(machine)).handlerOf(scheme) };
  } catch (error) {
    if (!(error instanceof RedirectError)) throw error;
    return { failure: error.message };
  }
}

function checkRegistration(asked: AskedOfScheme, { id, command }: SchemeHandler): Finding {
  const { scheme, folder, machine } = asked;
  const own = asked.handler ?? (machine.platform === 'darwin' ? id : handlerId(scheme, machine, undefined));
  if (id !== own) {
    const remedy = `${registerAgain} If ${id} is the game's own registration, pass it as handler (--handler).`;
    return bad('registration', `${id} opens ${scheme}: addresses, not ${own}. It runs: ${command}`, remedy);
  }
  const words = wordsOf(command, machine);
  const socket = isForwarder(words) ? words[1] : undefined;
  const { path } = socketLocationOf(scheme, folder, machine);
  if (socket === undefined || socket === path) return good('registration', `${id} opens ${scheme}: addresses.`);
  return bad('registration', `${id} sends addresses to ${socket}, but the game listens at ${path}.`, registerAgain);
}

async function checkCommand({ id, command }: SchemeHandler, machine: Machine): Promise<Finding> {
  if (machine.platform === 'darwin') {
    return (await exists(command, constants.F_OK, machine))
      ? good('handler_command', `${command} exists.`)
      : bad('handler_command', `${command} does not exist.`, registerAgain);
  }
  const words = wordsOf(command, machine);
  const programs = isForwarder(words) ? [words[0], words[2]] : [words[0]];
  for (const program of programs) {
    if (program !== undefined && (await exists(program, constants.X_OK, machine))) continue;
    const what =
      program === undefined ? 'names no program' : `starts ${program}, which does not exist or is not executable`;
    return bad('handler_command', `${id} ${what}.`, registerAgain);
  }
  return good('handler_command', `${id} starts ${programs.join(', which starts ')}.`);
}

async function checkOpener(
  scheme: string,
  handler: SchemeHandler | undefined,
  machine: Machine,
): Promise<readonly Finding[]> {
  if (machine.platform === 'win32' || machine.platform === 'darwin') return [];
  const problem = openerProblem(scheme, await xdgOpenVersion(machine), handler?.command, machine);
  if (problem === undefined) return [good('opener', `xdg-open can open ${scheme}: addresses.`)];
  const remedy =
    'Set XDG_CURRENT_DESKTOP for the session (for example to GNOME), install xdg-utils 1.2, or use loopback redirects.';
  return [bad('opener', problem, remedy)];
}

async function xdgOpenVersion({ environment }: Machine): Promise<string | undefined> {
  const { execFile } = await import('node:child_process');
  return new Promise(resolve => {
    execFile('xdg-open', ['--version'], { env: { ...environment } }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}

/** The program and the arguments of a command as the system stores it. */
function wordsOf(command: string, { platform }: Machine): readonly string[] {
  if (platform !== 'win32') return commandOf(command);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
}

function isForwarder([program = '']: readonly string[]): boolean {
  return basename(program.replaceAll('\\', '/')).startsWith('rallypoint-forwarder');
}

async function exists(program: string, mode: number, { environment }: Machine): Promise<boolean> {
  const folders = isAbsolute(program) ? [''] : (environment.PATH ?? '').split(delimiter);
  for (const folder of folders) {
    const found = await access(join(folder, program), mode).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}

/** Desktops that older versions of xdg-open recognize, and whose own openers they call. */
const knownDesktop = /^(x-)?(cinnamon|enlightenment|gnome(-.*)?|kde|deepin|lxde|lxqt|mate|xfce)$/i;
const knownSession = /^(gnome|lxde|lubuntu|mate|xfce4?|xfce session)$/i;
// The first version that accepts schemes with digits everywhere.
const digitsSince = [1, 2] as const;

/**
 * Says why `xdg-open`, which browsers call, cannot open addresses of the scheme. Returns undefined when it can. Without a
 * desktop that it recognizes, it takes a scheme with a digit for a file name (before 1.2), and quotes in a desktop file for
 * a part of the program's name.
 *
 * @param version the output of `xdg-open --version`; undefined when it is not installed
 * @param execLine the `Exec` line of the registered desktop file
 */
function openerProblem(
  scheme: string,
  version: string | undefined,
  execLine: string | undefined,
  { environment }: Machine,
): string | undefined {
  if (version === undefined) return 'xdg-open, which browsers call, is not installed.';
  if (isKnownDesktop(environment)) return undefined;
  if (/[0-9]/.test(scheme) && isBefore(version, digitsSince)) {
    return `${version.trim()} takes a scheme with digits for a file name, because it does not recognize the desktop.`;
  }
  if (execLine?.includes('"'))
    return `${version.trim()} cannot read quoted commands, because it does not recognize the desktop.`;
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
