import { useEffect, useState } from 'preact/hooks';
import { deviceCodeGrantType } from '../../../model/oauth.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { serviceNow } from '../../control/clock.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { Countdown } from '../../ui/countdown.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { timeText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { StepCard } from './code-flow.tsx';
import { type Exchange, sendForm, type Verdict, verdictOnTokens } from './flow.ts';
import { ExchangeView, VerdictView } from './shown.tsx';
import { TokenCard, tokensOf } from './token-card.tsx';

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly interval: number;
  readonly expiresAtMs: number;
}

interface Poll {
  readonly atMs: number;
  readonly exchange: Exchange;
}

/** Signing in on another device. @see RFC 8628 */
export function DeviceFlow({
  application,
  userId,
  baseUrl,
  secret,
}: {
  readonly application: ApplicationDetails;
  readonly userId: string;
  readonly baseUrl: string;
  readonly secret: string;
}) {
  const [scopes, setScopes] = useState('openid sdk.social_layer');
  const [start, setStart] = useState<Exchange>();
  const [codes, setCodes] = useState<Codes>();
  const [polls, setPolls] = useState<readonly Poll[]>([]);
  const [isPolling, setPolling] = useState(false);
  const running = useRun();
  const client = { client_id: application.id, ...(secret !== '' && { client_secret: secret }) };
  const last = polls.at(-1)?.exchange;
  const tokens = last && tokensOf(last);
  const isOver = last !== undefined && !isWaiting(last);

  const begin = () =>
    running.run(async () => {
      setPolls([]);
      setCodes(undefined);
      const done = await sendForm('/oauth2/device/authorize', { ...client, scope: scopes });
      setStart(done);
      const { device_code, user_code, verification_uri, interval, expires_in } = done.body as Partial<
        Codes & { expires_in: number }
      >;
      if (device_code === undefined || user_code === undefined) return;
      const expiresAtMs = serviceNow.peek() + (expires_in ?? 0) * 1000;
      setCodes({
        device_code,
        user_code,
        verification_uri: verification_uri ?? '',
        interval: interval ?? 5,
        expiresAtMs,
      });
    });
  const poll = async () => {
    if (!codes) return;
    const form = { grant_type: deviceCodeGrantType, device_code: codes.device_code, ...client };
    const exchange = await sendForm('/oauth2/token', form);
    setPolls(polls => [...polls, { atMs: serviceNow.peek(), exchange }].slice(-50));
  };
  const decide = (decision: 'approve' | 'deny') =>
    running.run(async () => {
      await control.post('/consent', { user_code: codes?.user_code, user_id: userId, decision });
      toast(words.device.decided[decision]);
    });
  useEffect(() => {
    if (!isPolling || !codes || isOver) return;
    const slowed = polls.filter(({ exchange }) => exchange.body.error === 'slow_down').length;
    const timer = setTimeout(() => void running.run(poll), (codes.interval + 5 * slowed) * 1000);
    return () => clearTimeout(timer);
  }, [isPolling, codes, polls.length, isOver]);

  return (
    <ol class="sign-in-steps">
      <StepCard number={1} title={words.device.start} lead={words.device.lead}>
        <TextField label={words.args.scopes} value={scopes} onInput={setScopes} />
        <div>
          <Button kind={codes ? 'plain' : 'primary'} isBusy={running.isBusy} onClick={begin}>
            {codes ? words.device.restart : words.device.start}
          </Button>
        </div>
        {start && <ExchangeView exchange={start} />}
        {start && start.status >= 400 && <VerdictView verdict={verdictOnTokens(start)} />}
        <FailureNote failure={running.failure} />
      </StepCard>
      {codes && (
        <StepCard number={2} title={words.device.userCode} lead={words.device.decisionLead}>
          <p class="sign-in-user-code">{codes.user_code}</p>
          <p>
            {words.device.page}: <span class="mono">{codes.verification_uri}</span>
          </p>
          <p class="hint">
            {words.device.interval(codes.interval)} {words.device.expires}: <Countdown atMs={codes.expiresAtMs} />
          </p>
          <div class="row">
            <Button kind="primary" isBusy={running.isBusy} onClick={() => decide('approve')}>
              {words.decision.approve}
            </Button>
            <Button isBusy={running.isBusy} onClick={() => decide('deny')}>
              {words.decision.deny}
            </Button>
          </div>
        </StepCard>
      )}
      {codes && (
        <StepCard number={3} title={words.device.polls} lead={words.device.tooFast}>
          <div class="row">
            <Button kind="primary" isBusy={running.isBusy} onClick={() => running.run(poll)}>
              {words.device.poll}
            </Button>
            <Checkbox label={words.device.auto} isChecked={isPolling} onChange={setPolling} />
          </div>
          <ol class="stack">
            {polls.map(({ atMs, exchange }, i) => (
              <li key={String(i)}>
                <span class="hint mono">{timeText(atMs)}</span>
                <VerdictView verdict={verdictOfPoll(exchange)} />
              </li>
            ))}
          </ol>
        </StepCard>
      )}
      {tokens && (
        <StepCard number={4} title={words.tokens.title} lead={words.tokens.lead}>
          <TokenCard tokens={tokens} clientId={application.id} secret={secret} issuer={baseUrl} />
        </StepCard>
      )}
    </ol>
  );
}

const waiting: ReadonlySet<unknown> = new Set(['authorization_pending', 'slow_down']);

function isWaiting({ body }: Exchange): boolean {
  return waiting.has(body.error);
}

/** The SDK takes both as a reason to ask again, not as an error. */
function verdictOfPoll(exchange: Exchange): Verdict {
  const { error, error_description } = exchange.body;
  if (!isWaiting(exchange)) return verdictOnTokens(exchange);
  const message = typeof error_description === 'string' ? error_description : '';
  return { tone: 'warn', outcome: String(error), code: String(error), message };
}
