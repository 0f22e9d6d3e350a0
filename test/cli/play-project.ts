// Runs the game of a project that `rallypoint init` made: main process, preload script and page in one process, over real
// MessagePorts, with a stand-in for Electron. Takes the service's ready line, and prints what the page shows.
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Window } from 'happy-dom';
import { approve, sessionToken } from '../../src/testing/control.ts';
import { WindowStandIn } from '../support/electron/window-stand-in.ts';

const [project = '', ready = ''] = process.argv.slice(2);
const { web_base, api_base, gateway, control_base, control_token } = JSON.parse(ready);
const service = {
  webBase: web_base,
  apiBase: api_base,
  gateway,
  controlBase: control_base,
  controlToken: control_token,
};
const stand = new WindowStandIn();
stand.frame = { url: 'file:///game/index.html', parent: null };

const opened = new EventEmitter();
class BrowserWindow {
  readonly webContents = Object.assign(new EventEmitter(), { setWindowOpenHandler() {} });
  readonly options: object;
  constructor(options: object) {
    this.options = options;
  }
  async loadFile(page: string) {
    opened.emit('page', this.options, page);
  }
}
/** The parts that game/main.js imports: `electron` of the project exports them. */
const electron = {
  app: Object.assign(new EventEmitter(), {
    // Where the stand-in's page is.
    getAppPath: () => '/game',
    enableSandbox() {},
    whenReady: async () => {},
    quit: () => opened.emit('quit'),
  }),
  BrowserWindow,
  ipcMain: stand.ipcMain,
  // What the player does in the browser.
  shell: { openExternal: async (url: string) => void (await fetch(await approve(service, url, '9'))) },
};
Object.assign(globalThis, { electron });

const isOpen = once(opened, 'page');
await import(pathToFileURL(join(project, 'game/main.js')).href);
const [{ webPreferences }, file] = await isOpen;

const { document, Event } = new Window();
document.write(readFileSync(file, 'utf8').replace(/<script.*<\/script>/, ''));
const bundle = (path: string, parameters: Readonly<Record<string, unknown>>) =>
  new Function(...Object.keys(parameters), readFileSync(path, 'utf8'))(...Object.values(parameters));
stand.open(
  () =>
    bundle(webPreferences.preload, {
      require: () => ({ contextBridge: stand.contextBridge, ipcRenderer: stand.ipcRenderer }),
    }),
  () => bundle(join(file, '../../build/page.js'), { document }),
);

const text = (id: string) => document.getElementById(id)?.textContent;
await until(() => text('status') === 'disconnected');
document.getElementById('sign-in')?.dispatchEvent(new Event('click'));
await until(() => text('lobbies') === 'lighthouse: Ada');
await useRally();
await until(() => text('lobbies')?.includes('harbour') === true);
process.stdout.write(`${text('lobbies')}\n`);

const hasQuit = once(opened, 'quit');
electron.app.emit('window-all-closed');
await hasQuit;
stand.close();
process.exit();

/** Ada uses /rally in her chat client. */
async function useRally() {
  const headers = { authorization: await sessionToken(service, '9'), 'content-type': 'application/json' };
  const index = await fetch(`${api_base}/v10/channels/7/application-command-index`, { headers });
  const { application_commands } = (await index.json()) as { application_commands: Record<string, unknown>[] };
  const { id, name, type, version } = application_commands[0] ?? {};
  const place = { application_id: '1', guild_id: '5', channel_id: '7' };
  const body = JSON.stringify({ type: 2, ...place, data: { id, name, type, version } });
  await fetch(`${api_base}/v10/interactions`, { method: 'POST', headers, body });
}

async function until(isTrue: () => boolean) {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 10));
}
