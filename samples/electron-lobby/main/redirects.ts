import { type Client, type ClientSignInOptions, doctor, type Finding, type FindingCode } from '@rallypoint/sdk';
import { type ElectronRegistration, receiveRedirects } from '@rallypoint/sdk/electron/main';
import type { RedirectView } from '../shared/state.ts';
import type { ElectronParts } from './electron-parts.ts';
import type { AppOptions } from './options.ts';

/** Which way was chosen, and for developers, why it is not the scheme. */
export interface ChosenWay extends RedirectView {
  readonly reason?: string;
}

/** How the player comes back from the browser in this run, and whether this run is the one to come back to. */
export interface Redirects {
  /** False: the game runs already, and has been told what we were started with. */
  readonly isFirstInstance: boolean;
  /** The answer by which a browser started the game: to what an earlier run asked, perhaps. */
  readonly startAddress: string | undefined;
  /** Which way is taken: found out meanwhile, in a second as a rule. Never rejects. */
  readonly view: Promise<ChosenWay>;
  close(): void | Promise<void>;
}

export interface RedirectsRequest {
  readonly client: Client;
  readonly options: AppOptions;
  /** The player is back. */
  readonly onAccepted: () => void;
  /** The player is back too late, or it is somebody else. */
  readonly onUnclaimed: (address: string) => void;
}

/** Receives redirects: in Electron by its own events, elsewhere as that place can. */
export type OpenRedirects = (request: RedirectsRequest) => Promise<Redirects>;

export function electronRedirects(app: ElectronParts['app']): OpenRedirects {
  return async ({ client, options, onAccepted, onUnclaimed }) => {
    const { scheme, redirect, redirectFolder: folder } = options;
    if (redirect === 'loopback') {
      const isFirstInstance = app.requestSingleInstanceLock();
      return { isFirstInstance, startAddress: undefined, view: askedFor(options), close() {} };
    }
    const receiver = receiveRedirects({
      app,
      client,
      scheme,
      onAccepted,
      onUnclaimed,
      // While the game is run as `electron <file>`, the file is part of what the system is to start.
      launch: { path: process.execPath, args: process.argv.slice(1, 2) },
      forwarder: { name: 'Starfall', folder },
    });
    return {
      isFirstInstance: receiver.isFirstInstance,
      get startAddress() {
        return receiver.startAddress;
      },
      view: receiver.registration.then(registration => chooseWay(options, registration)),
      close: () => receiver.close(),
    };
  };
}

/** How a sign-in takes that way. */
export function signInOptionsOf({ way, scheme }: RedirectView): ClientSignInOptions {
  return way === 'custom-scheme' ? { scheme, redirect: way } : { redirect: 'loopback' };
}

/** For who wants no scheme: nothing is registered then. */
export async function askedFor({ scheme }: AppOptions): Promise<ChosenWay> {
  return { way: 'loopback', scheme };
}

/** What must be well for a redirect to come by the scheme; that a second copy is started for it takes less. */
const needed: Readonly<Record<ElectronRegistration['through'], readonly FindingCode[]>> = {
  forwarder: ['rights', 'registration', 'handler_command', 'opener', 'folder', 'listener'],
  game: ['rights', 'opener'],
};

/**
 * Asks the doctor what stands in the way of the scheme. With nothing it is taken; else the browser is sent to a loopback
 * address, and the program prints why.
 */
export async function chooseWay(options: AppOptions, registration: ElectronRegistration): Promise<ChosenWay> {
  const { scheme, redirectFolder: folder } = options;
  const findings = (await doctor({ scheme, folder })).filter(({ code }) => code !== 'keychain');
  return decideWay(options, registration, findings);
}

/** The rule of {@link chooseWay}. */
export function decideWay(
  { scheme, redirect }: Pick<AppOptions, 'scheme' | 'redirect'>,
  { isRegistered, through, reason }: ElectronRegistration,
  findings: readonly Finding[],
): ChosenWay {
  const trouble = findings.find(({ code, ok }) => !ok && needed[through].includes(code))?.message;
  const why = isRegistered ? trouble : (reason ?? 'The system did not register the scheme of the game.');
  const isTaken = redirect === 'custom-scheme' || why === undefined;
  return isTaken ? { way: 'custom-scheme', scheme } : { way: 'loopback', scheme, reason: why };
}
