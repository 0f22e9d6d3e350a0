import { setTimeout } from 'node:timers/promises';
import { ApiError, RallypointError } from '../../model/errors/errors.ts';
import { notInWorld, type OptionInputs } from '../../testing/command-input.ts';
import { UserSession } from '../../testing/user-session.ts';
import { type Reply, WorldUser } from '../../testing/world-user.ts';
import { systemClock } from '../../wire/clock/ports.ts';
import { routeLabel } from '../../wire/routes.ts';
import { CommandFailure } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { printable } from '../paint.ts';
import type { Waiting } from '../waiting.ts';
import { type ControlAddress, control, unansweredError } from './request.ts';

/** What somebody wants to do. */
export interface CommandUse {
  /** With its subcommands, by spaces. */
  readonly command: string;
  readonly options: OptionInputs;
  readonly as: string | undefined;
  readonly in: string | undefined;
  /** An application's id. */
  readonly direct: string | undefined;
  readonly target: string | undefined;
  readonly press: string | undefined;
  /** How long to wait for each answer, by the system's clock. */
  readonly waitMs: number;
}

interface Guild {
  readonly id: string;
  readonly owner_id: string;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
}

/** An application that has only acknowledged the use of a button may still change its message. */
const changeWaitMs = 1_000;
const guildsMax = 1000;
/** A service that has frozen does not close the connection. */
const closeMs = 500;

/**
 * Uses a command as the user's own client does.
 *
 * @param userId finds a user by username or id
 * @returns the answer, and the answer to the button
 * @throws CommandFailure
 */
export async function useCommand(
  address: ControlAddress,
  use: CommandUse,
  waiting: Waiting,
  userId: (name: string) => Promise<string>,
): Promise<readonly Reply[]> {
  const { guilds } = await control<{ guilds: readonly Guild[] }>(address, `GET /guilds?limit=${guildsMax}`);
  const channels = guilds.flatMap(guild => guild.channels.map(channel => ({ ...channel, guildId: guild.id, guild })));
  const channelOf = (name?: string) => {
    const found = name === undefined ? channels.slice(0, 1) : channels.filter(one => [one.id, one.name].includes(name));
    const [channel, other] = found;
    if (channels.length === 0) {
      throw new CommandFailure(
        'The service has no channel. Add a guild with a channel to its fixtures, or pass --direct ID.',
      );
    }
    if (!channel) {
      const known = channels.map(one => one.name);
      throw notInWorld('channel', name, known);
    }
    if (!other) return channel;
    const ids = found.map(({ id, guild }) => `${id} (guild ${guild.id})`).join(', ');
    throw new CommandFailure(`Several channels are named "${name}". Give one by its id: ${ids}.`);
  };
  try {
    const owner = use.direct === undefined ? channelOf(use.in).guild.owner_id : guilds[0]?.owner_id;
    if (use.as === undefined && owner === undefined) throw new CommandFailure('There are no guilds. Pass --as USER.');
    const id = use.as === undefined ? (owner ?? '') : await userId(use.as);
    return await act(address, use, { id, waiting, userId, channelOf });
  } catch (error) {
    if (!(error instanceof RallypointError)) throw error;
    throw new CommandFailure(printable(explanation(error, use)));
  }
}

function explanation(error: RallypointError, { direct }: CommandUse): string {
  const isOfIndex = error instanceof ApiError && error.route === routeLabel('getApplicationCommandIndex');
  if (isOfIndex && error.code === 'unknown_application') return `There is no application ${direct}.`;
  if (isOfIndex && error.code === 'missing_access') {
    return `The user cannot use commands of application ${direct} in direct messages: both must be in one guild, or the user must have authorized it with the scope applications.commands.`;
  }
  return errorMessage(error) + hintFor(error);
}

/** What to type, or to check. */
function hintFor(error: RallypointError): string {
  if (error.code === 'interaction_failed') return ' Check that its server is running.';
  if (!(error instanceof ApiError) || error.route !== routeLabel('invokeCommand')) return '';
  const missing = error.issues.filter(({ code }) => code === 'BASE_TYPE_REQUIRED').map(({ path }) => path.at(-1));
  if (missing.includes('target_id')) return '. Say what it is used on: --target USER.';
  return missing.includes('value') ? '. Options are written NAME=VALUE.' : '';
}

interface Found {
  readonly id: string;
  readonly waiting: Waiting;
  readonly userId: (name: string) => Promise<string>;
  readonly channelOf: (name?: string) => { readonly id: string; readonly guildId: string };
}

async function act(
  address: ControlAddress,
  use: CommandUse,
  { id, waiting, userId, channelOf }: Found,
): Promise<Reply[]> {
  const user: WorldUser = new WorldUser({
    id,
    username: use.as ?? id,
    names: { userId, channel: channelOf },
    applicationId: use.direct ?? '',
    settled: () => user.settled(),
    clock: systemClock,
  });
  const { token } = await control<{ token: string }>(address, `POST /users/${id}/session`);
  const base = address.url.replace(/\/control$/, '');
  const service = { apiBase: `${base}/api`, gateway: `${base.replace(/^http/, 'ws')}/gateway` };
  const opening = UserSession.open(service, token, systemClock, received => user.receive(received));
  const session = await waiting(`the gateway at ${printable(service.gateway)}`, within(address.timeoutMs, opening));
  if (!session) throw unansweredError(address.url, address.timeoutMs);
  user.attach(session);
  try {
    const place = { ...(use.in !== undefined && { in: use.in }), direct: use.direct !== undefined };
    const target = use.target !== undefined && { target: use.target };
    const answered = (action: Promise<Reply>) =>
      waiting("the answer of the application's server", completed(action, use));
    const answer = await answered(user.use(use.command, use.options, { ...place, ...target }));
    if (use.press === undefined) return [answer];
    return [answer, await answered(user.press(use.press, place))];
  } finally {
    await within(closeMs, session.close());
  }
}

/** The answer or, if it was deferred, what takes its place. @throws CommandFailure when it takes too long */
async function completed(action: Promise<Reply>, { waitMs }: CommandUse): Promise<Reply> {
  const reply = await within(waitMs, action);
  if (!reply) {
    throw new CommandFailure(
      `Nobody answered within ${waitMs} ms. Check that the application's server is running; the service writes what it sends to "rallypoint logs".`,
    );
  }
  if (reply.kind === 'acknowledged') return (await within(Math.min(waitMs, changeWaitMs), reply.completed())) ?? reply;
  const full = await within(waitMs, reply.completed());
  if (full) return full;
  throw new CommandFailure(
    `The application deferred its answer, which did not come within ${waitMs} ms. --wait waits longer.`,
  );
}

/** Undefined when it takes longer. */
async function within<T>(ms: number | undefined, work: Promise<T>): Promise<T | undefined> {
  if (ms === undefined) return work;
  const ended = new AbortController();
  const late = setTimeout(ms, undefined, { signal: ended.signal });
  late.catch(() => {}); // It was in time.
  // After the time is up, nobody waits for the work any more.
  work.catch(() => {});
  return Promise.race([work, late]).finally(() => ended.abort());
}
