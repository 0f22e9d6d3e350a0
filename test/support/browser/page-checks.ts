import type { CDPSession, Page } from 'playwright-core';

/** What a page must be for everybody, checked in the page that a browser really shows. */

/** Whether anything reaches beyond the window to the side. */
export function isWiderThanWindow(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

interface AxNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
}

const named = new Set(['button', 'textbox', 'radio', 'link', 'dialog', 'navigation', 'region']);

/** Controls and landmarks that a screen reader would not know what to call. */
export async function unnamedControls(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly AxNode[] };
  await session.detach();
  return nodes
    .filter(({ ignored, role, name }) => !ignored && named.has(role?.value ?? '') && !name?.value.trim())
    .map(({ role }) => role?.value ?? '');
}

/**
 * Texts whose contrast to what they stand on is below 4.5 : 1 (3 : 1 when large). What stands on a picture or a gradient is left
 * out, and so is what is disabled.
 *
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    type Colour = readonly [red: number, green: number, blue: number, alpha: number];

    function read(text: string): Colour {
      if (!canvas) return [0, 0, 0, 1];
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    }

    function over(top: Colour, bottom: Colour): Colour {
      const mix = (at: 0 | 1 | 2) => top[at] * top[3] + bottom[at] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    }

    /** Undefined: a picture, or nothing of its own colour up to the window. */
    function ground(element: Element | null): Colour | undefined {
      if (!element) return undefined;
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      if (backgroundImage !== 'none') return undefined;
      const own = read(backgroundColor);
      if (own[3] > 0.99) return own;
      const below = ground(element.parentElement);
      return below && over(own, below);
    }

    function luminance([red, green, blue]: Colour): number {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map(value => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }

    const faint: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const text = [...element.childNodes]
        .filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.textContent);
      if (!text.join('').trim() || !element.checkVisibility() || element.closest(':disabled')) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const bottom = ground(element);
      if (!bottom) continue;
      const [light = 0, dark = 0] = [luminance(over(read(color), bottom)), luminance(bottom)].sort((a, b) => b - a);
      const contrast = (light + 0.05) / (dark + 0.05);
      const size = Number.parseFloat(fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${text.join('').trim()}: ${contrast.toFixed(2)}`);
    }
    return faint;
  });
}

/** Everything that the page holds in memory, as text: the whole heap, with its strings. */
export async function heapOf(page: Page): Promise<string> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const parts: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk));
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return parts.join('');
}
