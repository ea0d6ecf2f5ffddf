import type { BrowserContext, BrowserContextOptions } from "@playwright/test";
import type { Person } from "../verify/testing/person.ts";

/** The Chromium that scripts/browser.mjs found or installed. */
export const CHROMIUM_PATH = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

export const FRENCH: BrowserContextOptions = { locale: "fr-FR", timezoneId: "Europe/Paris" };

/** Gives a browser the session of a person signed in without one. */
export async function takeSession(context: BrowserContext, { cookie }: Person): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([
    { name, value, domain: "localhost", path: "/", secure: true, httpOnly: true, sameSite: "Strict" },
  ]);
}
