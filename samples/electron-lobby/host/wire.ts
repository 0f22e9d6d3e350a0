/** What the stand-in and its page say to each other over their WebSocket, as JSON. */
export type FromPage =
  /** The first message of a port names where the page has transferred it. */
  PortMessage & { readonly channel?: string };

/** A MessagePort that a page has transferred, numbered by the page: what is posted to it, or that it is closed. */
export type PortMessage = { readonly port: number; readonly data?: unknown; readonly isClosed?: boolean };

export type FromHost =
  | PortMessage
  /** Electron's clipboard; here the page's own. */
  | { readonly copy: string };

export const socketPath = '/host-socket';
export const preloadPath = '/host-preload.js';
