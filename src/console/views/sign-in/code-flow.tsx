import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApplicationDetails, GuildSummary } from '../../../wire/control/world.ts';
import { messageOf } from '../../control/errors.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { ArgsForm } from './args-form.tsx';
import {
  addressOf,
  decide,
  type Exchange,
  exchangeCode,
  type FlowArgs,
  verdictOnArgs,
  verdictOnRedirect,
  verdictOnTokens,
} from './flow.ts';
import { AddressParts, ExchangeView, VerdictView } from './shown.tsx';
import { TokenCard, tokensOf } from './token-card.tsx';

/** The authorization code flow with PKCE, step by step. */
export function CodeFlow({
  application,
  userId,
  guilds,
  baseUrl,
  args,
  secret,
  onArgs,
  onSecret,
}: {
  readonly application: ApplicationDetails;
  readonly userId: string;
  readonly guilds: readonly GuildSummary[];
  readonly baseUrl: string;
  readonly args: FlowArgs;
  readonly secret: string;
  onArgs(args: FlowArgs): void;
  onSecret(secret: string): void;
}) {
  const [redirect, setRedirect] = useState<string>();
  const [page, setPage] = useState<string>();
  const [exchange, setExchange] = useState<Exchange>();
  const [guildId, setGuildId] = useState('');
  const running = useRun();
  const url = addressOf(args, baseUrl);
  const rejection = verdictOnArgs(args);
  const result = redirect === undefined ? undefined : verdictOnRedirect(redirect, args, baseUrl);
  const code = result?.authorizationCode;
  const tokens = exchange && tokensOf(exchange);
  const change = (next: FlowArgs) => {
    onArgs(next);
    setRedirect(undefined);
    setPage(undefined);
    setExchange(undefined);
  };
  const answer = (decision: 'approve' | 'deny') =>
    running.run(async () => {
      setExchange(undefined);
      setPage(undefined);
      setRedirect(undefined);
      try {
        setRedirect(await decide(url, userId, decision, guildId));
      } catch (error) {
        setPage(messageOf(error));
      }
    });
  const swap = () =>
    running.run(async () => {
      if (code !== undefined) setExchange(await exchangeCode(args, code, args.verifier, secret));
    });
  return (
    <ol class="sign-in-steps">
      <StepCard number={1} title={words.args.title} lead={words.args.lead}>
        <ArgsForm args={args} application={application} onChange={change} />
        {rejection && <VerdictView verdict={rejection} />}
      </StepCard>
      <StepCard number={2} title={words.address.title} lead={words.address.lead}>
        <AddressParts address={url} label={words.address.title} />
        <a class="button" href={url} target="_blank" rel="noopener noreferrer">
          {words.address.open}
        </a>
      </StepCard>
      <StepCard number={3} title={words.decision.title} lead={words.decision.lead}>
        {guilds.length > 0 && (
          <Select
            label={words.decision.guild}
            value={guildId}
            choices={[
              { value: '', label: words.decision.noGuild },
              ...guilds.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={setGuildId}
          />
        )}
        <div class="row">
          <Button kind="primary" isBusy={running.isBusy} onClick={() => answer('approve')}>
            {words.decision.approve}
          </Button>
          <Button isBusy={running.isBusy} onClick={() => answer('deny')}>
            {words.decision.deny}
          </Button>
        </div>
        {page !== undefined && (
          <div class="sign-in-page" role="alert">
            <p class="hint">{words.decision.page}</p>
            <p>{page}</p>
          </div>
        )}
        <FailureNote failure={running.failure} />
      </StepCard>
      <StepCard number={4} title={words.redirect.title} lead={words.redirect.lead} isWaiting={redirect === undefined}>
        {redirect !== undefined && <AddressParts address={redirect} label={words.redirect.title} />}
        {result && <VerdictView verdict={result} />}
      </StepCard>
      <StepCard number={5} title={words.exchange.title} lead={words.exchange.lead} isWaiting={code === undefined}>
        {!application.public_client && <p class="warn">{words.notPublic}</p>}
        {application.has_client_secret && (
          <TextField
            label={words.secret}
            hint={words.secretHint}
            type="password"
            autoComplete="off"
            value={secret}
            onInput={onSecret}
          />
        )}
        <div class="row">
          <Button kind="primary" isDisabled={code === undefined} isBusy={running.isBusy} onClick={swap}>
            {words.exchange.run}
          </Button>
          {code === undefined && <span class="hint">{words.exchange.wait}</span>}
        </div>
        {exchange && <ExchangeView exchange={exchange} />}
        {exchange && <VerdictView verdict={verdictOnTokens(exchange)} />}
      </StepCard>
      <StepCard number={6} title={words.tokens.title} lead={words.tokens.lead} isWaiting={!tokens}>
        {tokens ? (
          <TokenCard
            tokens={tokens}
            clientId={application.id}
            secret={secret}
            issuer={baseUrl}
            nonce={args.nonce === '' ? undefined : args.nonce}
          />
        ) : (
          <p class="hint">{words.tokens.wait}</p>
        )}
      </StepCard>
    </ol>
  );
}

export function StepCard({
  number,
  title,
  lead,
  isWaiting = false,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly lead: string;
  /** Something else comes first. */
  readonly isWaiting?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={isWaiting ? 'sign-in-step card waiting' : 'sign-in-step card'}>
      <h2>
        <span class="sign-in-number" aria-hidden="true">
          {number}
        </span>
        <span class="visually-hidden">{words.step(number)}: </span>
        {title}
      </h2>
      <p class="hint">{lead}</p>
      {children}
    </li>
  );
}
