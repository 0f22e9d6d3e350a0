import { snowflakeEpochMs } from '../../../src/model/snowflake.ts';
import type { Committed } from './event-history.ts';
import { idleSeconds, type Load, probed } from './load.ts';
import { type Findings, machineMs, outcomeOf } from './record.ts';
import type { Epoch, Watcher } from './watcher.ts';
import type { ReceivedMessage } from './webhook-receiver.ts';

/** A time in which something was done to the cluster. */
export interface Disturbance {
  readonly what: string;
  /** One node, or its links, only: a timer may be later when its node died. */
  readonly isNode: boolean;
  readonly startMs: number;
  endMs: number;
}

const onTimeMs = 1500;
const nodeDiedMs = 6000;
const recoveryMs = 15_000;

const idTimeMs = (id: string): number => Number(BigInt(id) >> 22n) + snowflakeEpochMs;

/** Every acknowledged write has its event, once; one that failed has it or not, and nothing comes later. */
export function checkWrites(load: Load, events: readonly Committed[], findings: Findings): void {
  const byValue = new Map<string, Committed[]>();
  for (const event of events) {
    const value = valueIn(event);
    if (value === undefined) continue;
    const list = byValue.get(value);
    if (list) list.push(event);
    else byValue.set(value, [event]);
  }
  for (const { value, call } of load.writes) {
    const found = byValue.get(value) ?? [];
    // One for each member that gets the lobby.
    const commits = new Set(found.map(({ position, data }) => `${position} ${data.id}`));
    const outcome = outcomeOf(call);
    if (outcome === 'done' && commits.size === 0) findings.violation(`${call.what} was acknowledged and is lost`);
    if (commits.size > 1) findings.violation(`${call.what} happened ${commits.size} times (${call.status})`);
    if (outcome === 'refused' && commits.size > 0) findings.violation(`${call.what} was refused and happened`);
    const late = found.find(({ absentAtMs }) => absentAtMs > call.endMs);
    if (late && outcome !== 'unknown') {
      const ms = late.absentAtMs - call.endMs;
      findings.violation(`${call.what} answered ${call.status} and was committed at least ${ms} ms later`);
    }
  }
}

/**
 * The application's server acknowledged every message that was committed, and none that was not. Repetitions aside, those of one lobby
 * came in the order of their commits.
 *
 * @returns how many came more than once
 */
export function checkWebhooks(
  acknowledged: readonly ReceivedMessage[],
  events: readonly Committed[],
  findings: Findings,
): number {
  const sent = Map.groupBy(
    events.filter(({ name }) => name === 'LOBBY_MESSAGE_CREATE'),
    ({ data }) => String(data.lobby_id),
  );
  const came = Map.groupBy(acknowledged, ({ lobby }) => lobby);
  for (const lobby of new Set([...sent.keys(), ...came.keys()])) {
    const expected = [...new Set(sent.get(lobby)?.map(({ data }) => String(data.content)))];
    const found = [...new Set(came.get(lobby)?.map(({ content }) => content))];
    const lost = expected.filter(content => !found.includes(content));
    const unknown = found.filter(content => !expected.includes(content));
    for (const content of lost) findings.violation(`the webhook event of ${content} is lost`);
    for (const content of unknown) findings.violation(`a webhook event of ${content}, which was never committed`);
    if (lost.length + unknown.length === 0 && expected.join() !== found.join()) {
      findings.violation(`webhook events of lobby ${lobby} came as ${found}, and were committed as ${expected}`);
    }
  }
  return acknowledged.length - new Set(acknowledged.map(({ content }) => content)).size;
}

/** How many messages an application's server has not acknowledged yet. */
export function missingWebhooks(acknowledged: readonly ReceivedMessage[], load: Load): number {
  const came = new Set(acknowledged.map(({ content }) => content));
  return load.writes.filter(
    ({ value, call }) => value.startsWith('message-') && outcomeOf(call) === 'done' && !came.has(value),
  ).length;
}

function valueIn({ name, data }: Committed): string | undefined {
  if (name === 'LOBBY_CREATE' || name === 'LOBBY_UPDATE') return (data.metadata as { v?: string } | null)?.v;
  if (name === 'LOBBY_MESSAGE_CREATE') return String(data.content);
  if (name === 'LOBBY_MEMBER_UPDATE') return (data.member as { metadata?: { v?: string } }).metadata?.v;
  return undefined;
}

/** What each client got of each topic is a part of the history without a gap, from where its session began. */
export function checkWatchers(watchers: readonly Watcher[], events: readonly Committed[], findings: Findings): number {
  const byTopic = Map.groupBy(
    // What is for one session alone is about the session.
    events.filter(({ name, only }) => name !== '' && only === undefined),
    ({ topic }) => topic,
  );
  const positions = new Map<string, number | undefined>();
  for (const [at, { key }] of events.entries()) positions.set(key, positions.has(key) ? undefined : at);
  let checked = 0;
  for (const watcher of watchers) {
    for (const [number, epoch] of watcher.epochs.entries()) {
      if (epoch.readyMs === 0) continue;
      const isLast = number === watcher.epochs.length - 1;
      const name = `${watcher.name}, session ${number + 1}`;
      checked += epoch.seen.length;
      checkOrder(name, epoch, positions, findings);
      for (const [topic, all] of byTopic) {
        const lobby = topic.startsWith('lobby/') ? topic.slice('lobby/'.length) : undefined;
        if (lobby !== undefined ? !watcher.userId || !epoch.snapshots.has(lobby) : !isOwn(watcher, topic)) continue;
        const expected = all.filter(({ except }) => except === undefined || except !== watcher.userId);
        const names = new Set(expected.map(event => event.name));
        const seen = epoch.seen.filter(
          event => names.has(event.name) && (lobby === undefined || event.lobby === lobby),
        );
        // Lobbies come by the player's own topic.
        const keys = seen.filter(event => event.name !== 'LOBBY_CREATE').map(({ key }) => key);
        checkTopic(`${name}, ${topic}`, keys, expected, epoch, isLast, lobby, findings);
      }
    }
  }
  return checked;
}

function isOwn({ name, userId }: Watcher, topic: string): boolean {
  return name === 'user' ? topic === `user/${userId}` : name === 'bot' && topic.startsWith('application/');
}

/** The order of commits, over all topics. */
function checkOrder(
  name: string,
  { seen }: Epoch,
  positions: ReadonlyMap<string, number | undefined>,
  findings: Findings,
): void {
  let last = -1;
  for (const { key, name: event } of seen) {
    const at = positions.get(key);
    if (at === undefined) continue;
    if (at <= last) findings.violation(`${name}: ${event} (${at}) came after a later one (${last})`);
    last = Math.max(last, at);
  }
}

function checkTopic(
  name: string,
  keys: readonly string[],
  expected: readonly Committed[],
  epoch: Epoch,
  isLast: boolean,
  lobby: string | undefined,
  findings: Findings,
): void {
  const fits = (start: number): string | undefined => {
    const different = keys.findIndex((key, at) => expected[start + at]?.key !== key);
    if (different >= 0) {
      const missing = expected[start + different];
      return `event ${different + 1} of ${keys.length} is not ${missing ? textOf(missing) : 'there'}`;
    }
    const before = expected[start - 1];
    if (before && before.absentAtMs > epoch.readyMs) return `${textOf(before)} is missing after READY`;
    if (lobby !== undefined) {
      const updates = expected.slice(0, start).filter(event => event.name === 'LOBBY_UPDATE');
      const v = (updates.at(-1)?.data.metadata as { v?: string } | undefined)?.v;
      if (v !== undefined && v !== epoch.snapshots.get(lobby)) {
        return `the state after READY was ${epoch.snapshots.get(lobby)}, and the next event follows ${v}`;
      }
    }
    const after = expected[start + keys.length];
    if (after && isLast) return `${textOf(after)} and ${expected.length - start - keys.length - 1} more are missing`;
    return undefined;
  };
  const starts = expected.flatMap(({ key }, at) => (keys.length === 0 || key === keys[0] ? at : []));
  if (keys.length === 0) starts.push(expected.length);
  const faults = starts.map(fits);
  if (faults.some(fault => fault === undefined) || expected.length === 0) return;
  const said = faults.length === 0 ? 'its first event is none of the history' : faults[0];
  findings.violation(`${name}: ${said}; got ${keys.length} of ${expected.length}`);
}

function textOf(event: Committed): string {
  return `${event.name} ${valueIn(event) ?? String(event.data.id)}`;
}

/** Idle lobbies and interactions end once, not early and not late. @returns the latest, in ms, without disturbances */
export function checkTimers(
  load: Load,
  events: readonly Committed[],
  disturbances: readonly Disturbance[],
  findings: Findings,
): { readonly latestMs: number; readonly latestDisturbedMs: number; readonly count: number } {
  let latestMs = 0;
  let latestDisturbedMs = 0;
  let count = 0;
  const check = (what: string, beginMs: number, lifeMs: number, ends: readonly Committed[]) => {
    count++;
    const [end, second] = ends;
    if (!end) return findings.violation(`${what} did not end`);
    if (second) findings.violation(`${what} ended ${ends.length} times`);
    const dueMs = beginMs + lifeMs;
    if (end.atMs < dueMs) findings.violation(`${what} ended ${dueMs - end.atMs} ms early`);
    const lateMs = Math.round(end.atMs - dueMs);
    // What was not possible while an engine was away happens once it is back.
    const during = disturbances.filter(({ startMs, endMs }) => startMs < end.atMs && endMs > beginMs);
    const engines = during.filter(({ isNode }) => !isNode);
    const wasBack = Math.max(...engines.map(({ endMs }) => endMs)) + recoveryMs;
    const hasNode = disturbances.some(
      ({ isNode, startMs, endMs }) => isNode && startMs < end.atMs && endMs > beginMs - nodeDiedMs,
    );
    const allowedMs = Math.max(hasNode ? nodeDiedMs : onTimeMs, engines.length > 0 ? wasBack - dueMs : 0) + machineMs;
    if (hasNode || engines.length > 0) latestDisturbedMs = Math.max(latestDisturbedMs, lateMs);
    else latestMs = Math.max(latestMs, lateMs);
    if (lateMs > allowedMs) {
      const said = during.map(({ what }) => what).join(', ') || 'nothing';
      findings.violation(`${what} ended ${lateMs} ms late; ${allowedMs} are allowed (meanwhile: ${said})`);
    }
  };
  const deletes = Map.groupBy(
    events.filter(({ name, topic }) => name === 'LOBBY_DELETE' && topic.startsWith('lobby/')),
    ({ data }) => String(data.id),
  );
  for (const id of load.idleLobbies) {
    check(`idle lobby ${id}`, idTimeMs(id), idleSeconds * 1000, deletes.get(id) ?? []);
  }
  const created = Map.groupBy(
    events.filter(({ name, topic }) => name === 'INTERACTION_CREATE' && topic.startsWith('application/')),
    ({ data }) => String(data.id),
  );
  const outcomes = Map.groupBy(
    events.filter(({ name }) => name === 'INTERACTION_SUCCESS' || name === 'INTERACTION_FAILURE'),
    ({ data }) => String(data.id),
  );
  const nonces = new Set([...outcomes.values()].flat().map(({ data }) => String(data.nonce)));
  for (const [nonce, call] of load.uses) {
    if (outcomeOf(call) === 'done' && !nonces.has(nonce))
      findings.violation(`${call.what} was acknowledged and has no outcome`);
  }
  for (const [id, sent] of created) {
    if (sent.length > 1) findings.violation(`interaction ${id} was announced ${sent.length} times`);
    const ends = outcomes.get(id) ?? [];
    const answer = load.answers.get(id);
    const isAnswered = answer !== undefined && outcomeOf(answer) === 'done';
    const isSuccess = ends[0]?.name === 'INTERACTION_SUCCESS';
    if (isAnswered && !isSuccess) findings.violation(`${answer.what} was acknowledged, and the interaction failed`);
    if (ends.length > 1) findings.violation(`interaction ${id} ended ${ends.length} times`);
    if (!isSuccess) check(`interaction ${id}`, Math.max(idTimeMs(id), (sent[0]?.atMs ?? 0) - 3000), 3000, ends);
  }
  return { latestMs, latestDisturbedMs, count };
}

/** The limit holds in sum over all nodes. @returns how many windows were looked at, and the fullest */
export function checkLimits(
  { limited }: Load,
  findings: Findings,
): { readonly windows: number; readonly most: number } {
  const taken = limited
    .filter(call => outcomeOf(call) === 'done')
    .map(({ headers }) => Number(headers['x-ratelimit-reset']))
    .sort((a, b) => a - b);
  let windows = 0;
  let most = 0;
  for (let at = 0; at < taken.length; ) {
    const first = taken[at] ?? 0;
    const count = taken.filter(reset => reset >= first && reset < first + 2).length;
    windows++;
    most = Math.max(most, count);
    if (count > probed.requests) {
      findings.violation(
        `${count} calls in the window that ended at ${findings.since(first * 1000)} s; ${probed.requests} are allowed`,
      );
    }
    at += Math.max(1, count);
  }
  return { windows, most };
}
