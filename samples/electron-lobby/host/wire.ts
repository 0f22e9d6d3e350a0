/** What the stand-in and its page say to each other over their WebSocket, as JSON. */
export type FromPage = {
  /** Numbered by the page. */
  readonly id: number;
  readonly channel: string;
  readonly payload?: unknown;
};

export type FromHost =
  /** The answer to a call: `error` is its message. */
  | { readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly channel: string; readonly payload: unknown }
  /** Electron's clipboard; here the page's own. */
  | { readonly copy: string };

export const socketPath = '/host-socket';
export const preloadPath = '/host-preload.js';
