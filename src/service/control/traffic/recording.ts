import type { TrafficEntry } from '../../../wire/control/traffic.ts';
import { parseJson } from '../../../wire/http/codec.ts';
import { SecretMask } from '../../../wire/secret-mask.ts';
import type { KeptEntry } from '../../telemetry/traffic/ring.ts';
import { eachWithPauses } from './query.ts';

/** The version of the testing kit's recordings. */
export const recordingVersion = 1;
export const anonymous = 'anonymous';

interface Line {
  readonly kind: string;
  readonly atMs: number;
  readonly [field: string]: unknown;
}

/**
 * Entries as a recording of the testing kit: requests with their answers, and what clients sent over gateway connections. Events are not in
 * it, because they are recorded once for all their receivers. Secrets are replaced by placeholders.
 */
export async function recordingOf(entries: readonly KeptEntry[], nowMs: number): Promise<string> {
  const lines: Line[] = [];
  const mask = new SecretMask();
  await eachWithPauses(entries, entry => {
    for (const line of linesOf(entry)) {
      lines.push(line);
      for (const [name, value] of contentsOf(line)) mask.learn(value, name);
    }
  });
  lines.sort((a, b) => a.atMs - b.atMs);
  const header = { kind: 'recording', version: recordingVersion, atMs: lines[0]?.atMs ?? nowMs, truncated: false };
  const texts = [JSON.stringify(header)];
  await eachWithPauses(lines, line => {
    const masked = contentsOf(line).map(([name, value]) => [name, mask.mask(value, name)]);
    texts.push(JSON.stringify({ ...line, ...Object.fromEntries(masked) }));
  });
  return `${texts.join('\n')}\n`;
}

/** The fields whose values come from outside. */
const contents: ReadonlySet<string> = new Set(['params', 'query', 'body', 'form', 'frame']);

function contentsOf(line: Line): [string, unknown][] {
  return Object.entries(line).filter(([name]) => contents.has(name));
}

const recordedHeader = /^(content-type|retry-after|x-ratelimit-.*)$/;

function linesOf({ entry, details }: KeptEntry): Line[] {
  if (entry.kind === 'connection')
    return connectionLines(entry, details.data === undefined ? undefined : parseJson(details.data));
  if ((entry.kind !== 'request' && entry.kind !== 'oauth') || entry.route === null) return [];
  const { id: request, route, at_ms: atMs, duration_ms, status } = entry;
  const { requestHeaders = {}, requestBody, answerHeaders = {}, authorization } = details;
  const isForm = requestHeaders['content-type']?.includes('x-www-form-urlencoded');
  const given = requestBody === undefined ? undefined : parseJson(requestBody);
  const sent = given === undefined ? {} : isForm ? { form: given } : { body: given };
  const query = Object.entries(details.query ?? {}).flatMap(([name, value]) => {
    const text = typeof value === 'object' ? value[0] : value;
    return text === undefined ? [] : [[name, text] as const];
  });
  const body = details.answer === undefined ? undefined : parseJson(details.answer);
  const headers = Object.fromEntries(Object.entries(answerHeaders).filter(([name]) => recordedHeader.test(name)));
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return [
    {
      ...{ kind: 'request', atMs, by: nameOf(entry), request, route, params: details.params ?? {} },
      query: Object.fromEntries(query),
      ...(authorization !== undefined && { authorization }),
      ...sent,
    },
    {
      ...{ kind: 'answer', atMs: atMs + Math.round(duration_ms), request, status, headers: { ...headers, ...type } },
      ...(body !== undefined && { body }),
    },
  ];
}

/** The recording has the view of the client. */
function connectionLines(entry: Extract<TrafficEntry, { kind: 'connection' }>, frame: unknown): Line[] {
  const { connection: socket, at_ms: atMs, event, code } = entry;
  if (event === 'opened') {
    return [
      { kind: 'connect', atMs, socket, by: anonymous },
      { kind: 'opened', atMs, socket },
    ];
  }
  if (event === 'received') return [{ kind: 'sent', atMs, socket, frame }];
  return event === 'closed' ? [{ kind: 'closed', atMs, socket, code, reason: '' }] : [];
}

/** As `recordService()` of the testing kit names callers. */
function nameOf({ caller }: Extract<TrafficEntry, { kind: 'request' | 'oauth' }>): string {
  if (!caller) return anonymous;
  const { kind, application_id, user_id, username } = caller;
  const person = username ?? user_id ?? '';
  if (kind === 'user') return person;
  return kind === 'session' ? `${person} (chat client)` : `${kind} ${application_id}`;
}
