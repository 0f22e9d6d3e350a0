import { ArgumentError } from '../../model/errors/errors.ts';
import type { MainConnection, PagePort } from './main-connection.ts';
import { exposedName } from './preload.ts';

/** The page as it is used: a browser's `window`. */
interface Page {
  readonly crypto: { randomUUID(): string };
  addEventListener(type: 'message', listener: (event: PageMessage) => void): void;
  addEventListener(type: 'online', listener: () => void): void;
  addEventListener(type: 'pageshow', listener: (event: { readonly persisted?: boolean }) => void): void;
}

interface PageMessage {
  readonly source: unknown;
  readonly data: unknown;
  readonly ports: readonly PagePort[];
}

/**
 * Asks the preload script for a port, and connects by it; for another one whenever it is lost.
 *
 * @throws ArgumentError `missing_preload`
 */
export function connectPage(connection: MainConnection, name: string = exposedName): void {
  const page = globalThis as unknown as Page;
  const exposed = (globalThis as unknown as Readonly<Record<string, { connect?(key: string): void } | undefined>>)[
    name
  ];
  if (typeof exposed?.connect !== 'function') {
    throw new ArgumentError(
      'missing_preload',
      `This window has no "${name}": call exposeRallypoint() in its preload script, and name that in webPreferences.`,
    );
  }
  // Frames within this page could post a port of their own, but do not know the key.
  const key = `rallypoint-${page.crypto.randomUUID()}`;
  page.addEventListener('message', ({ source, data, ports: [port] }) => {
    if (source !== globalThis || (data as { rallypoint?: unknown } | null)?.rallypoint !== key || !port) return;
    connection.connect(port);
  });
  // A page that comes back from the browser's cache has lost its port without an event.
  page.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) connection.reconnect();
  });
  // The browser engine knows sooner than the main process that there is a network again.
  page.addEventListener('online', () => {
    connection.call('checkConnection', []).catch(() => {});
  });
  connection.open(() => exposed.connect?.(key));
}
