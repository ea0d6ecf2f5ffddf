/** The element that takes the focus may still be disabled, until the next render: focusing it is tried on this many frames. */
const MAX_FRAMES = 30;

/**
 * What a key took away, or switched off for a while, takes the focus with it: the keyboard would begin again at the
 * top of the page. Gives it a home once the page is drawn, unless the focus stands somewhere already.
 */
export function keepFocus(home: () => HTMLElement | null | undefined, frames = MAX_FRAMES): void {
  requestAnimationFrame(() => {
    if (!isFocusLost()) return;
    home()?.focus();
    if (isFocusLost() && frames > 1) keepFocus(home, frames - 1);
  });
}

function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

/** Of a button whose press takes it away, before it does: the nearest part around it that can hold the focus. */
export function leaveFocusAround(button: Element): void {
  button.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true });
}

/** Where nothing near is left to hold it: the innermost window, or else the page. */
export function keepFocusInPage(): void {
  keepFocus(() => [...document.querySelectorAll<HTMLElement>('main, [role="dialog"]')].at(-1));
}

/** A window that has faded away leaves the page a moment later. */
const GONE_MS = 100;

/** Of a window that was closed: what opened it, to which the library gives the focus back, may be gone. */
export function keepFocusAfterWindow(): void {
  setTimeout(keepFocusInPage, GONE_MS);
}

/** Of a form in a window that was refused: its first field that can be mended, or else the button that sends it. */
export function keepFocusInForm(): void {
  keepFocus(
    () =>
      document.querySelector<HTMLElement>('[role="dialog"] form [aria-invalid="true"]') ??
      document.querySelector<HTMLElement>('[role="dialog"] form [type="submit"]'),
  );
}
