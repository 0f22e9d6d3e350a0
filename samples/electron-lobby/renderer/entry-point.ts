import type { EntryPointDraft } from '../../game-backend/contract.ts';
import type { EntryPointPanel, Outcome } from '../shared/state.ts';
import { el, setAttribute, setShown, setText } from './dom.ts';
import { createPreview, whyNotHere } from './entry-point-preview.ts';
import { createChoice, createField } from './field.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { createNotice, submits } from './notice.ts';
import type { View } from './view.ts';

const nothing: EntryPointDraft = { name: '', description: '', handler: 2 };

/** The command that launches the game: as it is registered, as players see it, and a form for its owner. */
export function createEntryPoint(actions: Actions): View {
  /** What is registered; the form is changed where it differs. */
  let registered = nothing;
  let version: string | undefined;
  let isRegistered = false;

  const name = createField('entry-name', 'Name', 'Up to 32 characters.', 32);
  const description = createField('entry-description', 'Description', 'Up to 100 characters.', 100);
  const launches = createChoice(
    'handler',
    '2',
    'The service opens the Activity',
    'The service posts in the channel by itself; your game is not asked.',
  );
  const answers = createChoice(
    'handler',
    '1',
    'The game answers',
    'Your game server gets the interaction and says what happens.',
  );
  const save = el('button', { class: 'primary' }, 'Register');
  const undo = el('button', { class: 'quiet', type: 'button', hidden: true, onclick: fill }, 'Undo changes');
  const saved = el('span', { class: 'saved', role: 'status' });
  const fieldset = el(
    'fieldset',
    { class: 'stack' },
    el('legend', { class: 'visually-hidden' }, 'Entry point command'),
    name.element,
    description.element,
    el('fieldset', { class: 'choices' }, el('legend', {}, 'When somebody uses it'), launches.element, answers.element),
    el('div', { class: 'actions' }, save, undo, saved),
  );
  const state = el('p', { class: 'state soft', role: 'status' });
  const others = el('p', { class: 'soft', role: 'status' });
  const readOnly = el(
    'p',
    { class: 'hint' },
    icon('shield'),
    'Only the owner of the application can change it. You see every change as it is saved.',
  );
  const loading = createNotice();
  const saving = createNotice();
  const retry = el('button', { type: 'button', hidden: true, onclick: () => actions.loadEntryPoint() }, 'Try again');
  const form = el(
    'form',
    { class: 'card', novalidate: true },
    el('h3', {}, 'The command'),
    state,
    others,
    loading.element,
    retry,
    readOnly,
    fieldset,
    saving.element,
  );
  const preview = createPreview();
  const fields = { name, description };

  function draft(): EntryPointDraft {
    const handler = answers.input.checked ? 1 : 2;
    return { name: name.input.value, description: description.input.value, handler };
  }

  function isChanged(): boolean {
    const now = draft();
    return (
      now.name !== registered.name || now.description !== registered.description || now.handler !== registered.handler
    );
  }

  function fill(): void {
    name.input.value = registered.name;
    description.input.value = registered.description;
    (registered.handler === 1 ? answers : launches).input.checked = true;
    showFaults({ ok: true });
    saving.show(undefined);
    look();
  }

  /** What follows from what stands in the form. */
  function look(): void {
    setShown(undo, isRegistered && isChanged());
    save.disabled = isRegistered && !isChanged();
    setText(save, isRegistered ? 'Save changes' : 'Register');
    preview.update(draft());
  }

  /** The fault of a field stands at the field and is read out with it; the first one gets the focus. */
  function showFaults(outcome: Outcome): Outcome {
    const issues = outcome.ok ? [] : (outcome.problem.issues ?? []);
    const faulty = Object.entries(fields).filter(([key, field]) => {
      const found = issues.find(({ path }) => path[0] === key);
      field.fault(found?.message);
      return found !== undefined;
    });
    faulty[0]?.[1].input.focus();
    return outcome;
  }

  submits(
    form,
    saving,
    async () => showFaults(await actions.saveEntryPoint(draft())),
    () => setText(saved, 'Saved: players see it from now on.'),
  );
  form.addEventListener('input', () => {
    setText(saved, '');
    look();
  });
  fill();

  return {
    element: el(
      'section',
      { class: 'page entry-point', 'data-region': true, tabindex: -1, 'aria-label': 'Entry point' },
      el('h2', {}, 'Entry point'),
      el('p', { class: 'lead' }, 'The one command that launches your game, from wherever players talk.'),
      el('div', { class: 'cards' }, form, el('div', { class: 'column' }, preview.element, whyNotHere())),
    ),
    update({ entryPoint: panel, player }: AppState) {
      setText(state, stateWords(panel));
      setText(others, othersWords(panel, player?.id));
      setShown(others, panel.status === 'ready');
      loading.show(panel.status === 'failed' ? panel.problem : undefined);
      setShown(retry, panel.status === 'failed');
      setShown(readOnly, panel.status === 'ready' && !panel.mayEdit);
      setShown(fieldset, panel.status === 'ready' || panel.entryPoint !== null);
      setAttribute(form, 'data-loading', panel.status === 'loading' ? 'true' : undefined);
      fieldset.disabled = !panel.mayEdit;
      isRegistered = panel.entryPoint !== null;
      if (panel.entryPoint?.version === version) return look();
      // What the player has begun to write outlives a change that came from elsewhere.
      const isBegun = isChanged();
      version = panel.entryPoint?.version;
      registered = panel.entryPoint ?? nothing;
      if (isBegun) look();
      else fill();
    },
  };
}

function othersWords({ players }: EntryPointPanel, ownId: string | undefined): string {
  const names = players.filter(({ id }) => id !== ownId).map(({ displayName }) => displayName);
  if (names.length === 0) return 'Nobody else has the game open.';
  return `${new Intl.ListFormat('en').format(names)} ${names.length === 1 ? 'has' : 'have'} the game open, too.`;
}

function stateWords({ status, entryPoint }: EntryPointPanel): string {
  if (entryPoint) return `Registered as ${entryPoint.id}, version ${entryPoint.version}.`;
  if (status === 'loading') return 'Asking the game server …';
  return status === 'ready' ? 'None is registered yet.' : '';
}
