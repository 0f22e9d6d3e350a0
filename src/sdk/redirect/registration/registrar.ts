import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ArgumentError, RedirectError } from '../../../model/errors/errors.ts';
import { requireType } from '../../../wire/arguments.ts';
import { customSchemeRedirect } from '../../../wire/oauth/authorize-url.ts';
import { checkFolder } from '../../folder-option.ts';
import { loadNative } from '../../native/addon.ts';
import type { NativeAddon } from '../../native/contract.ts';
import { findForwarder } from '../../native/find-forwarder.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { parseScheme, type SchemeChoice } from '../scheme.ts';
import { socketLocationOf } from '../socket-location.ts';
import { freedesktopHandlers, type SchemeHandlers } from './freedesktop.ts';

export interface RegisterOptions extends SchemeChoice {
  /** The name that browsers show when they ask whether to open the game: one line, up to 100 characters. */
  readonly name: string;
  /** How the system starts the game; the address is appended as the last argument. */
  readonly game: { readonly path: string; readonly args?: readonly string[] | undefined };
  /** Absolute path: the folder that was passed to {@link listenForRedirects}. */
  readonly folder?: string | undefined;
  /** macOS: the id of the game's bundle, whose Info.plist names the scheme. Required there, unused elsewhere. */
  readonly bundleId?: string | undefined;
}

/** What was registered, and how. */
export interface RegisteredScheme {
  readonly scheme: string;
  /** The redirect address, which has to be among the application's redirects at the service. */
  readonly redirectUri: string;
  /** Linux: the desktop file; Windows: the ProgId; macOS: the bundle. */
  readonly id: string;
  /** The command that the system runs, with the address as the last argument. */
  readonly command: readonly string[];
  /** `game`: the forwarder was not found, so each redirect starts a second copy of the game, which passes it on. */
  readonly through: 'forwarder' | 'game';
  /** `xdg-mime`: the addon was not found. */
  readonly by: 'addon' | 'xdg-mime';
  /** The places where the forwarder was searched for. Empty when it was found. */
  readonly missing: readonly string[];
}

/** The scheme to unregister. */
export type UnregisterOptions = SchemeChoice & Pick<RegisterOptions, 'bundleId'>;

/** What registering uses of the machine. Tests pass their own. */
export interface RegistrarParts {
  readonly machine: Machine;
  readonly loadNative: typeof loadNative;
  readonly findForwarder: typeof findForwarder;
}

export function systemParts(): RegistrarParts {
  return { machine: thisMachine(), loadNative, findForwarder };
}

/** @see registerScheme */
export async function register(options: RegisterOptions, parts: RegistrarParts): Promise<RegisteredScheme> {
  requireType('options', options, 'object');
  const scheme = parseScheme(options);
  checkFolder(options.folder);
  checkName(options.name);
  await checkGame(options.game);
  const { machine } = parts;
  const id = handlerId(scheme, machine, options.bundleId);
  const { command, through, missing } = await commandFor(scheme, options, parts);
  const handlers = await openSchemeHandlers(machine, parts.loadNative);
  await handlers.register({ scheme, id, name: options.name, command });
  return { scheme, redirectUri: customSchemeRedirect(scheme), id, command, through, by: handlers.by, missing };
}

/** @see unregisterScheme */
export async function unregister(options: UnregisterOptions, { machine, loadNative }: RegistrarParts): Promise<void> {
  requireType('options', options, 'object');
  const scheme = parseScheme(options);
  const id = handlerId(scheme, machine, options.bundleId);
  await (await openSchemeHandlers(machine, loadNative)).unregister(scheme, id);
}

/**
 * The id of our registration of a scheme, as the system stores it.
 *
 * @throws ArgumentError `missing_bundle_id`
 */
export function handlerId(scheme: string, { platform }: Machine, bundleId: string | undefined): string {
  if (platform === 'win32') return `Rallypoint.${scheme}`;
  if (platform !== 'darwin') return `rallypoint-${scheme}.desktop`;
  if (bundleId) return bundleId;
  throw new ArgumentError(
    'missing_bundle_id',
    'bundleId is missing: pass the id of the app bundle, by which macOS registers schemes.',
  );
}

async function commandFor(
  scheme: string,
  { game, folder }: RegisterOptions,
  { machine, findForwarder }: RegistrarParts,
): Promise<Pick<RegisteredScheme, 'command' | 'through' | 'missing'>> {
  const { path } = socketLocationOf(scheme, folder, machine);
  const ofGame = [game.path, ...(game.args ?? [])];
  const forwarder = await findForwarder();
  if ('missing' in forwarder) return { command: ofGame, through: 'game', missing: forwarder.missing };
  return { command: [forwarder.path, path, ...ofGame], through: 'forwarder', missing: [] };
}

const nameLengthMax = 100;
const controlCharacter = /\p{Cc}/u;

function checkName(name: unknown): void {
  const isLine = typeof name === 'string' && name.trim() !== '' && name.isWellFormed() && !controlCharacter.test(name);
  if (isLine && name.length <= nameLengthMax) return;
  throw new ArgumentError(
    'invalid_name',
    `name must be one line of 1 to ${nameLengthMax} characters (got ${JSON.stringify(name)}).`,
  );
}

async function checkGame(game: unknown): Promise<void> {
  const { path, args = [] } = Object(game) as Partial<Record<'path' | 'args', unknown>>;
  const areWords = typeof path === 'string' && Array.isArray(args) && [path, ...args].every(isWord);
  if (areWords && isAbsolute(path) && (await stat(path).catch(() => undefined))) return;
  throw new ArgumentError(
    'invalid_game',
    `game.path must be the absolute path of a program that exists, and game.args must be texts without control characters (got ${JSON.stringify(game)}).`,
  );
}

function isWord(word: unknown): boolean {
  return typeof word === 'string' && word.isWellFormed() && !controlCharacter.test(word);
}

/**
 * Reads and writes the system's handlers through the addon; on Linux without it, through `xdg-mime` and a desktop file.
 *
 * @throws RedirectError `registration_unavailable`: neither is available
 */
export async function openSchemeHandlers(machine: Machine, load = loadNative): Promise<SchemeHandlers> {
  const native = await load();
  if ('addon' in native) return nativeHandlers(native.addon);
  if (machine.platform !== 'win32' && machine.platform !== 'darwin') return freedesktopHandlers(machine);
  const searched = native.missing.join(' ');
  throw new RedirectError(
    'registration_unavailable',
    `On this system only the native addon can register a scheme, and it was not found: ${searched} ` +
      'In Electron use receiveRedirects(), let an installer register the scheme, or use loopback redirects.',
  );
}

function nativeHandlers(addon: NativeAddon): SchemeHandlers {
  return {
    by: 'addon',
    handlerOf: async scheme => addon.handlerOf(scheme),
    register: async registration => withRedirectError(() => addon.registerScheme(registration)),
    unregister: async (scheme, id) => withRedirectError(() => addon.unregisterScheme(scheme, id)),
  };
}

function withRedirectError(call: () => void): void {
  try {
    call();
  } catch (cause) {
    const { code } = Object(cause) as { code?: unknown };
    if (cause instanceof RedirectError || typeof code !== 'string') throw cause;
    throw new RedirectError(
      'registration_failed',
      `The system rejected the registration (${code}). Run rallypoint doctor.`,
      { cause },
    );
  }
}
