import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
import { contextBridge, ipcRenderer } from 'electron';
import { type Bridge, callNames, channelOf, stateChannel } from './shared/bridge.ts';
import type { GameState } from './shared/state.ts';

/**
 * What a window gets of the main process beside the client: the game's calls by their names, each on a channel of its own,
 * and the game's state. Neither `ipcRenderer` nor an event object (which leads to it) is handed through.
 */
const calls = callNames.map(name => [name, (payload?: unknown) => ipcRenderer.invoke(channelOf(name), payload)]);

const bridge = {
  ...Object.fromEntries(calls),
  onState(listener: (state: GameState) => void) {
    const hear = (_event: unknown, state: GameState) => listener(state);
    ipcRenderer.on(stateChannel, hear);
    return () => void ipcRenderer.off(stateChannel, hear);
  },
} as Bridge;

exposeRallypoint(contextBridge, ipcRenderer);
contextBridge.exposeInMainWorld('starfall', bridge);
