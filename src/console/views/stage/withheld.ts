import { useEffect, useState } from 'preact/hooks';
import { type Command, commandTypes } from '../../../model/command.ts';
import type { CommandsAnswer, ExplainAnswer } from '../../../wire/control/commands.ts';
import { control } from '../../control/client.ts';
import { stageWords as words } from '../../words/en/stage.ts';

const shownMax = 5;

export interface WithheldQuestion {
  /** What was typed, with its `/`. */
  readonly text: string;
  readonly userId: string;
  readonly spot: { readonly channel_id: string; readonly guild_id?: string };
  /** Those that are offered here; undefined while they are read. */
  readonly offered: readonly Command[] | undefined;
  readonly applicationIds: readonly string[];
}

/**
 * Why commands that are registered, and are called what was typed, are not offered: a sentence for each, empty until the service has
 * answered.
 *
 * @param isAsked false: nothing is read
 */
export function useWithheld(isAsked: boolean, question: WithheldQuestion): readonly string[] {
  const [reasons, setReasons] = useState<readonly string[]>([]);
  const { text, userId, spot, offered, applicationIds } = question;
  useEffect(() => {
    setReasons([]);
    if (!isAsked) return;
    const abort = new AbortController();
    reasonsOf(question, abort.signal).then(
      found => abort.signal.aborted || setReasons(found),
      () => {},
    );
    return () => abort.abort();
  }, [isAsked, text, userId, spot.channel_id, offered, applicationIds.join()]);
  return reasons;
}

async function reasonsOf(
  { text, userId, spot, offered, applicationIds }: WithheldQuestion,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { channel_id, guild_id } = spot;
  const answers = await Promise.all(
    applicationIds.map(application_id =>
      control.get<CommandsAnswer>('/commands', { query: { application_id }, signal }),
    ),
  );
  const typed = text.slice(1).split(' ')[0] ?? '';
  const isHere = (guild: string | null) => guild === null || guild === guild_id;
  const withheld = answers
    .flatMap(({ scopes }) => scopes.filter(scope => isHere(scope.guild_id)).flatMap(({ commands }) => commands))
    .filter(({ type, name }) => type === commandTypes.CHAT_INPUT && name.startsWith(typed))
    .filter(({ id }) => !offered?.some(one => one.id === id))
    .slice(0, shownMax);
  return Promise.all(
    withheld.map(async ({ id, name }) => {
      if (guild_id === undefined) return words.composer.notInDirect(name);
      const body = { command_id: id, guild_id, channel_id, user_id: userId };
      const { reason } = await control.post<ExplainAnswer>('/permissions/explain', body, { signal });
      return `/${name}: ${reason}`;
    }),
  );
}
