import { useState } from 'preact/hooks';
import { clockText } from '../../ui/text/time.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { type Piece, readMarkdown } from './markdown.ts';
import { channelNameIn, type Names, roleNameIn, userNameIn } from './names.ts';

/** A text with the marks that chat clients show. Addresses stay text: what players write is never a link. */
export function RichText({ text, names }: { readonly text: unknown; readonly names: Names }) {
  if (typeof text !== 'string' || text === '') return null;
  return (
    <span class="stage-text">
      <Pieces pieces={readMarkdown(text)} names={names} />
    </span>
  );
}

function Pieces({ pieces, names }: { readonly pieces: readonly Piece[]; readonly names: Names }) {
  return (
    <>
      {pieces.map((piece, i) => (
        <One key={String(i)} piece={piece} names={names} />
      ))}
    </>
  );
}

function One({ piece, names }: { readonly piece: Piece; readonly names: Names }) {
  switch (piece.kind) {
    case 'text':
      return <>{piece.text}</>;
    case 'code':
      return <code>{piece.text}</code>;
    case 'block':
      return <pre class="stage-block">{piece.text}</pre>;
    case 'spoiler':
      return <Spoiler pieces={piece.pieces} names={names} />;
    case 'user':
      return <span class="stage-mention">@{userNameIn(names, piece.id)}</span>;
    case 'role':
      return <span class="stage-mention">@{roleNameIn(names, piece.id)}</span>;
    case 'channel':
      return <span class="stage-mention">#{channelNameIn(names, piece.id)}</span>;
    case 'command':
      return <span class="stage-mention">{piece.text}</span>;
    case 'time':
      return <time title={piece.text}>{clockText(piece.seconds * 1000)}</time>;
    default: {
      const Mark = piece.kind;
      return (
        <Mark>
          <Pieces pieces={piece.pieces} names={names} />
        </Mark>
      );
    }
  }
}

function Spoiler({ pieces, names }: { readonly pieces: readonly Piece[]; readonly names: Names }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Pieces pieces={pieces} names={names} />;
  return (
    <button type="button" class="stage-spoiler" onClick={() => setOpen(true)}>
      {words.spoiler}
    </button>
  );
}
