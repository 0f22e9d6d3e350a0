/** What of a Markdown text leads somewhere, or can be led to; code is left out. */
export interface MarkdownPage {
  /** Anchors of the headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

export function readMarkdown(text: string): MarkdownPage {
  const prose = text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2$/gm, '').replace(/<!--[\s\S]*?-->/g, '');
  const taken = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = anchorOf(heading);
    const times = taken.get(anchor) ?? 0;
    taken.set(anchor, times + 1);
    anchors.add(times === 0 ? anchor : `${anchor}-${times}`);
  }
  for (const [, name = ''] of prose.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  const plain = prose.replace(/`[^`\n]*`/g, '``');
  const inline = [...plain.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...plain.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  const tags = [...plain.matchAll(/<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g)];
  return { anchors, links: [...inline, ...defined, ...tags].map(([, target]) => target as string) };
}

/** The anchor of a heading: lower case, blanks as hyphens, without marks. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
