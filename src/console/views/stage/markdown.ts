/** Parts of a message's text. What is not recognized stays text. */
export type Piece =
  | { readonly kind: 'text' | 'code' | 'block'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'u' | 's' | 'spoiler'; readonly pieces: readonly Piece[] }
  /** `<@1>`, `<#2>`, `<@&3>`, `</name:4>`, `<t:5:R>`; `text` is how it is written. */
  | { readonly kind: 'user' | 'channel' | 'role' | 'command'; readonly id: string; readonly text: string }
  | { readonly kind: 'time'; readonly seconds: number; readonly text: string };

const depthMax = 8;

// One form for each kind; none can be read in two ways, so that reading takes time in proportion to the text.
const forms = [
  String.raw`\x60{3}(?<block>[^\x60]+)\x60{3}`,
  String.raw`\x60(?<code>[^\x60\n]+)\x60`,
  String.raw`\*\*(?<strong>[^*]+)\*\*`,
  '__(?<u>[^_]+)__',
  String.raw`\*(?<em>[^*\n]+)\*`,
  '~~(?<s>[^~]+)~~',
  String.raw`\|\|(?<spoiler>[^|]+)\|\|`,
  String.raw`<@!?(?<user>\d{1,20})>`,
  String.raw`<#(?<channel>\d{1,20})>`,
  String.raw`<@&(?<role>\d{1,20})>`,
  String.raw`<\/(?<commandName>[^:<>\n]{1,100}):(?<command>\d{1,20})>`,
  String.raw`<t:(?<time>-?\d{1,13})(?::[a-zA-Z])?>`,
];
const form = new RegExp(forms.join('|'), 'g');

/** Reads the marks that chat clients show. Nothing of a text ever becomes markup: the pieces are texts. */
export function readMarkdown(text: string, depth = 0): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(form)) {
    if (match.index > at) pieces.push({ kind: 'text', text: text.slice(at, match.index) });
    pieces.push(pieceOf(match, depth));
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return pieces;
}

const nesting = ['strong', 'u', 'em', 's', 'spoiler'] as const;
const mentions = ['user', 'channel', 'role'] as const;

function pieceOf({ 0: text, groups = {} }: RegExpMatchArray, depth: number): Piece {
  const { block, code, command, commandName, time } = groups;
  if (block !== undefined) return { kind: 'block', text: block.replace(/^\w*\n/, '') };
  if (code !== undefined) return { kind: 'code', text: code };
  if (command !== undefined) return { kind: 'command', id: command, text: `/${commandName}` };
  if (time !== undefined) return { kind: 'time', seconds: Number(time), text };
  for (const kind of mentions) {
    const id = groups[kind];
    if (id !== undefined) return { kind, id, text };
  }
  for (const kind of nesting) {
    const inner = groups[kind];
    if (inner !== undefined && depth < depthMax) return { kind, pieces: readMarkdown(inner, depth + 1) };
  }
  return { kind: 'text', text };
}
