import { control } from '../../control/client.ts';
import { ControlError, messageOf } from '../../control/errors.ts';
import { randomText } from './crypto.ts';
import {
  addressOf,
  decide,
  type Exchange,
  exchangeCode,
  type FlowArgs,
  newFlowArgs,
  type Verdict,
  verdictOnArgs,
  verdictOnRedirect,
  verdictOnTokens,
} from './flow.ts';

/** One thing that happened in a walk. */
export type Step =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'redirect'; readonly address: string }
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'sdk'; readonly verdict: Verdict };

/** What a wrong turn needs. */
export interface TurnContext {
  readonly args: FlowArgs;
  readonly userId: string;
  /** The service's web address, which is the issuer. */
  readonly baseUrl: string;
  readonly secret: string;
  readonly isClockVirtual: boolean;
  /** How the application's redirects are; the first is used where the way matters. */
  readonly scheme: string;
  log(step: Step): void;
}

export const turnNames = [
  'denied',
  'expired',
  'replayed',
  'wrong-verifier',
  'no-verifier',
  'foreign-state',
  'foreign-issuer',
  'unregistered-redirect',
  'other-redirect',
  'plain-challenge',
  'scheme-without-pkce',
  'unknown-scope',
] as const;
export type TurnName = (typeof turnNames)[number];

/** The life of an authorization code. */
const codeLifeMs = 100_000;

type Turn = (context: TurnContext) => Promise<void>;

/** The wrong turns of a sign-in, each walked with real requests; the last step says what the SDK makes of it. */
const turns: Readonly<Record<TurnName, Turn>> = {
  denied: async context => {
    const redirect = await consent(context, context.args, 'deny');
    if (redirect !== undefined) judgeRedirect(context, redirect);
  },
  expired: async context => {
    const code = await approvedCode(context);
    if (code === undefined) return;
    if (!context.isClockVirtual) {
      context.log({ kind: 'note', text: 'clock' });
      return;
    }
    await control.post('/clock', { advance_ms: codeLifeMs + 1000 });
    context.log({ kind: 'note', text: 'advanced' });
    await judgeExchange(context, code, context.args.verifier);
  },
  replayed: async context => {
    const code = await approvedCode(context);
    if (code === undefined) return;
    await judgeExchange(context, code, context.args.verifier);
    context.log({ kind: 'note', text: 'again' });
    await judgeExchange(context, code, context.args.verifier);
  },
  'wrong-verifier': async context => {
    const code = await approvedCode(context);
    if (code !== undefined) await judgeExchange(context, code, randomText());
  },
  'no-verifier': async context => {
    const code = await approvedCode(context);
    if (code !== undefined) await judgeExchange(context, code, '');
  },
  'foreign-state': async context => {
    const redirect = await consent(context, context.args, 'approve');
    if (redirect === undefined) return;
    judgeRedirect(context, withParameter(redirect, 'state', randomText()));
  },
  'foreign-issuer': async context => {
    const redirect = await consent(context, context.args, 'approve');
    if (redirect === undefined) return;
    judgeRedirect(context, withParameter(redirect, 'iss', 'https://evil.example'));
  },
  'unregistered-redirect': async context => {
    const args = { ...context.args, way: 'other', redirectUri: 'https://evil.example/callback' } as const;
    const redirect = await consent(context, args, 'approve');
    if (redirect !== undefined) judgeRedirect({ ...context, args }, redirect);
  },
  'other-redirect': async context => {
    const code = await approvedCode(context);
    if (code === undefined) return;
    const args = { ...context.args, way: 'other', redirectUri: 'http://127.0.0.1:1/callback' } as const;
    await judgeExchange({ ...context, args }, code, args.verifier);
  },
  'plain-challenge': async context => {
    const args = { ...context.args, challengeMethod: 'plain', challenge: context.args.verifier };
    judgeArgs(context, args);
    const redirect = await consent(context, args, 'approve');
    if (redirect !== undefined) judgeRedirect(context, redirect);
  },
  'scheme-without-pkce': async context => {
    const args = { ...context.args, way: 'custom-scheme', scheme: context.scheme, challenge: '' } as const;
    judgeArgs(context, args);
    const redirect = await consent(context, args, 'approve');
    if (redirect !== undefined) judgeRedirect({ ...context, args }, redirect);
  },
  'unknown-scope': async context => {
    const args = { ...context.args, scopes: `${context.args.scopes} everything.please` };
    const redirect = await consent(context, args, 'approve');
    if (redirect !== undefined) judgeRedirect(context, redirect);
  },
};

/** Walks a wrong turn with fresh secrets. */
export async function walkTurn(name: TurnName, context: Omit<TurnContext, 'args'>, base: FlowArgs): Promise<void> {
  const fresh = await newFlowArgs(base.clientId, base.scopes, base.scheme);
  const args = {
    ...base,
    state: fresh.state,
    nonce: fresh.nonce,
    verifier: fresh.verifier,
    challenge: fresh.challenge,
  };
  await turns[name]({ ...context, args: { ...args, challengeMethod: 'S256' } });
}

async function consent(
  { log, userId, baseUrl }: TurnContext,
  args: FlowArgs,
  decision: 'approve' | 'deny',
): Promise<string | undefined> {
  try {
    return await decide(addressOf(args, baseUrl), userId, decision);
  } catch (error) {
    if (!(error instanceof ControlError) || error.status === 0) throw error;
    // The page shows it to the player; nothing goes to the application.
    log({ kind: 'page', text: messageOf(error) });
    return undefined;
  }
}

async function approvedCode(context: TurnContext): Promise<string | undefined> {
  const redirect = await consent(context, context.args, 'approve');
  if (redirect === undefined) return undefined;
  return judgeRedirect(context, redirect);
}

function judgeRedirect({ log, args, baseUrl }: TurnContext, address: string): string | undefined {
  log({ kind: 'redirect', address });
  const { authorizationCode, ...verdict } = verdictOnRedirect(address, args, baseUrl);
  log({ kind: 'sdk', verdict });
  return authorizationCode;
}

function judgeArgs({ log }: TurnContext, args: FlowArgs): void {
  const verdict = verdictOnArgs(args);
  if (verdict) log({ kind: 'sdk', verdict });
}

async function judgeExchange({ log, args, secret }: TurnContext, code: string, verifier: string): Promise<void> {
  const exchange = await exchangeCode(args, code, verifier, secret);
  log({ kind: 'exchange', exchange });
  log({ kind: 'sdk', verdict: verdictOnTokens(exchange) });
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}
