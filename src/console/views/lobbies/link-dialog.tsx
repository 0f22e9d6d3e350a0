import { useState } from 'preact/hooks';
import { textChannelType } from '../../../model/guild.ts';
import { lobbyMemberFlags } from '../../../model/lobby.ts';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import type { GuildsPage } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select } from '../../ui/field.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { lobbyActions } from './lobby-actions.ts';
import { memberName } from './names.ts';

const words = lobbyWords.link;

/** Links a guild's channel, or unlinks the one that is linked, as a member. */
export function LinkDialog({ lobby, onClose }: { readonly lobby: LobbyDetails; onClose(): void }) {
  const guilds = useControl<GuildsPage>('/guilds', { query: { limit: 1000 } });
  const [memberId, setMemberId] = useState('');
  const [channelId, setChannelId] = useState('');
  const running = useRun();
  const able = lobby.members.filter(({ flags }) => (flags & lobbyMemberFlags.CanLinkLobby) !== 0);
  const channels = (guilds.data?.guilds ?? []).flatMap(guild =>
    guild.channels
      .filter(({ type }) => type === textChannelType)
      .map(({ id, name }) => ({ value: id as string, label: `#${name} · ${guild.name}` })),
  );
  const as = able.find(({ id }) => id === memberId)?.id ?? able[0]?.id;
  const channel = channels.find(({ value }) => value === channelId)?.value ?? channels[0]?.value;

  const change = async (channel: string | undefined) => {
    if (as === undefined) return;
    const question = { title: words.unlinkTitle, text: words.unlinkText, confirm: words.unlink, isDanger: true };
    if (channel === undefined && !(await ask(question))) return;
    const { call } = lobbyActions.link(lobby, as, channel);
    if (!(await running.run(() => act(call)))) return;
    toast(channel === undefined ? words.unlinked : words.linked);
    onClose();
  };

  const body = () => {
    if (as === undefined) return <EmptyState title={words.nobody} text={words.asHint} />;
    if (guilds.isLoading) return <Loading />;
    return (
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          void change(channel);
        }}
      >
        <FailureNote failure={running.failure} />
        {lobby.link && <p class="hint">{words.isLinked(lobby.link.channel_name ?? lobby.link.channel_id)}</p>}
        <Select
          label={words.as}
          hint={words.asHint}
          value={as as string}
          choices={able.map(member => ({ value: member.id as string, label: memberName(member) }))}
          onChange={setMemberId}
        />
        {channel === undefined ? (
          <p class="hint">
            {words.noChannels} <a href={hrefOf('world', ['guilds'])}>{lobbyWords.form.toWorld}</a>
          </p>
        ) : (
          <Select label={words.channel} value={channel} choices={channels} onChange={setChannelId} />
        )}
        <button type="submit" hidden />
      </form>
    );
  };
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          {lobby.link && as !== undefined && (
            <Button kind="danger" isBusy={running.isBusy} onClick={() => void change(undefined)}>
              {words.unlink}
            </Button>
          )}
          <Button onClick={onClose}>{lobbyWords.form.cancel}</Button>
          <Button
            kind="primary"
            isBusy={running.isBusy}
            isDisabled={as === undefined || channel === undefined}
            onClick={() => void change(channel)}
          >
            {words.confirm}
          </Button>
        </>
      }
    >
      {body()}
    </Dialog>
  );
}
