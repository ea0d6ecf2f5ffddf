/**
 * The element that takes the focus may still be disabled until the next render, or a window that is closing: the focus
 * is watched for this many frames.
 */
const MAX_FRAMES = 30;

/**
 * What a key took away, or switched off for a while, takes the focus with it: the keyboard would begin again at the
 * top of the page. Gives it a home once the page is drawn, unless the focus stands somewhere already.
 */
export function keepFocus(home: () => HTMLElement | null | undefined, frames = MAX_FRAMES): void {
  if (frames === 0) return;
  requestAnimationFrame(() => {
    if (isFocusLost()) home()?.focus();
    keepFocus(home, frames - 1);
  });
}

function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

/** Where nothing near is left to hold it: the innermost window, or else the page. */
export function keepFocusInPage(): void {
  keepFocus(() => [...document.querySelectorAll<HTMLElement>('main, [role="dialog"]')].at(-1));
}

/** Of a form in a window that was refused: its first field that can be mended, or else the button that sends it. */
export function keepFocusInForm(): void {
  keepFocus(
    () =>
      document.querySelector<HTMLElement>('[role="dialog"] form [aria-invalid="true"]') ??
      document.querySelector<HTMLElement>('[role="dialog"] form [type="submit"]'),
  );
}
