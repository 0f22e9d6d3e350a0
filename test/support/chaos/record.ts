import { request } from 'node:http';

/** What was called, and what came of it. */
export interface Call {
  readonly what: string;
  /** 0: the connection broke, and nobody knows what became of the call. */
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Times of the wall clock. */
  readonly startMs: number;
  readonly endMs: number;
}

export const callMsMax = 10_000;
/** Told while it runs. */
const slowMs = 6000;
/** What the machine may add to any time that is measured, when it has other work as well. */
export const machineMs = 750;

/** What a run has found. */
export class Findings {
  readonly violations: string[] = [];
  readonly statuses = new Map<string, number>();
  slowestCallMs = 0;
  calls = 0;
  readonly #startMs = Date.now();
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** Seconds since the start. */
  since(ms: number = Date.now()): string {
    return ((ms - this.#startMs) / 1000).toFixed(2);
  }

  violation(text: string): void {
    if (this.violations.length < 200) this.violations.push(`${this.since()} s: ${text}`);
    this.#tell(`VIOLATION ${text}`);
  }

  note(call: Call): void {
    this.calls++;
    const key = String(call.status);
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
    const ms = call.endMs - call.startMs;
    this.slowestCallMs = Math.max(this.slowestCallMs, ms);
    const said = `${call.what} (from ${this.since(call.startMs)} s) answered ${call.status} after ${ms} ms: ${JSON.stringify(call.body)}`;
    if (ms > slowMs) this.#tell(`slow: ${said}`);
    if (ms > callMsMax + machineMs) this.violation(`too late: ${said}`);
    if (call.status === 500 || call.status === 401 || call.status === 403) this.violation(said);
    const { code, message } = (call.body ?? {}) as { code?: unknown; message?: unknown; error?: unknown };
    const isOAuth = typeof (call.body as { error?: unknown } | undefined)?.error === 'string';
    if (call.status >= 500 && !isOAuth && (code === undefined || typeof message !== 'string')) {
      this.violation(`without code and message: ${said}`);
    }
  }
}

/** Calls of clients by one address, each on a connection of its own. */
export class Caller {
  readonly #base: URL;
  readonly #findings: Findings;

  constructor(base: string, findings: Findings) {
    this.#base = new URL(base);
    this.#findings = findings;
  }

  async call(
    method: string,
    path: string,
    authorization: string | undefined,
    body?: unknown,
    { what = `${method} ${path}` }: { readonly what?: string } = {},
  ): Promise<Call> {
    const startMs = Date.now();
    const isForm = body instanceof URLSearchParams;
    const text = body === undefined ? undefined : isForm ? body.toString() : JSON.stringify(body);
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const answered = await new Promise<Pick<Call, 'status' | 'body' | 'headers'>>(resolve => {
      const broken = () => resolve({ status: 0, body: undefined, headers: {} });
      const sent = request({
        agent: false,
        host: this.#base.hostname,
        port: this.#base.port,
        method,
        path: `/api/v10${path}`,
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(text !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
        },
      });
      sent.setTimeout(20_000, () => sent.destroy());
      sent.on('error', broken);
      sent.on('close', broken);
      sent.on('response', answer => {
        let received = '';
        answer.setEncoding('utf8');
        answer.on('data', chunk => {
          received += chunk;
        });
        answer.on('error', broken);
        answer.on('end', () => {
          if (!answer.complete) return broken();
          resolve({ status: answer.statusCode ?? 0, body: parsed(received), headers: answer.headers });
        });
      });
      sent.end(text);
    });
    const call: Call = { what, ...answered, startMs, endMs: Date.now() };
    this.#findings.note(call);
    return call;
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a call has become of for certain: done, not done, or nobody knows (the connection broke). */
export function outcomeOf({ status }: Call): 'done' | 'refused' | 'failed' | 'unknown' {
  if (status === 0) return 'unknown';
  if (status >= 500) return 'failed';
  return status < 400 ? 'done' : 'refused';
}
