/** What the stand-in and its page say to each other over their WebSocket, as JSON. */
export type FromPage =
  | Call
  /** The first message of a port names where the page has transferred it. */
  | (PortMessage & { readonly channel?: string });

export type Call = {
  /** Numbered by the page. */
  readonly id: number;
  readonly channel: string;
  readonly payload?: unknown;
};

/** A MessagePort that a page has transferred, numbered by the page: what is posted to it, or that it is closed. */
export type PortMessage = { readonly port: number; readonly data?: unknown; readonly isClosed?: boolean };

export type FromHost =
  | PortMessage
  /** The answer to a call: `error` is its message. */
  | { readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly channel: string; readonly payload: unknown }
  /** Electron's clipboard; here the page's own. */
  | { readonly copy: string };

export const socketPath = '/host-socket';
export const preloadPath = '/host-preload.js';
