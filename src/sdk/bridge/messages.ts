import type { LobbyId } from '../../model/snowflake.ts';
import type { ErrorFields } from './error-fields.ts';
import type { Patch } from './patch.ts';

/**
 * What a window and the main process say to each other over their MessagePort: plain JSON values, so that nothing but
 * data crosses. Numbers name subscriptions and calls; the window counts them up from 1.
 */
export type FromWindow =
  /** Begins a subscription to a state or an event stream. */
  | readonly [type: 'subscribe', id: number, topic: string, args: readonly unknown[]]
  | readonly [type: 'unsubscribe', id: number]
  | readonly [type: 'call', id: number, name: string, args: readonly unknown[]]
  /** Aborts a call; its answer still comes. */
  | readonly [type: 'abort', id: number]
  /** The batches up to this number were taken. */
  | readonly [type: 'ack', number: number];

/**
 * One message to a window: everything that happened since the last one, in order. The first one, `[0]`, answers the port;
 * a window sends nothing before.
 */
export type FromMain = readonly [number: number, ...items: readonly BatchItem[]];

export type BatchItem =
  /** A subscription's state changed. */
  | readonly [type: 'state', id: number, patch: Patch]
  /** An event of a subscription to an event stream. */
  | readonly [type: 'event', id: number, value: unknown]
  /** So many events of a subscription were dropped before the next one: the window did not read for too long. */
  | readonly [type: 'missed', id: number, count: number]
  /** The subscription has completed. */
  | readonly [type: 'complete', id: number]
  | readonly [type: 'result', id: number, value?: unknown]
  | readonly [type: 'error', id: number, error: ErrorFields]
  /** The last item of a port: nothing more comes, for this reason. */
  | readonly [type: 'closed', mayReconnect: boolean, error: ErrorFields];

/** The channel on which a window hands over its port. */
export const connectChannel = 'rallypoint:connect';

/** What comes before the names of the game's own calls and states, so that they cannot take the place of the client's. */
export const gamePrefix = 'game:';

/** What a lobby's call shows that the player is not in. */
export function absentCall(lobbyId: LobbyId) {
  return { lobbyId, status: 'disconnected', own: undefined, server: undefined, participants: [] } as const;
}

/** Bounds of one window. A window that passes one of them is disconnected. */
export const windowLimits = {
  /** Batches that may be unacknowledged: while there are so many, only the newest state is kept for the window. */
  batchesUnacknowledgedMax: 8,
  /** A window acknowledges every so many batches, because each message costs as much as a small batch. */
  batchesPerAcknowledgement: 4,
  /** Room for a list of 1,000 friends and a lobby of 1,000 members, each of whom a page watches. */
  subscriptionsMax: 10_000,
  /** Calls under way, and outcomes that the window has not read. */
  callsMax: 200,
  /** What a window of this package has under way itself: further calls wait in the window. The rest is for heartbeats. */
  callsSentMax: 190,
  /** Events waiting for a window that does not read; with more, the oldest are dropped, and their number is reported. */
  eventsWaitingMax: 1000,
  /** Values in the arguments of one message, nested ones included. */
  argumentValuesMax: 10_000,
  /** UTF-16 units of all texts in the arguments of one message: what a player pastes into a field has to get as far as the rules. */
  argumentTextMax: 1_048_576,
  /** The same of a subscription, which names an id or a place, and is kept as long as the window watches. */
  subscriptionTextMax: 1_000,
  argumentDepthMax: 16,
} as const;

/**
 * Reads what a window sent.
 *
 * @returns undefined for anything that no window of this package sends
 */
export function readFromWindow(message: unknown): FromWindow | undefined {
  if (!Array.isArray(message) || !Number.isSafeInteger(message[1]) || message[1] < 1) return undefined;
  const [type, , name, args] = message;
  switch (type) {
    case 'unsubscribe':
    case 'abort':
    case 'ack':
      return message.length === 2 ? (message as unknown as FromWindow) : undefined;
    case 'subscribe':
    case 'call': {
      const textMax = type === 'call' ? undefined : windowLimits.subscriptionTextMax;
      return message.length === 4 && typeof name === 'string' && name.length <= 64 && isArguments(args, textMax)
        ? (message as unknown as FromWindow)
        : undefined;
    }
    default:
      return undefined;
  }
}

function isArguments(value: unknown, textMax: number | undefined): value is readonly unknown[] {
  return Array.isArray(value) && problemWithArguments(value, textMax) === undefined;
}

/** Why arguments cannot cross to the main process; undefined if they can. */
export function problemWithArguments(
  args: readonly unknown[],
  textMax: number = windowLimits.argumentTextMax,
): string | undefined {
  const { argumentValuesMax, argumentDepthMax } = windowLimits;
  let values = 0;
  let text = 0;
  const problemWith = (part: unknown, depth: number): string | undefined => {
    if (++values > argumentValuesMax) return `more than ${argumentValuesMax} values`;
    if (depth > argumentDepthMax) return `more than ${argumentDepthMax} levels, or a cycle`;
    if (typeof part === 'string') {
      text += part.length;
      return text > textMax ? `more than ${textMax} characters` : undefined;
    }
    if (part === null || ['undefined', 'boolean', 'number'].includes(typeof part)) return undefined;
    if (typeof part !== 'object') return `a ${typeof part}`;
    if (Array.isArray(part)) return firstProblem(part, depth);
    // An object of a game's own class crosses as its fields; one of a class of JavaScript keeps its class.
    const kind = Object.prototype.toString.call(part).slice('[object '.length, -1);
    if (kind !== 'Object') return `an object of the class ${kind}`;
    return firstProblem(Object.keys(part), depth - 1) ?? firstProblem(Object.values(part), depth);
  };
  const firstProblem = (parts: readonly unknown[], depth: number): string | undefined => {
    for (const part of parts) {
      const problem = problemWith(part, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return problemWith(args, 0);
}
