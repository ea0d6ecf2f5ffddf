/** The compressed size of the JavaScript that a page loads before it is usable. */
import type { Browser } from "@playwright/test";
import { gzipSync } from "node:zlib";
import type { Person } from "../verify/testing/person.ts";
import { FRENCH, takeSession } from "./browser.ts";
import type { Figure } from "./interface-figures.ts";

interface MeasuredPages {
  readonly name: string;
  readonly address: string;
  /** Null for an anonymous visitor. */
  readonly person: Person | null;
  /** Shown once all of the page's scripts have run; absent: the first heading. */
  readonly readyText?: string;
  readonly barKb: number;
}

/** All scripts requested until the page is idle, each compressed separately as by a server. */
export async function javascriptFigure(browser: Browser, measured: MeasuredPages): Promise<Figure> {
  const context = await browser.newContext(FRENCH);
  try {
    if (measured.person !== null) await takeSession(context, measured.person);
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script")
        sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(measured.address, { waitUntil: "networkidle" });
    const { readyText } = measured;
    const ready =
      readyText === undefined ? page.getByRole("heading") : page.getByText(readyText, { exact: true });
    await ready.first().waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    return { name: measured.name, value: bytes / 1_000, unit: "kB", bar: { atMost: measured.barKb } };
  } finally {
    await context.close();
  }
}
