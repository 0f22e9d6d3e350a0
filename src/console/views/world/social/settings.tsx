import { useState } from 'preact/hooks';
import type { SocialSettings } from '../../../../model/presence.ts';
import { act } from '../../../control/act.ts';
import { useRun } from '../../../control/use-run.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure-note.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.ts';
import { socialWords } from '../../../words/en/social.ts';
import { saveEntry } from '../save-fixture.ts';
import type { SocialCardProps } from './card.ts';
import { editSettings } from './social-actions.ts';

const words = socialWords.settings;

const flags = [
  ['accept_friend_requests', words.accept],
  ['show_current_game', words.showGame],
  ['allow_activity_party_privacy_friends', words.partyFriends],
  ['allow_activity_party_privacy_voice_channel', words.partyVoice],
  ['allow_game_friend_dms_in_discord', words.gameFriendMessages],
] as const;

const settable = ['online', 'idle', 'dnd', 'invisible'] as const satisfies readonly SocialSettings['status'][];

/** Sets the status and the custom status as the user, so that others are notified, and the rest by fixtures, because games may not set it. */
export function Settings({ userId, social: { settings }, reload }: SocialCardProps) {
  const [status, setStatus] = useState<SocialSettings['status']>(settings.status);
  const [custom, setCustom] = useState(settings.custom_status?.text ?? '');
  const [messages, setMessages] = useState(String(settings.slayer_sdk_receive_dms_in_game));
  const [isOn, setOn] = useState(() => Object.fromEntries(flags.map(([name]) => [name, settings[name]])));
  const running = useRun();
  const save = async (event: Event) => {
    event.preventDefault();
    await running.run(async () => {
      const { custom_status } = settings;
      await saveEntry('social_settings', { ...settings, ...isOn, user_id: userId });
      await act(
        editSettings(userId, {
          status,
          ...(custom !== (custom_status?.text ?? '') && { custom_status: custom === '' ? null : { text: custom } }),
          slayer_sdk_receive_dms_in_game: Number(messages) as SocialSettings['slayer_sdk_receive_dms_in_game'],
        }),
      );
      toast(words.saved);
    });
    reload();
  };
  const statuses = socialWords.presence.statuses;
  return (
    <section class="card stack" aria-label={words.title}>
      <h3>{words.title}</h3>
      <form class="stack" onSubmit={event => void save(event)}>
        <FailureNote failure={running.failure} />
        <Select
          label={words.status}
          value={status}
          choices={settable.map(value => ({ value, label: statuses[value] ?? value }))}
          onChange={value => setStatus(value as SocialSettings['status'])}
        />
        <TextField label={words.customStatus} hint={words.customHint} value={custom} onInput={setCustom} />
        <Select
          label={words.messages}
          value={messages}
          choices={Object.entries(words.messagesFrom).map(([value, label]) => ({ value, label }))}
          onChange={setMessages}
        />
        {flags.map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            isChecked={isOn[name] === true}
            onChange={isChecked => setOn({ ...isOn, [name]: isChecked })}
          />
        ))}
        <div>
          <Button type="submit" isBusy={running.isBusy}>
            {words.save}
          </Button>
        </div>
      </form>
    </section>
  );
}
