import type { BrowserContext, BrowserContextOptions } from "@playwright/test";
import type { Person } from "../verify/testing/person.ts";

/** Where the Chromium stands that scripts/browser.mjs found or brought. */
export const CHROMIUM_PATH = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** A French person's browser. */
export const FRENCH: BrowserContextOptions = { locale: "fr-FR", timezoneId: "Europe/Paris" };

/** Gives a browser the session of somebody who signed in without one. */
export async function takeSession(context: BrowserContext, { cookie }: Person): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([
    { name, value, domain: "localhost", path: "/", secure: true, httpOnly: true, sameSite: "Strict" },
  ]);
}
