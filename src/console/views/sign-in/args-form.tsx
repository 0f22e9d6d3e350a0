import type { IntegrationType } from '../../../model/command.ts';
import { defaultCommunicationScopes, defaultPresenceScopes, scopes as knownScopes } from '../../../model/oauth.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { challengeOf } from './crypto.ts';
import { checkArgs, codeOf, type FlowArgs, newFlowArgs, redirectUriOf } from './flow.ts';

const installScopes = 'bot applications.commands';

/** The arguments of a sign-in, with what is wrong with each. */
export function ArgsForm({
  args,
  application,
  onChange,
}: {
  readonly args: FlowArgs;
  readonly application: ApplicationDetails;
  onChange(args: FlowArgs): void;
}) {
  const issues = checkArgs(args);
  const errorAt = (field: string) => {
    const found = issues.filter(({ path }) => path[0] === field).map(({ message }) => message);
    return found.length > 0 ? { error: found.join(' ') } : {};
  };
  const set = (change: Partial<FlowArgs>) => onChange({ ...args, ...change });
  const setVerifier = async (verifier: string) =>
    set({ verifier, challenge: verifier === '' ? '' : await challengeOf(verifier) });
  const fresh = async () => {
    const { state, nonce, verifier, challenge } = await newFlowArgs(args.clientId, args.scopes, args.scheme);
    set({ state, nonce, verifier, challenge });
  };
  const mono = (
    name: 'verifier' | 'challenge' | 'state' | 'nonce',
    onInput: (value: string) => void,
    issue?: string,
  ) => (
    <TextField
      label={words.args[name]}
      hint={words.args[`${name}Hint`]}
      isMono
      value={args[name]}
      {...errorAt(issue ?? name)}
      onInput={onInput}
    />
  );
  const presets = [
    [words.args.communication, defaultCommunicationScopes],
    [words.args.presence, defaultPresenceScopes],
    [words.args.install, installScopes],
  ] as const;
  const unknown = args.scopes
    .split(' ')
    .filter(scope => scope !== '' && !(knownScopes as readonly string[]).includes(scope));
  return (
    <div class="stack">
      <TextField
        label={words.args.scopes}
        hint={unknown.length > 0 ? <span class="warn">{unknown.join(', ')}?</span> : words.args.scopesHint}
        value={args.scopes}
        {...errorAt('scopes')}
        onInput={scopes => set({ scopes })}
      />
      <div class="row" role="group" aria-label={words.args.presets}>
        {presets.map(([label, scopes]) => (
          <Button key={label} isPressed={args.scopes === scopes} onClick={() => set({ scopes })}>
            {label}
          </Button>
        ))}
      </div>
      <div class="sign-in-columns">
        <Select
          label={words.args.way}
          value={args.way}
          hint={<span class="mono">{redirectUriOf(args)}</span>}
          choices={Object.entries(words.args.ways).map(([value, label]) => ({
            value: value as FlowArgs['way'],
            label,
          }))}
          onChange={way => set({ way })}
        />
        {args.way === 'custom-scheme' && (
          <TextField
            label={words.args.scheme}
            value={args.scheme}
            {...errorAt('customSchemeParam')}
            onInput={scheme => set({ scheme })}
          />
        )}
        {args.way === 'other' && (
          <TextField
            label={words.args.redirect}
            type="url"
            value={args.redirectUri}
            suggestions={application.redirect_uris}
            onInput={redirectUri => set({ redirectUri })}
          />
        )}
        <Select
          label={words.args.integration}
          value={String(args.integrationType ?? '')}
          {...errorAt('integrationType')}
          choices={Object.entries(words.args.integrations).map(([value, label]) => ({ value, label }))}
          onChange={value => set({ integrationType: value === '' ? undefined : (Number(value) as IntegrationType) })}
        />
      </div>
      <p class={application.redirect_uris.length === 0 ? 'warn' : 'hint'}>
        {application.redirect_uris.length === 0
          ? words.args.noneRegistered
          : `${words.args.registered}: ${application.redirect_uris.join(', ')}`}
      </p>
      {mono('verifier', verifier => void setVerifier(verifier))}
      {mono('challenge', challenge => set({ challenge }), 'codeChallenge')}
      <div class="sign-in-columns">
        {mono('state', state => set({ state }))}
        {mono('nonce', nonce => set({ nonce }))}
      </div>
      <div class="row">
        <Button onClick={() => void fresh()}>{words.args.fresh}</Button>
      </div>
      <details>
        <summary>{words.args.code}</summary>
        <pre class="sign-in-code">{codeOf(args)}</pre>
        <CopyButton text={() => codeOf(args)} label={words.args.copyCode} />
      </details>
    </div>
  );
}
