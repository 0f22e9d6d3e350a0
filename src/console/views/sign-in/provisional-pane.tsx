import { useState } from 'preact/hooks';
import { type ExternalAuthType, externalAuthTypes } from '../../../model/external-auth.ts';
import type { CallAnswer, CallBody } from '../../../wire/control/act.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { control } from '../../control/client.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { signInWords as words } from '../../words/en/sign-in.ts';
import type { Exchange } from './flow.ts';
import { ExchangeView } from './shown.tsx';
import { TokenCard, tokensOf } from './token-card.tsx';

/** Players without an account. */
export function ProvisionalPane({
  application,
  baseUrl,
  secret,
}: {
  readonly application: ApplicationDetails;
  readonly baseUrl: string;
  readonly secret: string;
}) {
  const [externalId, setExternalId] = useState('player-1');
  const [name, setName] = useState('Guest');
  const [type, setType] = useState<ExternalAuthType>('OIDC');
  const [proof, setProof] = useState('');
  const [exchange, setExchange] = useState<Exchange>();
  const running = useRun();
  const tokens = exchange && tokensOf(exchange);
  const asBot = { kind: 'bot', application_id: application.id } as const;
  const call = async (call: CallBody & { body: Readonly<Record<string, unknown>> }) => {
    const { status, body } = await control.post<CallAnswer>('/call', call);
    const form = Object.fromEntries(Object.entries(call.body).map(([name, value]) => [name, String(value)]));
    setExchange({ method: 'POST', path: call.path, form, status, body: (body ?? {}) as Exchange['body'] });
  };
  const byBot = () =>
    running.run(() => {
      const body = { external_user_id: externalId, ...(name !== '' && { preferred_global_name: name }) };
      return call({ as: asBot, method: 'POST', path: '/partner-sdk/token/bot', body });
    });
  const byProof = () =>
    running.run(() => {
      const client = { client_id: application.id, ...(secret !== '' && { client_secret: secret }) };
      const body = { ...client, external_auth_type: type, external_auth_token: proof };
      return call({ as: { kind: 'none' }, method: 'POST', path: '/partner-sdk/token', body });
    });
  const unmerge = () =>
    running.run(async () => {
      const { unmergeTitle: title, unmergeText: text, unmerge: confirm } = words.provisional;
      if (!(await ask({ title, text, confirm, isDanger: true }))) return;
      const body = { external_user_id: externalId };
      await act({ as: asBot, method: 'POST', path: '/partner-sdk/provisional-accounts/unmerge/bot', body });
      toast(words.provisional.unmerged);
    });
  return (
    <div class="stack">
      <p class="hint">{words.provisional.lead}</p>
      {!application.provisional_accounts && <p class="warn">{words.provisional.disabled}</p>}
      <div class="sign-in-columns">
        <section class="card stack">
          <h2>{words.provisional.byBot}</h2>
          <p class="hint">{application.has_bot ? words.provisional.byBotLead : words.provisional.noBot}</p>
          <TextField label={words.provisional.externalId} value={externalId} onInput={setExternalId} />
          <TextField label={words.provisional.displayName} value={name} onInput={setName} />
          <div class="row">
            <Button kind="primary" isDisabled={!application.has_bot} isBusy={running.isBusy} onClick={byBot}>
              {words.provisional.run}
            </Button>
            <Button isDisabled={!application.has_bot} isBusy={running.isBusy} onClick={unmerge}>
              {words.provisional.unmerge}
            </Button>
          </div>
        </section>
        <section class="card stack">
          <h2>{words.provisional.byProof}</h2>
          <p class="hint">{words.provisional.byProofLead}</p>
          <Select
            label={words.provisional.type}
            value={type}
            choices={externalAuthTypes.map(value => ({ value, label: value as string }))}
            onChange={one => setType(one as ExternalAuthType)}
          />
          <TextArea label={words.provisional.proof} isMono rows={4} value={proof} onInput={setProof} />
          <div>
            <Button kind="primary" isDisabled={proof === ''} isBusy={running.isBusy} onClick={byProof}>
              {words.provisional.run}
            </Button>
          </div>
          <p class="hint">
            {application.identity_providers.length === 0
              ? words.provisional.noProviders
              : `${words.provisional.providers}: ${application.identity_providers.map(({ type, issuer }) => [type, issuer].filter(Boolean).join(' ')).join(', ')}`}
          </p>
        </section>
      </div>
      <FailureNote failure={running.failure} />
      {exchange && (
        <section class="card stack">
          <h2>{words.provisional.account}</h2>
          <ExchangeView exchange={exchange} />
          {tokens && <TokenCard tokens={tokens} clientId={application.id} secret={secret} issuer={baseUrl} />}
        </section>
      )}
    </div>
  );
}
