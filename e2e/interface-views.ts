/** Every view must be free of accessibility violations in both themes and fit a narrow phone. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "@playwright/test";
import { z } from "zod";
import type { Figure } from "./interface-figures.ts";
import type { Product } from "./product.ts";
import { withOpenView, views, type View, type Visitors } from "./views.ts";

const WIDE = { width: 1_440, height: 900 };
/** The narrowest phone (WCAG 1.4.10). */
const NARROW = { width: 320, height: 700 };
const THEMES = ["dark", "light"] as const;

/**
 * Runs in the page: horizontal overflow of the page and of open dialogs or menus, and buttons so narrow that
 * their letters wrap one below another (WCAG 2.5.8 requires 24 px).
 */
const WIDER_THAN_THE_SCREEN = `(() => {
  const widthPx = Math.max(document.documentElement.scrollWidth, innerWidth);
  const found = widthPx > 320 ? ["the page is " + widthPx + " px wide"] : [];
  for (const element of document.querySelectorAll("[role=dialog], [role=dialog] *, dialog[open], nav")) {
    const isScrolled = ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
    if (isScrolled && element.clientWidth > 0 && element.scrollWidth > element.clientWidth)
      found.push(element.tagName + "." + element.className + " holds " + element.scrollWidth + " px");
  }
  for (const button of document.querySelectorAll("button")) {
    const { width } = button.getBoundingClientRect();
    if (width > 1 && width < 24) found.push("a button " + width + " px wide: " + button.textContent);
  }
  return found;
})()`;
const texts = z.array(z.string());

interface ViewContext {
  readonly browser: Browser;
  readonly product: Product;
  readonly visitors: Visitors;
}

/** The number of views with axe violations in either theme. */
export async function accessibilityFigure(context: ViewContext): Promise<Figure> {
  const details: string[] = [];
  for (const colorScheme of THEMES) {
    for (const view of views.filter(({ isEmpty }) => isEmpty !== true)) {
      const viewport = view.isNarrowOnly === true ? NARROW : WIDE;
      const options = { viewport, colorScheme, reducedMotion: "reduce" as const };
      await reportFailure({ view, details }, () =>
        withOpenView({ ...context, view, options }, async (page) => {
          details.push(...(await violationsOf(page)).map((text) => `${view.name} (${colorScheme}): ${text}`));
        }),
      );
    }
  }
  const name = `axe violations, ${views.length} views in two themes`;
  return { name, value: details.length, unit: "", bar: { atMost: 0 }, details };
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/** The number of views that scroll sideways on the narrowest phone, including dialogs. */
export async function narrowFigure(context: ViewContext): Promise<Figure> {
  const details: string[] = [];
  for (const view of views) {
    const options = { viewport: NARROW, hasTouch: true, isMobile: true, colorScheme: "dark" as const };
    await reportFailure({ view, details }, () =>
      withOpenView({ ...context, view, options }, async (page) => {
        const found = texts.parse(await page.evaluate(WIDER_THAN_THE_SCREEN));
        details.push(...found.map((text) => `${view.name}: ${text}`));
      }),
    );
  }
  const name = `views wider than 320 px, of ${views.length}`;
  return { name, value: details.length, unit: "", bar: { atMost: 0 }, details };
}

/** A view that cannot be reached counts as a miss and does not end the measurement. */
async function reportFailure(
  { view, details }: { readonly view: View; readonly details: string[] },
  measure: () => Promise<void>,
): Promise<void> {
  try {
    await measure();
  } catch (error) {
    details.push(`${view.name}: could not be looked at: ${String(error).split("\n", 1)[0] ?? ""}`);
  }
}
