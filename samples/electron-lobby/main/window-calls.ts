import type { SenderFrame } from '@rallypoint/sdk/electron/main';
import { type CallName, callNames, channelOf, type Gives, type Takes } from '../shared/bridge.ts';
import { appOrigin } from './app-files.ts';
import type { ElectronParts } from './electron-parts.ts';
import { payloadChecks } from './payloads.ts';

/** What is done for each call of a window. */
export type CallHandlers = {
  readonly [Name in CallName]: (payload: Takes<Name>) => Gives<Name> | Promise<Gives<Name>>;
};

/** Answers the calls of our own pages, and of nobody else. @returns what ends that */
export function answerCalls({ ipcMain }: Pick<ElectronParts, 'ipcMain'>, handlers: CallHandlers): () => void {
  for (const name of callNames) {
    ipcMain.handle(channelOf(name), (event, payload: unknown) => {
      if (!isOurs(event.senderFrame)) throw new Error('This page may not ask for anything.');
      return answer(handlers, name, payload);
    });
  }
  return () => {
    for (const name of callNames) ipcMain.removeHandler(channelOf(name));
  };
}

function answer<Name extends CallName>(handlers: CallHandlers, name: Name, payload: unknown) {
  const check: (payload: unknown) => payload is Takes<Name> = payloadChecks[name];
  if (!check(payload)) throw new Error(`This is not what ${name} takes.`);
  return handlers[name](payload);
}

/** The top frame of one of our pages. A frame that is gone has no address, and gets no answer. */
export function isOurs(frame: SenderFrame | null): boolean {
  if (!frame || frame.parent !== null || !URL.canParse(frame.url)) return false;
  const { protocol, host } = new URL(frame.url);
  return `${protocol}//${host}` === appOrigin;
}
