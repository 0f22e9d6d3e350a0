import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ArgumentError } from '../../../model/errors/errors.ts';
import { findForwarder } from '../../native/find-forwarder.ts';
import { loadNative } from '../../native/load.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { placeOf } from '../place.ts';
import { customSchemeRedirect, parseScheme } from '../scheme.ts';
import { openSchemeHandlers } from './open-scheme-handlers.ts';
import type { RegisteredScheme, RegisterOptions, UnregisterOptions } from './registration.ts';

/** What registering stands on. */
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
  const scheme = parseScheme(options);
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
  const scheme = parseScheme(options);
  const id = handlerId(scheme, machine, options.bundleId);
  await (await openSchemeHandlers(machine, loadNative)).unregister(scheme, id);
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

async function commandFor(
  scheme: string,
  { game, folder }: RegisterOptions,
  { machine, findForwarder }: RegistrarParts,
): Promise<Pick<RegisteredScheme, 'command' | 'through' | 'missing'>> {
  const { path } = placeOf(scheme, folder, machine);
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
  throw new ArgumentError('invalid_name', `name must be one line of 1 to ${nameLengthMax} characters.`);
}

async function checkGame(game: unknown): Promise<void> {
  const { path, args = [] } = Object(game) as Partial<Record<'path' | 'args', unknown>>;
  const areWords = typeof path === 'string' && Array.isArray(args) && [path, ...args].every(isWord);
  if (areWords && isAbsolute(path) && (await stat(path).catch(() => undefined))) return;
  throw new ArgumentError(
    'invalid_game',
    'game.path must be the absolute path of a program that exists; game.args texts without control characters.',
  );
}

function isWord(word: unknown): boolean {
  return typeof word === 'string' && word.isWellFormed() && !controlCharacter.test(word);
}
