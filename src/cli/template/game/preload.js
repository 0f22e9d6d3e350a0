import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
import { contextBridge, ipcRenderer } from 'electron';

exposeRallypoint(contextBridge, ipcRenderer);
