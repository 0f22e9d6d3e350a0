import { useEffect, useState } from 'preact/hooks';
import { apiVersion } from '../../../wire/routes.ts';
import { send } from '../../control/client.ts';
import { serviceNow } from '../../control/clock.ts';
import { useRun } from '../../control/use-run.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { clockText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { checkIdToken, hasCrypto, type JwksKey, readJwt, type TokenCheck } from './crypto.ts';
import { type Exchange, sendForm, verdictOnTokens } from './flow.ts';
import { ExchangeView, VerdictView } from './shown.tsx';

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly idToken: string | undefined;
  readonly scopes: string;
  readonly expiresAtMs: number;
}

/** The tokens of an answer; undefined when it has none. */
export function tokensOf({ status, body }: Exchange): Tokens | undefined {
  const { access_token, refresh_token, id_token, scope, expires_in } = body;
  if (status >= 400 || typeof access_token !== 'string') return undefined;
  return {
    access: access_token,
    refresh: typeof refresh_token === 'string' ? refresh_token : undefined,
    idToken: typeof id_token === 'string' ? id_token : undefined,
    scopes: typeof scope === 'string' ? scope : '',
    expiresAtMs: serviceNow.peek() + (typeof expires_in === 'number' ? expires_in : 0) * 1000,
  };
}

/** The tokens, what they say, and what can be done with them. */
export function TokenCard({
  tokens: first,
  clientId,
  secret = '',
  issuer,
  nonce,
}: {
  readonly tokens: Tokens;
  readonly clientId: string;
  readonly secret?: string;
  readonly issuer: string;
  readonly nonce?: string | undefined;
}) {
  const [tokens, setTokens] = useState(first);
  const [answer, setAnswer] = useState<unknown>();
  const [exchange, setExchange] = useState<Exchange>();
  const running = useRun();
  useEffect(() => setTokens(first), [first]);
  const client = { client_id: clientId, ...(secret !== '' && { client_secret: secret }) };
  const ask = () => running.run(async () => setAnswer(await readWith(tokens.access, '/oauth2/@me')));
  const refresh = () =>
    running.run(async () => {
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh ?? '', ...client };
      const done = await sendForm('/oauth2/token', form);
      setExchange(done);
      setTokens(tokensOf(done) ?? tokens);
    });
  const revoke = () =>
    running.run(async () => {
      const done = await sendForm('/oauth2/token/revoke', { token: tokens.access, ...client });
      setExchange(done);
      if (done.status < 400) toast(words.tokens.revoked);
    });
  return (
    <div class="stack">
      <dl class="sign-in-facts">
        <dt>{words.tokens.access}</dt>
        <dd>
          <Secret text={tokens.access} />
        </dd>
        {tokens.refresh !== undefined && (
          <>
            <dt>{words.tokens.refresh}</dt>
            <dd>
              <Secret text={tokens.refresh} />
            </dd>
          </>
        )}
        <dt>{words.tokens.expires}</dt>
        <dd class="mono">{clockText(tokens.expiresAtMs)}</dd>
        <dt>{words.tokens.scopes}</dt>
        <dd>{tokens.scopes}</dd>
      </dl>
      <div class="row">
        <Button isBusy={running.isBusy} onClick={ask}>
          {words.tokens.whoami}
        </Button>
        {tokens.refresh !== undefined && (
          <Button isBusy={running.isBusy} onClick={refresh}>
            {words.tokens.refreshNow}
          </Button>
        )}
        <Button kind="danger" isBusy={running.isBusy} onClick={revoke}>
          {words.tokens.revoke}
        </Button>
      </div>
      <FailureNote failure={running.failure} />
      {answer !== undefined && <JsonView value={answer} label={words.tokens.whoami} />}
      {exchange && (
        <>
          <ExchangeView exchange={exchange} />
          {exchange.status >= 400 && <VerdictView verdict={verdictOnTokens(exchange)} />}
        </>
      )}
      <IdTokenView token={tokens.idToken} clientId={clientId} issuer={issuer} nonce={nonce} />
    </div>
  );
}

/** Reads with a token of the walk itself, not with a credential of the console. */
async function readWith(token: string, path: string): Promise<unknown> {
  const response = await send(`/api/v${apiVersion}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return response.json();
}

function Secret({ text }: { readonly text: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span class="row">
      <span class="mono sign-in-secret">{isShown ? text : '•'.repeat(16)}</span>
      <Button kind="quiet" onClick={() => setShown(!isShown)}>
        {isShown ? words.tokens.hide : words.tokens.show}
      </Button>
      <CopyButton text={text} />
    </span>
  );
}

export function IdTokenView({
  token,
  clientId,
  issuer,
  nonce,
}: {
  readonly token: string | undefined;
  readonly clientId: string;
  readonly issuer: string;
  readonly nonce: string | undefined;
}) {
  const [checks, setChecks] = useState<readonly TokenCheck[]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    let isShown = true;
    if (token === undefined || !hasCrypto()) return;
    const check = async () => {
      const response = await send(`/api/v${apiVersion}/oauth2/keys`, {});
      const { keys } = (await response.json()) as { readonly keys: readonly JwksKey[] };
      const found = await checkIdToken(token, keys, { issuer, clientId, nonce, nowMs: serviceNow.peek() });
      if (isShown) setChecks(found);
    };
    check().catch(() => isShown && setError(words.tokens.keysFailed));
    return () => {
      isShown = false;
    };
  }, [token, clientId, issuer, nonce]);
  if (token === undefined) return <p class="hint">{words.tokens.none}</p>;
  const jwt = readJwt(token);
  return (
    <section class="stack">
      <h3>{words.tokens.idToken}</h3>
      <Secret text={token} />
      {!hasCrypto() && <p class="warn">{words.noCrypto}</p>}
      {error !== undefined && <ErrorNote error={{ message: error }} />}
      {checks && (
        <ul class="sign-in-checks" aria-label={words.tokens.checks}>
          {checks.map(({ what, isRight, found, expected }) => (
            <li key={what}>
              <span class={`badge ${isRight ? 'good' : 'fault'}`}>
                {isRight ? words.tokens.right : words.tokens.wrong}
              </span>
              <span>{words.tokens.checkNames[what]}</span>
              <span class="mono soft">{found}</span>
              {!isRight && <span class="fault">{words.tokens.expected(expected)}</span>}
            </li>
          ))}
        </ul>
      )}
      {jwt && (
        <div class="sign-in-columns">
          <div>
            <h4>{words.tokens.header}</h4>
            <JsonView value={jwt.header} label={words.tokens.header} />
          </div>
          <div>
            <h4>{words.tokens.claims}</h4>
            <JsonView value={jwt.claims} label={words.tokens.claims} />
          </div>
        </div>
      )}
    </section>
  );
}
