import type { Service } from '../../../src/service/index.ts';
import type { ControlAnswer, ControlCallName } from '../../../src/wire/control/calls.ts';
import type { StreamEventName, StreamEvents } from '../../../src/wire/control/stream.ts';

type Addresses = Pick<Service, 'controlBase' | 'controlToken'>;

/** A control call over HTTP: status and parsed answer. */
export async function sendControl(
  { controlBase, controlToken }: Addresses,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const answer = await fetch(controlBase + path, {
    method,
    headers: {
      authorization: `Bearer ${controlToken}`,
      prefer: 'details',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/**
 * A control call that succeeds: `control(service, 'GET /lobbies/{id}', { id })`.
 *
 * @param filled what fills the path, and the query
 */
export async function control<Name extends ControlCallName>(
  service: Addresses,
  name: Name,
  filled: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<ControlAnswer<Name>> {
  const [method = '', template = ''] = name.split(' ');
  const query = new URLSearchParams(filled);
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    query.delete(parameter);
    return encodeURIComponent(filled[parameter] ?? '');
  });
  const search = query.size === 0 ? '' : `?${query}`;
  const answer = await sendControl(service, method, path + search, body);
  if (answer.status >= 300) throw new Error(`${name} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as ControlAnswer<Name>;
}

export type AnyStreamEvent = {
  [Name in StreamEventName]: { readonly name: Name; readonly data: StreamEvents[Name]; readonly id?: string };
}[StreamEventName];

/** A reader of the control API's stream. */
export class ControlStream {
  readonly events: AnyStreamEvent[] = [];
  /** Resolves when the service has ended it. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  #wake: () => void = () => {};

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response);
  }

  static async open({ controlBase, controlToken }: Addresses, query = ''): Promise<ControlStream> {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${controlToken}` };
    const response = await fetch(`${controlBase}/stream${query}`, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
    return new ControlStream(response, abort);
  }

  /** The first event that fits, which may be still to come. */
  async event<Name extends StreamEventName>(
    name: Name,
    fits: (data: StreamEvents[Name]) => boolean = () => true,
  ): Promise<StreamEvents[Name]> {
    for (;;) {
      const found = this.events.find(event => event.name === name && fits(event.data as StreamEvents[Name]));
      if (found) return found.data as StreamEvents[Name];
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    try {
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.#take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // Closed here.
    }
    this.#wake();
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map(line => {
        const at = line.indexOf(': ');
        return [line.slice(0, at), line.slice(at + 2)] as const;
      }),
    );
    const name = fields.get('event');
    if (name === undefined) return;
    const id = fields.get('id');
    const event = { name, data: JSON.parse(fields.get('data') ?? 'null'), ...(id !== undefined && { id }) };
    this.events.push(event as AnyStreamEvent);
    this.#wake();
  }
}
