import type { StreamEventName, StreamEvents, StreamQuery } from '../../wire/control/stream.ts';
import { addressOf, headersOf, type Query, send } from './client.ts';
import { signOut } from './session.ts';

/** What is called for each event of a stream. */
export type StreamHandlers = {
  readonly [Name in StreamEventName]?: (data: StreamEvents[Name]) => void;
} & {
  /** The service was started anew: numbers and ids of the traffic began anew. The next events are those of the new process. */
  readonly restarted?: () => void;
};

const retryMinMs = 250;
const retryMaxMs = 10_000;
/** The service sends something at least every 10 s; what is silent for this long is dead. */
const silenceMaxMs = 30_000;
/** An event that is larger is not read: the service is another one, or broken. */
const eventLengthMax = 16 * 1024 * 1024;

/**
 * Reads `GET /control/stream` until it is closed, and connects again when it breaks: immediately at first, then at growing intervals. It
 * continues where it was. A hidden page is not connected, because browsers open only six connections to a service.
 *
 * @returns closes it
 */
export function openStream(query: StreamQuery, handlers: StreamHandlers): () => void {
  let after = query.after;
  let startedAtMs: number | undefined;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let connection: AbortController | undefined;

  const onEvent = (name: string, id: string | undefined, data: unknown) => {
    if (id) after = id;
    if (name === 'hello') {
      const { started_at_ms } = data as StreamEvents['hello'];
      const isOther = startedAtMs !== undefined && startedAtMs !== started_at_ms;
      startedAtMs = started_at_ms;
      if (isOther) handlers.restarted?.();
    }
    failures = 0;
    (handlers[name as StreamEventName] as ((data: unknown) => void) | undefined)?.(data);
  };

  const connect = async () => {
    clearTimeout(timer);
    if (connection || document.hidden) return;
    const own = new AbortController();
    connection = own;
    try {
      await readStream({ ...query, ...(after !== undefined && { after }) }, own.signal, onEvent);
    } catch {
      // Whether the service is away shows when it is connected to again.
    }
    if (connection !== own) return;
    connection = undefined;
    timer = setTimeout(connect, Math.min(retryMaxMs, retryMinMs * 2 ** failures++) * (0.75 + Math.random() / 2));
  };
  const disconnect = () => {
    clearTimeout(timer);
    connection?.abort();
    connection = undefined;
  };
  const onVisibility = () => (document.hidden ? disconnect() : void connect());

  document.addEventListener('visibilitychange', onVisibility);
  void connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
  };
}

type OnEvent = (name: string, id: string | undefined, data: unknown) => void;

/** Reads one connection until it ends. */
async function readStream(query: StreamQuery, signal: AbortSignal, onEvent: OnEvent): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(new Error('silent')), silenceMaxMs);
  try {
    const response = await send(addressOf('/stream', query as Query), {
      headers: { ...headersOf(), accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.status === 401) return signOut('rejected');
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!response.ok || !isStream || !response.body) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    const parse = eventParser(onEvent);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(new Error('silent')), silenceMaxMs);
      parse(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Splits a text that arrives in parts into server-sent events.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function eventParser(onEvent: OnEvent): (text: string) => void {
  let rest = '';
  let name = '';
  let id: string | undefined;
  let data: string[] = [];
  let length = 0;

  const onLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) onEvent(name || 'message', id, JSON.parse(data.join('\n')));
      name = '';
      data = [];
      length = 0;
      return;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'id') id = value;
    else if (field === 'data') {
      data.push(value);
      length += value.length;
    }
    if (length > eventLengthMax) throw new Error('An event is too large.');
  };

  return text => {
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    // The other half of a line end may come with the next part.
    if (text.endsWith('\r')) {
      rest = `${lines.pop() ?? ''}\r`;
    }
    if (rest.length > eventLengthMax) throw new Error('An event is too large.');
    for (const line of lines) onLine(line);
  };
}
