import { integrationTypes } from '../../../model/command.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { useRun } from '../../control/use-run.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { errorAt, FormDialog, useFields } from './form-frame.tsx';
import { type FreshSecret, freshSecrets, saveEntry } from './save-fixture.ts';

const words = worldWords.applications;
const shown = [
  ...['name', 'description', 'owner_id', 'redirect_uris', 'integration_types'],
  ...['interactions_endpoint_url', 'event_webhooks_url', 'parent_id', 'id'],
];

/** Creates an application, or edits one. */
export function ApplicationForm({
  application,
  onSaved,
  onClose,
}: {
  readonly application: ApplicationDetails | undefined;
  onSaved(id: string, secrets: readonly FreshSecret[]): void;
  onClose(): void;
}) {
  const running = useRun();
  const { fields, changed, isChanged, set } = useFields(() => ({
    name: application?.name ?? '',
    description: application?.description ?? '',
    owner_id: (application?.owner_id ?? '') as string,
    redirect_uris: (application?.redirect_uris ?? ['http://127.0.0.1/callback']).join('\n'),
    public_client: application?.public_client ?? true,
    embedded: application?.embedded ?? false,
    discoverable: application?.discoverable ?? false,
    bot_require_code_grant: application?.bot_require_code_grant ?? false,
    provisional_accounts: application?.provisional_accounts ?? true,
    integration_types: [...(application?.integration_types ?? Object.values(integrationTypes))] as readonly number[],
    interactions_endpoint_url: application?.interactions_endpoint_url ?? '',
    event_webhooks_url: application?.event_webhooks_url ?? '',
    parent_id: (application?.parent_id ?? '') as string,
  }));

  const save = async () => {
    if (application && !isChanged) return onClose();
    // What a new application does not say has its default, which need not be that of the form.
    const entry = entryOf(application ? changed : fields);
    const named = { ...(application && { id: application.id }), ...entry };
    const saved = await running.run(() => saveEntry('applications', named));
    if (!saved) return;
    toast(worldWords.saved(String(saved.name)));
    const fresh = application ? [] : freshSecrets({ applications: [named] }, { applications: [saved] });
    onSaved(String(saved.id), fresh);
  };

  const check = (
    name: 'public_client' | 'embedded' | 'discoverable' | 'bot_require_code_grant' | 'provisional_accounts',
    label: string,
  ) => <Checkbox label={label} isChecked={fields[name]} onChange={isOn => set({ [name]: isOn })} />;
  return (
    <FormDialog
      title={application ? words.editTitle(application.name) : words.addTitle}
      running={running}
      isChanged={isChanged}
      shown={shown}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.name} value={fields.name} {...errorAt(running, 'name')} onInput={name => set({ name })} />
      <TextField
        label={words.description}
        value={fields.description}
        {...errorAt(running, 'description')}
        onInput={description => set({ description })}
      />
      <UserPicker
        label={words.owner}
        value={fields.owner_id}
        {...errorAt(running, 'owner_id')}
        onChange={owner_id => set({ owner_id })}
      />
      <TextArea
        label={words.redirects}
        hint={words.redirectsHint}
        rows={3}
        isMono
        value={fields.redirect_uris}
        {...errorAt(running, 'redirect_uris')}
        onInput={redirect_uris => set({ redirect_uris })}
      />
      <fieldset class="stack">
        <legend>{words.installs}</legend>
        {Object.values(integrationTypes).map(type => (
          <Checkbox
            key={type}
            label={words.installNames[type] ?? String(type)}
            isChecked={fields.integration_types.includes(type)}
            onChange={isOn =>
              set({
                integration_types: isOn
                  ? [...fields.integration_types, type].toSorted()
                  : fields.integration_types.filter(other => other !== type),
              })
            }
          />
        ))}
        {errorAt(running, 'integration_types').error && (
          <p class="field-error" role="alert">
            {errorAt(running, 'integration_types').error}
          </p>
        )}
      </fieldset>
      {check('public_client', words.publicClient)}
      {check('embedded', words.embedded)}
      {check('discoverable', words.discoverable)}
      {check('bot_require_code_grant', words.requireCode)}
      {check('provisional_accounts', words.provisional)}
      <TextField
        label={words.interactionsUrl}
        hint={words.interactionsHint}
        value={fields.interactions_endpoint_url}
        {...errorAt(running, 'interactions_endpoint_url')}
        onInput={interactions_endpoint_url => set({ interactions_endpoint_url })}
      />
      <TextField
        label={words.eventsUrl}
        value={fields.event_webhooks_url}
        {...errorAt(running, 'event_webhooks_url')}
        onInput={event_webhooks_url => set({ event_webhooks_url })}
      />
      <TextField
        label={words.parent}
        hint={words.parentHint}
        value={fields.parent_id}
        {...errorAt(running, 'parent_id')}
        onInput={parent_id => set({ parent_id })}
      />
      <p class="hint">{words.moreInFile}</p>
    </FormDialog>
  );
}

/** The fixture's fields: empty texts are null where that means none, and absent where that means a default. */
function entryOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { redirect_uris, interactions_endpoint_url, event_webhooks_url, parent_id, owner_id, ...rest } = fields;
  return {
    ...rest,
    ...(typeof redirect_uris === 'string' && {
      redirect_uris: redirect_uris
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== ''),
    }),
    ...textOrNull({ interactions_endpoint_url, event_webhooks_url, parent_id }),
    ...(owner_id !== undefined && owner_id !== '' && { owner_id }),
  };
}

function textOrNull(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '' ? null : value]));
}
