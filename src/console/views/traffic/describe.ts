import type { TrafficCallerView, TrafficEntry } from '../../../wire/control/traffic.ts';
import { durationText } from '../../ui/text/time.ts';
import { words } from '../../words/en/traffic.ts';

export type Tone = 'plain' | 'good' | 'warn' | 'fault';

/** An entry in words, for a row. */
export interface Description {
  readonly what: string;
  /** Beside it in a lighter colour. */
  readonly more: string;
  readonly who: string;
  readonly result: string;
  readonly tone: Tone;
  readonly took: string;
}

/** Names of applications and users, as far as they are known. */
export interface Names {
  readonly applications: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, string>;
}

export function describe(entry: TrafficEntry, names: Names): Description {
  switch (entry.kind) {
    case 'request':
    case 'oauth':
      return {
        what: `${entry.method} ${shortTarget(entry.target)}`,
        more: entry.kind === 'oauth' ? words.steps[entry.step] : (entry.route ?? ''),
        who: callerText(entry.caller, names),
        result: entry.error ? `${entry.status} ${entry.error}` : String(entry.status),
        tone: toneOf(entry.status),
        took: durationText(entry.duration_ms),
      };
    case 'dispatch':
      return {
        what: entry.event,
        more: entry.topic ?? '',
        who: words.sessions(entry.sessions),
        result: '',
        tone: 'plain',
        took: '',
      };
    case 'delivery':
      return {
        what: `${entry.method} ${entry.url}`,
        more: `${words.deliveries[entry.delivery]}${entry.event ? `: ${entry.event}` : ''}`,
        who: applicationText(entry.application_id, names),
        result: entry.status === null ? (entry.error ?? words.detail.noAnswer) : String(entry.status),
        tone: entry.status === null ? 'fault' : toneOf(entry.status),
        took: durationText(entry.duration_ms),
      };
    case 'connection':
      return {
        what: words.connectionEvents[entry.event],
        more: entry.op === null ? '' : `op ${entry.op}`,
        who: entry.user_id === null ? applicationText(entry.application_id, names) : userText(entry.user_id, names),
        result: entry.code === null ? '' : String(entry.code),
        tone: entry.event === 'closed' && entry.code !== 1000 ? 'warn' : 'plain',
        took: '',
      };
    case 'timer':
      return {
        what: words.timers[entry.timer] ?? entry.timer,
        more: entry.subject_id,
        who: '',
        result: '',
        tone: 'plain',
        took: '',
      };
    case 'fault':
      return { what: entry.fault, more: entry.route ?? '', who: '', result: entry.fault_id, tone: 'warn', took: '' };
    default:
      // A newer service may have kinds that this console does not know.
      return {
        what: String((entry as { kind: unknown }).kind),
        more: '',
        who: '',
        result: '',
        tone: 'plain',
        took: '',
      };
  }
}

export function toneOf(status: number): Tone {
  if (status >= 500) return 'fault';
  if (status >= 400) return 'warn';
  return status >= 200 && status < 300 ? 'good' : 'plain';
}

/** The path without what all paths of the API begin with. */
function shortTarget(target: string): string {
  return target.replace(/^\/api\/v10(?=\/)/, '');
}

export function callerText(caller: TrafficCallerView | null, names: Names): string {
  if (!caller) return words.somebody;
  const kind = words.callers[caller.kind] ?? caller.kind;
  if (caller.kind === 'control') return kind;
  const application = applicationText(caller.application_id, names);
  if (caller.kind === 'bot' || caller.kind === 'application') return `${application} ${kind}`.trim();
  return `${kind} ${caller.username ?? (caller.user_id === null ? '' : userText(caller.user_id, names))}`.trim();
}

export function applicationText(id: string | null, { applications }: Names): string {
  return id === null ? '' : (applications.get(id) ?? id);
}

export function userText(id: string, { users }: Names): string {
  return users.get(id) ?? id;
}
