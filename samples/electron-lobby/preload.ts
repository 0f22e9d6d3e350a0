import { contextBridge, ipcRenderer } from 'electron';
import { type Bridge, callNames, channelOf, stateChannel } from './shared/bridge.ts';
import type { AppState } from './shared/state.ts';

/**
 * The only thing a window gets of the main process: the calls by their names, each on a channel of its own, and the
 * state. Neither `ipcRenderer` nor an event object (which leads to it) is handed through.
 */
const calls = callNames.map(name => [name, (payload?: unknown) => ipcRenderer.invoke(channelOf(name), payload)]);

const bridge = {
  ...Object.fromEntries(calls),
  onState(listener: (state: AppState) => void) {
    const hear = (_event: unknown, state: AppState) => listener(state);
    ipcRenderer.on(stateChannel, hear);
    return () => void ipcRenderer.off(stateChannel, hear);
  },
} as Bridge;

contextBridge.exposeInMainWorld('starfall', bridge);
