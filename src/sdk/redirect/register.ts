import { ArgumentError } from '../../model/errors.ts';
import type { Machine } from './machine.ts';
import { customSchemeRedirect, parseScheme, type SchemeChoice } from './scheme.ts';
import type { SchemeHandlers } from './scheme-handlers.ts';

export interface RegisterOptions extends SchemeChoice {
  /** What people read when they are asked whether to open the game: one line, up to 100 characters. */
  readonly name: string;
  /** How the system starts the game; the address is appended as the last argument. */
  readonly game: { readonly path: string; readonly args?: readonly string[] | undefined };
  /** As in {@link listenForRedirects}. */
  readonly folder?: string | undefined;
  /** macOS: id of the game's bundle, whose Info.plist names the scheme; needed there, unused elsewhere. */
  readonly bundleId?: string | undefined;
}

/** What was registered, and by which means. */
export interface RegisteredScheme {
  readonly scheme: string;
  /** What the application's page of the service has to list. */
  readonly redirectUri: string;
  /** Linux: the desktop file; Windows: the ProgId; macOS: the bundle. */
  readonly id: string;
  /** What the system starts, with the address as one argument more. */
  readonly command: readonly string[];
  /** `game`: there is no forwarder, and each redirect starts a second copy of the game, which hands it on. */
  readonly through: 'forwarder' | 'game';
  /** `xdg-mime`: there is no addon. */
  readonly by: SchemeHandlers['by'];
  /** Where the forwarder was looked for; empty when it was found. */
  readonly missing: readonly string[];
}

const nameLengthMax = 100;
const controlCharacter = /\p{Cc}/u;

/**
 * Makes the game the program of its scheme, for this user; the forwarder then hands addresses to the running game, or
 * starts it. Call it at each start: it is cheap, and mends what an update or another program has changed. Idempotent.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`, `invalid_name`, `invalid_game`,
 *   `missing_bundle_id`
 * @throws RedirectError `registration_unavailable`: this system needs the native addon; `registration_failed`;
 *   `socket_path_too_long`
 */
export async function registerScheme(options: RegisterOptions): Promise<RegisteredScheme> {
  const scheme = parseScheme(options);
  checkName(options.name);
  await checkGame(options.game);
  const { machine, handlers } = await open();
  const id = handlerId(scheme, machine, options.bundleId);
  const { command, through, missing } = await commandFor(scheme, options, machine);
  await handlers.register({ scheme, id, name: options.name, command });
  return { scheme, redirectUri: customSchemeRedirect(scheme), id, command, through, by: handlers.by, missing };
}

/**
 * Takes back what {@link registerScheme} did; what another program registered stays. Idempotent.
 *
 * @throws as {@link registerScheme}
 */
export async function unregisterScheme(options: SchemeChoice & Pick<RegisterOptions, 'bundleId'>): Promise<void> {
  const scheme = parseScheme(options);
  const { machine, handlers } = await open();
  await handlers.unregister(scheme, handlerId(scheme, machine, options.bundleId));
}

/**
 * The name under which the system files our registration of a scheme.
 *
 * @throws ArgumentError `missing_bundle_id`
 */
export function handlerId(scheme: string, { platform }: Machine, bundleId: string | undefined): string {
  if (platform === 'win32') return `Rallypoint.${scheme}`;
  if (platform !== 'darwin') return `rallypoint-${scheme}.desktop`;
  if (bundleId) return bundleId;
  throw new ArgumentError('missing_bundle_id', 'macOS registers schemes by bundle: give bundleId.');
}

async function open() {
  const [{ thisMachine }, { openSchemeHandlers }] = await Promise.all([
    import('./machine.ts'),
    import('./open-scheme-handlers.ts'),
  ]);
  const machine = thisMachine();
  return { machine, handlers: await openSchemeHandlers(machine) };
}

async function commandFor(scheme: string, { game, folder }: RegisterOptions, machine: Machine) {
  const [{ findForwarder }, { placeOf }] = await Promise.all([
    import('../native/find-forwarder.ts'),
    import('./place.ts'),
  ]);
  const place = placeOf(scheme, folder, machine);
  const ofGame = [game.path, ...(game.args ?? [])];
  const forwarder = await findForwarder();
  if ('missing' in forwarder) return { command: ofGame, through: 'game', missing: forwarder.missing } as const;
  return { command: [forwarder.path, place.path, ...ofGame], through: 'forwarder', missing: [] } as const;
}

function checkName(name: unknown): void {
  const isLine = typeof name === 'string' && name.trim() !== '' && !controlCharacter.test(name);
  if (isLine && name.length <= nameLengthMax) return;
  throw new ArgumentError('invalid_name', `name must be one line of 1 to ${nameLengthMax} characters.`);
}

async function checkGame(game: RegisterOptions['game']): Promise<void> {
  const [{ isAbsolute }, { stat }] = await Promise.all([import('node:path'), import('node:fs/promises')]);
  const { path, args = [] } = Object(game) as Partial<RegisterOptions['game']>;
  const words: readonly unknown[] = [path, ...args];
  const areWords = words.every(word => typeof word === 'string' && word.isWellFormed() && !controlCharacter.test(word));
  const isThere = areWords && path !== undefined && isAbsolute(path) && (await stat(path).catch(() => undefined));
  if (isThere) return;
  throw new ArgumentError(
    'invalid_game',
    'game.path must be the absolute path of a program that exists; game.args texts without control characters.',
  );
}
