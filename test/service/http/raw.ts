import { connect } from 'node:net';
import type { Service } from '../../../src/service/index.ts';

/** What came back for some bytes, until the connection was closed. */
export interface RawAnswer {
  readonly status: number;
  /** Lower-case name → value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes as they are and reads the answer; the request must ask for the connection to be closed, or be broken. */
export function sendRaw({ controlBase }: Service, ...parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(controlBase);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding('utf8');
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(text)));
  });
}

function parse(text: string): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map(field => field.split(/:\s*/, 2) as [string, string]);
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body,
  };
}

/** A request line and headers, closing the connection when it is answered. */
export function head(method: string, target: string, ...fields: readonly string[]): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...fields, '', ''].join('\r\n');
}
